#include "ridgerunner/linalg/pivoted_cholesky.h"

#include <cmath>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

#include "oracles/problems.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"

namespace ridgerunner::pivoted_cholesky_test {
namespace {

Matrix unit_grid(Index points) {
  return Eigen::RowVectorXd::LinSpaced(points, 0, 1);
}

TEST(PivotedCholesky, FactorsAMatrixComputedByHand) {
  // The pivot 4 comes first: L = (1, 2)' and then (sqrt(3 - 1), 0)'.
  Matrix a(2, 2), l(2, 2);
  a << 3, 2, 2, 4;
  l << 1, std::sqrt(2), 2, 0;
  EXPECT_LT((pivoted_cholesky(a, 1e-12).factor - l).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(PivotedCholesky, StopsAtTheRankOfASingularMatrix) {
  const Matrix grid = unit_grid(50);
  const Matrix flat = gram(*linear(1, 1), grid, grid);  // 1 + x y: rank two
  const Matrix l = pivoted_cholesky(flat, 1e-12).factor;
  EXPECT_EQ(l.cols(), 2);
  EXPECT_LT((l * l.transpose() - flat).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(PivotedCholesky, ReproducesTheGramMatrixUpToItsTolerance) {
  const Matrix grid = unit_grid(100);
  const Matrix k = gram(*gaussian(0.1), grid, grid);
  Index previous = 0;
  for (const double tolerance : {1e-2, 1e-6, 1e-12}) {
    const Matrix l = pivoted_cholesky(k, tolerance).factor;
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
    const Matrix l = pivoted_cholesky(k, 1e-6).factor;
    for (std::uint64_t step = 0; step < 20; ++step) {
      Stream stream(1, Purpose::test, step);
      Matrix shaken = k;
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
          shaken(i, j) *= 1 + stream.uniform(-4, 4) * 0x1p-52;
          shaken(j, i) = shaken(i, j);
        }
      }
      const Matrix other = pivoted_cholesky(shaken, 1e-6).factor;
      ASSERT_EQ(l.cols(), other.cols());
      EXPECT_LT((l - other).cwiseAbs().maxCoeff(), 1e-8) << n;
    }
  }
}

TEST(PivotedCholesky, RowsOfThePivotsAreLowerTriangularWithPositiveFallingDiagonals) {
  Stream random(2, Purpose::test);
  const Matrix points = oracle::uniform_points(random, 2, 40);
  for (const KernelPtr& kernel : {gaussian(0.3), matern12(0.4), polynomial(2)}) {
    const PivotedCholesky found = pivoted_cholesky(gram(*kernel, points, points), 1e-10);
    const Index rank = std::ssize(found.pivots);
    ASSERT_EQ(found.factor.cols(), rank);
    ASSERT_EQ(found.factor.rows(), 40);
    EXPECT_EQ(std::ssize(std::set<Index>(found.pivots.begin(), found.pivots.end())), rank);
    for (Index j = 0; j < rank; ++j) {
      const auto row = found.factor.row(found.pivots[static_cast<std::size_t>(j)]);
      EXPECT_GT(row[j], 0);
      // 0 but for rounding, which the division by small pivots makes larger.
      if (j + 1 < rank) {
        EXPECT_LT(row.tail(rank - j - 1).cwiseAbs().maxCoeff(), 1e-9);
      }
      if (j > 0) {
        const auto before = found.factor.row(found.pivots[static_cast<std::size_t>(j - 1)]);
        EXPECT_LT(row[j], before[j - 1] * (1 + 1e-6));
      }
    }
  }
}

TEST(PivotedCholesky, OfNothingButZerosHasNoRank) {
  const PivotedCholesky found = pivoted_cholesky(Matrix::Zero(3, 3), 1e-12);
  EXPECT_TRUE(found.pivots.empty());
  EXPECT_EQ(found.factor.rows(), 3);
  EXPECT_EQ(found.factor.cols(), 0);
}

TEST(PivotedCholesky, OfOneNumberIsItsRoot) {
  const PivotedCholesky found = pivoted_cholesky(Matrix::Constant(1, 1, 9), 1e-12);
  EXPECT_EQ(found.factor(0, 0), 3);
  EXPECT_EQ(found.pivots, std::vector<Index>{0});
}

}  // namespace
}  // namespace ridgerunner::pivoted_cholesky_test
