#pragma once

#include <optional>
#include <vector>

#include "ridgerunner/regression/factored_model.h"
#include "ridgerunner/regression/prediction.h"
#include "ridgerunner/regression/workspace.h"

namespace ridgerunner {

// Upper bounds of candidates that are known better than by mean + radius sd: the best of many such bounds, at
// other ridges. An elimination hands over the candidates that may be best, and goes on with what it learns.
class UpperBounds {
 public:
  virtual ~UpperBounds() = default;

  // Before any solve: cross is k(states, candidates). A candidate whose upper bound is sure to be the
  // largest, if there is one.
  virtual std::optional<Index> decided(const MatrixIn& cross, const VectorIn& prior) = 0;

  // Candidates that may be best, each with a number that its upper bound does not exceed and its column of
  // `solved`, which is L^-1 k. The largest upper bound of all candidates so far is at least the number
  // returned.
  struct Candidate {
    double upper;
    Index index;
    Index column;
  };
  virtual double update(std::vector<Candidate> candidates, const MatrixIn& solved) = 0;

  // The candidate with the largest upper bound of all so far; ties go to the lowest index.
  virtual Index best() = 0;
};

// The candidate with the largest mean + radius sd, found without finishing all the sds.
//
// Conditioning on fewer points can only leave more variance, so each of these bounds a candidate's sd from
// above:
//  - neighbours: the variance left by the few data points that resemble the candidate most (rough kernels);
//  - prefix rows: the rows of L^-1 k arrive in order and their squared sum only grows (smooth kernels).
// The most promising candidates are finished first; whoever's bound falls strictly below the best of them is
// dropped. The answer is that of the full computation, to the bit. states: d x n.
BestUpper best_upper_by_elimination(const ExactView& model, const MatrixIn& states, double radius,
                                    Workspace& workspace);

// The candidate with the largest of `bounds`, found in the same way: who cannot reach what another has by
// mean + radius sd is dropped. Only index and multiply_adds are filled in.
BestUpper best_of_bounds_by_elimination(const ExactView& model, const MatrixIn& states, double radius,
                                        UpperBounds& bounds, Workspace& workspace);

}  // namespace ridgerunner
