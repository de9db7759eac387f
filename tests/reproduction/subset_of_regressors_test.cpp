#include "ridgerunner/reproduction/subset_of_regressors.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ridgerunner/kernel/kernel_spec.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner::subset_of_regressors_test {
namespace {

KernelPtr gaussian(double lengthscale) {
  KernelSpec spec;
  spec.type = KernelType::gaussian;
  spec.lengthscale = {lengthscale};
  return make_kernel(spec);
}

TEST(SubsetOfRegressors, OneAnchorIsAsByHand) {
  // z(s) = k(0, s); V = λ + 2, so sd(s) = k(0, s) / sqrt(λ + 2).
  Matrix anchor = Matrix::Zero(1, 1), data = Matrix::Zero(1, 2), at(1, 2);
  at << 0, 1;
  const Vector sd = subset_of_regressors_sd(*gaussian(1), anchor, data, at, 0.5);
  EXPECT_NEAR(sd[0], 1 / std::sqrt(2.5), 1e-14);
  EXPECT_NEAR(sd[1], std::exp(-0.5) / std::sqrt(2.5), 1e-14);
}

TEST(SubsetOfRegressors, IsExactAtItsAnchorsIfTheyAreAllData) {
  const KernelPtr kernel = gaussian(0.2);
  const Matrix data = Eigen::RowVectorXd::LinSpaced(8, 0, 1);
  ExactRegression exact(kernel, 0.1);
  exact.observe(data, Vector::Zero(8));
  const Vector sd = subset_of_regressors_sd(*kernel, data, data, data, 0.1);
  EXPECT_LT((sd - predict(exact, data).sd).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(SubsetOfRegressors, VanishesFarFromTheAnchors) {
  const KernelPtr kernel = gaussian(0.1);
  const Matrix data = Eigen::RowVectorXd::LinSpaced(5, 0, 0.5), far = Matrix::Constant(1, 1, 2);
  EXPECT_LT(subset_of_regressors_sd(*kernel, data, data, far, 0.01)[0], 1e-9);
}

TEST(SubsetOfRegressors, RepeatedAnchorsAddNothing) {
  const KernelPtr kernel = gaussian(0.3);
  Matrix anchors(1, 2), twice(1, 4), at = Eigen::RowVectorXd::LinSpaced(7, 0, 1);
  anchors << 0.2, 0.7;
  twice << 0.2, 0.7, 0.7, 0.2;
  const Vector once = subset_of_regressors_sd(*kernel, anchors, at, at, 0.1),
               again = subset_of_regressors_sd(*kernel, twice, at, at, 0.1);
  EXPECT_LT((once - again).cwiseAbs().maxCoeff(), 1e-10);
}

}  // namespace
}  // namespace ridgerunner::subset_of_regressors_test
