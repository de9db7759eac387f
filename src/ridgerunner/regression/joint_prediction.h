#pragma once

#include <vector>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

// A model at n states together: predictions, and covariances S(s,s') = φ(s)^T V^-1 φ(s') on demand, in a form
// that all engines share,
//   S(s,s') = (k(s,s') - explained(s)^T explained(s'))/λ + spread(s)^T spread(s').
// Exact engine: explained = L^-1 k(s), no spread. Projected engine: explained = z(s), spread = L_V^-1 z(s);
// what the anchors miss of two states is correlated as well. The diagonal is sd^2.
// Memory: n (rows + d). Covariances of p states with q cost p q (rows + d); S itself is never formed.
struct JointPrediction {
  Prediction at;
  Matrix states;     // d x n
  Matrix explained;  // rows x n
  Matrix spread;     // rows x n, or 0 x n
  double ridge = 1;
  KernelPtr kernel;

  Index size() const { return states.cols(); }

  // S between states row, row + 1, ... and states column, column + 1, ...; as many as `out` has room for.
  void covariance(Index row, Index column, MatrixOut out) const;

  void swap(Index i, Index j);                  // two states change places
  void keep(const std::vector<Index>& rising);  // only these states
};

}  // namespace ridgerunner
