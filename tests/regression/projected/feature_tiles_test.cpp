#include "ridgerunner/regression/projected/feature_tiles.h"

#include <gtest/gtest.h>

#include "oracles/problems.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner::feature_tiles_test {
namespace {

using oracle::normals;

void expect_same(const FeatureTiles& tiles, const Matrix& dense, Stream& random) {
  const Index m = dense.rows(), points = dense.cols();
  ASSERT_EQ(tiles.points(), points);
  ASSERT_EQ(tiles.coordinates(), m);
  Matrix gathered(m, points);
  tiles.gather(0, gathered);
  EXPECT_EQ(gathered, dense);
  for (Index j = 0; j < m; ++j) EXPECT_EQ(tiles.coordinate(j), Vector(dense.row(j).transpose()));
  const Vector x = normals(random, m), weights = normals(random, points), k = normals(random, points);
  EXPECT_LT((tiles.products(x) - dense.transpose() * x).norm(), 1e-12);
  EXPECT_LT((tiles.sums(weights) - dense * weights).norm(), 1e-12);
  const Vector counts = weights.cwiseAbs();
  const FeatureTiles::NewCoordinate made = tiles.new_coordinate(k, x, 0.7, counts);
  const Vector entries = (k - dense.transpose() * x) / 0.7;
  EXPECT_LT((made.entries - entries).norm(), 1e-12);
  EXPECT_LT((made.weighted - counts.cwiseProduct(entries)).norm(), 1e-12);
  EXPECT_LT((made.sums - dense * counts.cwiseProduct(entries)).norm(), 1e-11);
}

// Across the borders of tiles, by points and coordinates in turn.
TEST(FeatureTiles, AreTheMatrixTheyStandFor) {
  Stream random(1, Purpose::test);
  FeatureTiles tiles;
  Matrix dense(0, 0);
  for (int step = 0; step < 120; ++step) {
    if (step % 3 == 0) {
      dense.conservativeResize(dense.rows() + 1, dense.cols());
      dense.bottomRows(1) = normals(random, dense.cols()).transpose();
      tiles.append_coordinate(dense.row(dense.rows() - 1).transpose());
    } else {
      dense.conservativeResize(dense.rows(), dense.cols() + 1);
      dense.rightCols(1) = normals(random, dense.rows());
      tiles.append_point(dense.col(dense.cols() - 1));
    }
    if (step % 7 == 0) expect_same(tiles, dense, random);
  }
  for (int i = 0; i < 40; ++i) tiles.remove_last_point();
  expect_same(tiles, dense.leftCols(dense.cols() - 40), random);
}

TEST(FeatureTiles, ACopyGoesItsOwnWay) {
  Stream random(2, Purpose::test);
  FeatureTiles tiles(3);
  const Matrix before = Matrix::Ones(1, 3);
  tiles.append_coordinate(Vector::Ones(3));
  FeatureTiles copy = tiles;
  copy.append_point(Vector::Constant(1, 5));
  copy.append_coordinate(Vector::LinSpaced(4, 0, 3));
  expect_same(tiles, before, random);
  Matrix after(2, 4);
  after << 1, 1, 1, 5, 0, 1, 2, 3;
  expect_same(copy, after, random);
}

}  // namespace
}  // namespace ridgerunner::feature_tiles_test
