#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "oracles/dense.h"
#include "regression/dictionaries.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::oracle {

// From the history that the model keeps, everything it carries along, afresh.
inline void expect_no_drift(const ProjectedRegression& projected, const Kernel& kernel, double ridge,
                            double allowed) {
  const ProjectedRegression::Memory& memory = projected.memory();
  const Matrix k = gram(kernel, memory.anchors.view(), memory.anchors.view());
  const Eigen::LLT<LongMatrix> basis(k.cast<long double>());
  LongMatrix z = gram(kernel, memory.anchors.view(), memory.points.states.view()).cast<long double>();
  basis.matrixL().solveInPlace(z);
  const LongVector count = memory.points.count.view().cast<long double>();
  LongMatrix v = z * count.asDiagonal() * z.transpose();
  v.diagonal().array() += ridge;
  const Eigen::LLT<LongMatrix> factor(v);
  const LongMatrix l = factor.matrixL();
  const LongVector b = z * memory.points.reward.view().cast<long double>(), weights = factor.solve(b);
  const Index m = memory.basis.size();
  long double error = 0;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j <= i; ++j) error = std::max(error, std::abs(memory.precision(i, j) - l(i, j)));
  }
  EXPECT_LT(error, allowed * l.cwiseAbs().maxCoeff());
  EXPECT_LT((memory.weights.cast<long double>() - weights).cwiseAbs().maxCoeff(),
            allowed * weights.cwiseAbs().maxCoeff());
  const LongMatrix inverse = factor.solve(LongMatrix::Identity(m, m));
  EXPECT_LT(relative(memory.trace_inverse, inverse.trace()), allowed);
  const LongVector left = (diagonal(kernel, memory.points.states.view()).cast<long double>().transpose() -
                           z.colwise().squaredNorm())
                              .transpose();
  const LongMatrix half = factor.matrixL().solve(z);
  const LongVector spread = half.colwise().squaredNorm().transpose();
  EXPECT_LT(relative(projected.evidence().residual_sum, count.dot(left)), allowed);
  EXPECT_LT(relative(projected.evidence().variance_sum, count.dot(left) / ridge + count.dot(spread)),
            allowed);
  const Prediction at = predict(projected, memory.points.states.view());
  EXPECT_LT(worst(at.sd, (left / ridge + spread).cwiseSqrt()), allowed);
  EXPECT_LT(worst(at.mean, z.transpose() * weights), allowed);
}

}  // namespace ridgerunner::oracle
