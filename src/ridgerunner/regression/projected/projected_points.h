#pragma once

#include <vector>

#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

// Points whose features a projected model carries along: the distinct states of its history, or its arms.
// Features are kept by coordinate, so that a new anchor adds one vector and moves nothing. Those of anchors
// need not be carried: they are rows of L_Z, and 0 in every later coordinate. A copy shares states and
// features, and costs O(P + m).
struct ProjectedPoints {
  GrowingColumns states;                    // d x P
  StateIndex index;                         // finds them
  std::vector<Index> carried;               // the points whose features are kept, rising
  std::vector<GrowingColumns> coordinates;  // m of length C, the number of them: Z by rows
  GrowingVector prior;                      // k(s, s)
  GrowingVector residual;                   // r = k(s, s) - |z|^2
  GrowingVector spread;                     // z^T V^-1 z, where it is tracked
  GrowingVector mean;                       // z^T V^-1 b, where it is tracked
  GrowingVector count;                      // how often the point is in V
  GrowingVector open;                       // ... without its reward
  GrowingVector reward;                     // the sum of its rewards

  Index size() const { return states.size(); }
  bool carries_all() const { return std::ssize(carried) == size(); }

  // A point with its features, m, and nothing counted yet. carry = false: an anchor.
  Index append(const VectorIn& state, double k, const VectorIn& z, double r, bool carry = true);

  void remove_last();

  // m x n: the features of carried points first, first + 1, ...
  void gather(Index first, MatrixOut z) const;
  Vector products(const VectorIn& x) const;    // C: Z^T x
  Vector sums(const VectorIn& weights) const;  // m: Z weights

  Matrix carried_states() const;                          // d x C
  Vector of_carried(const GrowingVector& entries) const;  // C

  // For an anchor with features z and kernel values k with the carried points: their new coordinate ζ = (k -
  // Z^T z)/pivot, and Z ζ', ζ'_i = n_i ζ_i. Both in one pass over the features.
  struct NewCoordinate {
    Vector entries;   // C
    Vector weighted;  // C: n ζ
    Vector sums;      // m
  };
  NewCoordinate new_coordinate(const VectorIn& k, const VectorIn& z, double pivot) const;
  void add_coordinate(const VectorIn& coordinate);  // lowers the residuals by its squares
};

}  // namespace ridgerunner
