// What a fit sees of columns, rewards and observations before it begins.
#include <cmath>

#include <gtest/gtest.h>

#include "ridgerunner/random/stream.h"
#include "ridgerunner/tuning/columns.h"
#include "ridgerunner/tuning/rewards.h"
#include "ridgerunner/tuning/sample.h"

namespace ridgerunner::looks_test {
namespace {

Matrix rows(std::initializer_list<std::initializer_list<double>> given) {
  Matrix out(static_cast<Index>(given.size()), static_cast<Index>(given.begin()->size()));
  Index i = 0;
  for (const auto& row : given) {
    Index j = 0;
    for (const double value : row) out(i, j++) = value;
    ++i;
  }
  return out;
}

Vector vector(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

TEST(Columns, HaveTheSpreadOfTheirValues) {
  const Columns columns = look_at_columns(rows({{1, 3, 1, 3}, {5, 5, 5, 5}, {0, 1000, 0, 1000}}));
  EXPECT_EQ(columns.groups, 2);
  EXPECT_EQ(columns.group, (std::vector<int>{0, -1, 1}));
  EXPECT_EQ(columns.scale[0], 1);
  EXPECT_EQ(columns.scale[2], 500);
  EXPECT_EQ(columns.never_moved, std::vector<Index>{1});
  EXPECT_EQ(columns.arm_columns, 0);
}

TEST(Columns, KeepARareOneWithinEightUnits) {
  Matrix states = Matrix::Zero(1, 1000);
  states(0, 17) = 4;
  EXPECT_EQ(look_at_columns(states).scale[0], 0.5);
}

TEST(Columns, AtTheEndThatAreOneHotSayWhichArm) {
  const Matrix states = rows({{0.1, 0.7, 0.3}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}});
  EXPECT_EQ(look_at_columns(states).arm_columns, 3);
  Matrix two = states;
  two(3, 2) = 1;  // two ones in a state
  EXPECT_EQ(look_at_columns(two).arm_columns, 0);
  two = states;
  two(2, 2) = 0.5;
  EXPECT_EQ(look_at_columns(two).arm_columns, 0);
  EXPECT_EQ(look_at_columns(rows({{1, 0}, {0.2, 0.4}, {1, 1}})).arm_columns, 0);  // one column is no arm
}

TEST(Columns, InTheSameUnitHaveACommonScale) {
  Matrix pixels(8, 4);
  for (Index j = 0; j < 8; ++j) pixels.row(j) << 0, (j < 5 ? 16 : 2), 8, 4;
  const auto common = look_at_columns(pixels).common_scale;
  ASSERT_TRUE(common);
  double total = 0;
  for (Index j = 0; j < 8; ++j) total += (pixels.row(j).array() - pixels.row(j).mean()).square().mean();
  EXPECT_NEAR(*common, std::sqrt(total / 8), 1e-14);
  EXPECT_FALSE(look_at_columns(pixels.topRows(7)).common_scale);  // too few to tell
  pixels.row(0) *= 100;
  EXPECT_FALSE(look_at_columns(pixels).common_scale);
}

TEST(Columns, OfOneFeatureShareTheirSpread) {
  const Matrix states = rows({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 0, 0}, {7, 8, 9, 9}});
  const Columns columns = look_at_columns(states, {{0, 0, 0, 0, 1}, 0});
  EXPECT_EQ(columns.group, (std::vector<int>{0, 0, 0, 0, 1}));  // a value never seen belongs to the others
  EXPECT_EQ(columns.groups, 2);
  EXPECT_EQ(columns.scale[0], columns.scale[3]);
  EXPECT_NEAR(columns.scale[0], std::sqrt(3.0 / 16 + 3.0 / 16 + 1.0 / 4), 1e-15);
  EXPECT_EQ(look_at_columns(states, {{0, 1, 2, 3, 4}, 2}).arm_columns, 2);
}

TEST(Columns, OfStatesAreTypicallySoFarApart) {
  const Matrix points = rows({{0, 1, 1, 5, 100}});
  EXPECT_EQ(typical_distance(points, Matrix(0, 5)), 1);  // 1, 1, 1, 4, 95
  const Matrix arms = rows({{0, 1, 1, 0, 1}});
  EXPECT_EQ(typical_distance(points, arms), 99);  // 5, 99, 99, 5, 99
  EXPECT_EQ(typical_distance(rows({{3, 3}}), Matrix(0, 2)), 0);
}

TEST(Rewards, OfTwoValuesAreSeenFromTheirMiddleOrTheirMeanIfTheBetterIsRare) {
  EXPECT_EQ(look_at_rewards(vector({0, 0, 0, 0, 1}), 5).centre, 0.2);
  EXPECT_EQ(look_at_rewards(vector({0, 0, 1}), 5).centre, 0.5);
  const Rewards rewards = look_at_rewards(vector({0, 10, 10, 10}), 5);
  EXPECT_TRUE(rewards.two_valued);
  EXPECT_EQ(rewards.centre, 5);
  EXPECT_FALSE(rewards.low || rewards.high);
  EXPECT_FALSE(look_at_rewards(vector({0, 10}), 5).two_valued);  // two of anything have at most two values
  EXPECT_FALSE(look_at_rewards(vector({0, 10, 3}), 5).two_valued);
}

TEST(Rewards, BeyondFiveSpreadsAreClipped) {
  Vector rewards = Vector::LinSpaced(101, -1, 1);
  rewards[100] = 1e6;
  const Rewards seen = look_at_rewards(rewards, 5);
  ASSERT_TRUE(seen.high);
  EXPECT_NEAR(*seen.high, 5 * 1 / 1.349, 0.05);  // the median is 0, the quartiles are 1 apart
  EXPECT_EQ(seen.clipped[100], *seen.high);
  EXPECT_EQ(seen.clipped[0], -1);
  EXPECT_FALSE(look_at_rewards(rewards, 0).high);
}

TEST(Rewards, AreNotClippedWhereMostAreEqual) {
  Vector rewards = Vector::Zero(100);
  rewards[3] = 50;
  rewards[60] = 70;
  const Rewards seen = look_at_rewards(rewards, 5);
  EXPECT_FALSE(seen.high);
  EXPECT_EQ(seen.clipped[60], 70);
  EXPECT_GT(seen.spread, 0);
}

TEST(Sample, IsAllOfFewAndAFunctionOfTheCountOfMany) {
  Stream random(5, Purpose::test, 1);
  const Matrix states = Matrix::NullaryExpr(2, 100, [&] { return random.uniform(); });
  const Vector rewards = Vector::NullaryExpr(100, [&] { return random.uniform(); });
  EXPECT_EQ(sample_observations(states.leftCols(30), rewards.head(30), 30, 7).size(), 30u);
  const auto sample = sample_observations(states, rewards, 30, 7);
  EXPECT_EQ(sample.size(), 30u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(sample, sample_observations(states, rewards, 30, 7));
  EXPECT_NE(sample, sample_observations(states, rewards, 30, 8));
  // Of those of 60 observations, the ones that are left at 100 are among them: hashes, not places.
  const auto at60 = sample_observations(states.leftCols(60), rewards.head(60), 30, 7);
  for (const Index i : sample) {
    if (i < 60) {
      EXPECT_NE(std::find(at60.begin(), at60.end(), i), at60.end());
    }
  }
}

TEST(Sample, SeesEachStateOnceWhereRepeatsNeverDiffer) {
  const Matrix states = rows({{1, 2, 1, 2, 1, 3}});
  EXPECT_EQ(sample_observations(states, vector({5, 6, 5, 6, 5, 7}), 100, 7), (std::vector<Index>{0, 1, 5}));
  EXPECT_EQ(sample_observations(states, vector({5, 6, 5, 6, 5.5, 7}), 100, 7).size(), 6u);
  EXPECT_EQ(distinct_states(states), 3);
  EXPECT_EQ(distinct_states(rows({{0.0, -0.0}})), 1);
}

}  // namespace
}  // namespace ridgerunner::looks_test
