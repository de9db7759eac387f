#include "ridgerunner/environment/gp_draw.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "ridgerunner/environment/fixed_arms.h"

namespace ridgerunner::gp_draw_test {
namespace {

TEST(GpDraw, HasTheCovarianceOfItsKernel) {
  // 2000 paths. The mean at an arm has sd 1 / sqrt(2000), the product of two arms' values a sd of at most
  // sqrt(2 / 2000).
  EnvironmentSpec spec = default_environment(EnvironmentType::gp_draw);
  spec.candidates = 21;
  const Matrix grid = unit_grid(21);
  const Matrix k = gram(*make_kernel(spec.kernel), grid, grid);
  const int paths = 2000;
  Vector mean = Vector::Zero(21);
  Matrix products = Matrix::Zero(21, 21);
  Offer out;
  for (std::uint64_t seed = 0; seed < paths; ++seed) {
    make_environment(spec, seed)->offer(0, out);
    mean += out.expected / paths;
    products += out.expected * out.expected.transpose() / paths;
  }
  // 21 + 231 comparisons: five standard errors.
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 5 / std::sqrt(paths));
  EXPECT_LT((products - k).cwiseAbs().maxCoeff(), 5 * std::sqrt(2.0 / paths));
}

TEST(GpDraw, IsSmoothOnTheScaleOfItsKernel) {
  // A step of 1/99 has variance 2 (1 - exp(-0.5 (0.1010)^2)) = 0.01018, sd 0.101: six of them are out of
  // reach.
  Offer out;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    make_environment(default_environment(EnvironmentType::gp_draw), seed)->offer(0, out);
    ASSERT_EQ(out.states, unit_grid(100));
    EXPECT_LT((out.expected.tail(99) - out.expected.head(99)).cwiseAbs().maxCoeff(), 0.606);
  }
}

TEST(GpDraw, WorksWithAKernelWhoseGramMatrixIsRegular) {
  EnvironmentSpec spec = default_environment(EnvironmentType::gp_draw);
  spec.kernel.type = KernelType::matern12;
  Offer out;
  make_environment(spec, 1)->offer(0, out);
  EXPECT_TRUE(out.expected.allFinite());
  EXPECT_GT(out.expected.cwiseAbs().maxCoeff(), 0);
}

}  // namespace
}  // namespace ridgerunner::gp_draw_test
