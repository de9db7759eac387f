#include "ridgerunner/environment/gp_draw.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "ridgerunner/environment/fixed_arms.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {
namespace {

TEST(PivotedCholesky, FactorsAMatrixComputedByHand) {
  // The pivot 4 comes first: L = (1, 2)' and then (sqrt(3 - 1), 0)'.
  Matrix a(2, 2), l(2, 2);
  a << 3, 2, 2, 4;
  l << 1, std::sqrt(2), 2, 0;
  EXPECT_LT((pivoted_cholesky(a, 1e-12) - l).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(PivotedCholesky, StopsAtTheRankOfASingularMatrix) {
  const Matrix grid = unit_grid(50);
  const Matrix flat = gram(*linear(1, 1), grid, grid);  // 1 + x y: rank two
  const Matrix l = pivoted_cholesky(flat, 1e-12);
  EXPECT_EQ(l.cols(), 2);
  EXPECT_LT((l * l.transpose() - flat).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(PivotedCholesky, ReproducesTheGramMatrixUpToItsTolerance) {
  const Matrix grid = unit_grid(100);
  const Matrix k = gram(*gaussian(0.1), grid, grid);
  Index previous = 0;
  for (const double tolerance : {1e-2, 1e-6, 1e-12}) {
    const Matrix l = pivoted_cholesky(k, tolerance);
    // The error is positive semi-definite, so its largest entry is on the diagonal.
    EXPECT_LT((l * l.transpose() - k).cwiseAbs().maxCoeff(), tolerance + 1e-14);
    EXPECT_GT(l.cols(), previous);
    EXPECT_LT(l.cols(), 50);
    previous = l.cols();
  }
}

TEST(PivotedCholesky, RoundingDoesNotChooseBetweenSymmetricPoints) {
  // Errors of the size other machines make in the entries move the factor as little.
  for (const Index n : {11, 50, 100, 101}) {
    const Matrix grid = unit_grid(n);
    const Matrix k = gram(*gaussian(0.1), grid, grid);
    const Matrix l = pivoted_cholesky(k, 1e-6);
    for (std::uint64_t step = 0; step < 20; ++step) {
      Stream stream(1, Purpose::test, step);
      Matrix shaken = k;
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
          shaken(i, j) *= 1 + stream.uniform(-4, 4) * 0x1p-52;
          shaken(j, i) = shaken(i, j);
        }
      }
      const Matrix other = pivoted_cholesky(shaken, 1e-6);
      ASSERT_EQ(l.cols(), other.cols());
      EXPECT_LT((l - other).cwiseAbs().maxCoeff(), 1e-8) << n;
    }
  }
}

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
}  // namespace ridgerunner
