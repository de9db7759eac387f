#pragma once

#include <vector>

#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

// Points whose features a projected model carries along: the distinct states of its history, or its arms.
// Features are kept by coordinate, so that a new anchor adds one vector and moves nothing. A copy shares
// states and features, and costs O(P + m).
struct ProjectedPoints {
  GrowingColumns states;                    // d x P
  StateIndex index;                         // finds them
  std::vector<GrowingColumns> coordinates;  // m of length P: Z by rows
  GrowingVector prior;                      // k(s, s)
  GrowingVector residual;                   // r = k(s, s) - |z|^2
  GrowingVector spread;                     // z^T V^-1 z, where it is tracked
  GrowingVector mean;                       // z^T V^-1 b, where it is tracked
  GrowingVector count;                      // how often the point is in V
  GrowingVector open;                       // ... without its reward
  GrowingVector reward;                     // the sum of its rewards

  Index size() const { return states.size(); }

  // A point with its features, m, and nothing counted yet.
  Index append(const VectorIn& state, double k, const VectorIn& z, double r);

  void remove_last();

  void gather(Index first, MatrixOut z) const;  // m x n: the features of points first, first + 1, ...
  Vector products(const VectorIn& x) const;     // P: Z^T x
  Vector sums(const VectorIn& weights) const;   // m: Z weights

  // The new coordinate of every point, for an anchor with features z and kernel values k with the points:
  // (k - Z^T z)/pivot.
  Vector new_coordinate(const VectorIn& k, const VectorIn& z, double pivot) const;
  void add_coordinate(const VectorIn& coordinate);  // lowers the residuals by its squares
};

}  // namespace ridgerunner
