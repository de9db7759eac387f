#pragma once

#include <vector>

#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/prediction.h"

namespace ridgerunner {

// Scratch memory of one operation at a time, kept so that it need not be allocated anew: one for each thread.
// Nothing in it has a meaning after the operation, but for what choosing hands out in `solved`.
struct Workspace {
  Scratch cross;    // kernel values between the model's states and the candidates, then L^-1 of them
  Scratch prefix;   // the first rows of the latter
  Scratch leaders;  // columns of the latter; kernel values with the arms while observing
  Scratch small;    // a candidate's neighbours
  Scratch raw;      // kernel values that are needed once more

  // L^-1 k of the best candidate so far: one column; and the same at the model's further ridges, empty where
  // it is not known.
  Scratch solved;
  std::vector<Vector> further_solved;

  Prediction prediction;
  Vector explained;  // by candidate: the part of k(s, s) that the data explain
  Vector weights;    // L^-T w
  std::vector<Index> columns;

  // A guess that changes how fast the next choice by a mixture is, never which: the ridge at which to
  // eliminate candidates. 0: none.
  double elimination_ridge = 0;
};

}  // namespace ridgerunner
