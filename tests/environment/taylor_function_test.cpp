#include "ridgerunner/environment/taylor_function.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ridgerunner/environment/fixed_arms.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner::taylor_function_test {
namespace {

TEST(UnitGrid, IncludesBothEnds) {
  const Matrix grid = unit_grid(100);
  EXPECT_EQ(grid(0, 0), 0);
  EXPECT_EQ(grid(0, 99), 1);
  EXPECT_EQ(grid(0, 33), 1.0 / 3);
  EXPECT_EQ(unit_grid(2), (Matrix(1, 2) << 0, 1).finished());
}

TEST(TaylorFeatures, HaveTheirValuesByHand) {
  // At x = rho all powers are 1: exp(-1/2) / sqrt((i-1)!).
  const Vector at_rho = taylor_features(Matrix::Constant(1, 1, 0.3), 0.3, 4);
  EXPECT_NEAR(at_rho[0], std::exp(-0.5), 1e-15);
  EXPECT_NEAR(at_rho[1], std::exp(-0.5), 1e-15);
  EXPECT_NEAR(at_rho[2], std::exp(-0.5) / std::sqrt(2), 1e-15);
  EXPECT_NEAR(at_rho[3], std::exp(-0.5) / std::sqrt(6), 1e-15);
  // At 2 rho the powers are 1, 2, 4.
  const Vector at_twice = taylor_features(Matrix::Constant(1, 1, 0.6), 0.3, 3);
  EXPECT_NEAR(at_twice[2], std::exp(-2) * 4 / std::sqrt(2), 1e-15);
  // At 0 only the first is left.
  EXPECT_EQ(taylor_features(Matrix::Zero(1, 1), 0.3, 3), Vector::Unit(3, 0));
}

TEST(TaylorFeatures, ReproduceTheGaussianKernel) {
  const Matrix grid = unit_grid(100);
  const Matrix phi =
      taylor_features(grid, 0.3, default_environment(EnvironmentType::taylor_function).features);
  const Matrix kernel = gram(*gaussian(0.3), grid, grid);
  EXPECT_LT((phi.transpose() * phi - kernel).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(TaylorFeatures, ReproduceTheGaussianKernelWhereTheFirstFeatureUnderflows) {
  const Matrix grid = unit_grid(20);
  const Matrix phi = taylor_features(grid, 0.02, 3000);
  EXPECT_EQ(phi(0, 19), 0);
  const Matrix kernel = gram(*gaussian(0.02), grid, grid);
  EXPECT_LT((phi.transpose() * phi - kernel).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(TaylorFunction, IsTheCombinationOfItsFeaturesWithTheNormAskedFor) {
  EnvironmentSpec spec = default_environment(EnvironmentType::taylor_function);
  Offer out;
  make_environment(spec, 6)->offer(0, out);
  ASSERT_EQ(out.states, unit_grid(100));
  Vector theta(spec.features);
  Stream stream(6, Purpose::environment, 0);
  for (double& entry : theta) entry = stream.normal();
  const Vector expected = taylor_features(out.states, 0.3, spec.features).transpose() * theta;
  EXPECT_LT((out.expected - expected * (2.06 / theta.norm())).cwiseAbs().maxCoeff(), 1e-13);
  // f(0) = theta_1, and nowhere does |f| exceed its norm, k being 1 on the diagonal.
  EXPECT_NEAR(out.expected[0], theta[0] * 2.06 / theta.norm(), 1e-14);
  EXPECT_LE(out.expected.cwiseAbs().maxCoeff(), 2.06);

  // Four times the kernel: twice the features, and with the same norm twice the function.
  spec.kernel.variance = 4;
  Offer twice;
  make_environment(spec, 6)->offer(0, twice);
  EXPECT_LT((twice.expected - 2 * out.expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(TaylorFunction, HasSquaredValuesOfTheSizeItsNormImplies) {
  // E f(x)^2 = norm^2 |phi(x)|^2 / features = 2.06^2 / 60 at every arm: theta is uniform on a sphere. Over
  // 400 draws the mean at one arm has a relative sd of at most sqrt(2 / 400); averaged over arms it is below
  // that.
  double squares = 0;
  Offer out;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    make_environment(default_environment(EnvironmentType::taylor_function), seed)->offer(0, out);
    squares += out.expected.squaredNorm() / (100.0 * 400);
  }
  const double known = 2.06 * 2.06 / 60;
  EXPECT_NEAR(squares, known, 4 * known * std::sqrt(2.0 / 400));
}

}  // namespace
}  // namespace ridgerunner::taylor_function_test
