#pragma once

#include <vector>

#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/projected/feature_tiles.h"
#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

// Points whose features a projected model carries along: the distinct states of its history, or its arms.
// Those of anchors need not be carried: they are rows of L_Z, and 0 in every later coordinate. A copy shares
// states and features, and costs O(P + m).
struct ProjectedPoints {
  GrowingColumns states;       // d x P
  StateIndex index;            // finds them
  std::vector<Index> carried;  // the points whose features are kept, rising
  FeatureTiles features;       // Z, m x C, of these
  GrowingVector prior;         // k(s, s)
  GrowingVector residual;      // r = k(s, s) - |z|^2
  GrowingVector spread;        // z^T V^-1 z, where it is tracked
  GrowingVector mean;          // z^T V^-1 b, where it is tracked
  GrowingVector count;         // how often the point is in V
  GrowingVector open;          // ... without its reward
  GrowingVector reward;        // the sum of its rewards

  Index size() const { return states.size(); }
  bool carries_all() const { return std::ssize(carried) == size(); }

  // A point with its features, m, and nothing counted yet. carry = false: an anchor.
  Index append(const VectorIn& state, double k, const VectorIn& z, double r, bool carry = true);

  void remove_last();

  Matrix carried_states() const;                          // d x C
  Vector of_carried(const GrowingVector& entries) const;  // C

  void add_coordinate(const VectorIn& coordinate);  // lowers the residuals by its squares
};

}  // namespace ridgerunner
