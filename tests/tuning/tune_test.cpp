#include "ridgerunner/tuning/tune.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner::tune_test {
namespace {

struct Data {
  Matrix states;
  Vector rewards;
};

TuneOptions options() {
  TuneOptions out;
  out.spec.type = TuneType::evidence;
  out.seed = 7;
  return out;
}

// A draw of a Gaussian process with noise.
Data drawn(Index d, Index n, const std::vector<double>& lengthscale, double noise_sd, std::uint64_t step) {
  Stream random(11, Purpose::test, step);
  Data out;
  out.states = Matrix::NullaryExpr(d, n, [&] { return random.uniform(); });
  Matrix covariance = gram(*gaussian(lengthscale), out.states, out.states);
  covariance.diagonal().array() += 1e-9;
  const Matrix factor = Eigen::LLT<Matrix>(covariance).matrixL();
  const Vector f = factor * Vector::NullaryExpr(n, [&] { return random.normal(); });
  out.rewards = f + noise_sd * Vector::NullaryExpr(n, [&] { return random.normal(); });
  return out;
}

TEST(Tune, FindsTheLengthscaleAndTheNoiseOfADraw) {
  for (std::uint64_t step = 0; step < 4; ++step) {
    Data data = drawn(2, 200, {0.25}, 0.3, step);
    data.states.row(1) *= 1000;  // its own unit
    data.rewards.array() = 40 * data.rewards.array() + 300;
    const Tuned tuned = tune(data.states, data.rewards, std::nullopt, options());
    EXPECT_LT(std::abs(std::log(tuned.lengthscale[0] / 0.25)), std::log(1.5)) << step;
    EXPECT_LT(std::abs(std::log(tuned.lengthscale[1] / 250)), std::log(1.5)) << step;
    EXPECT_LT(std::abs(std::log(tuned.noise_sd / 12)), std::log(1.4)) << step;
    EXPECT_NEAR(tuned.radius, tuned.noise_sd, 1e-12);  // one posterior standard deviation
    EXPECT_NEAR(tuned.offset, 300, 60);
    EXPECT_EQ(tuned.at, 200);
    EXPECT_EQ(tuned.next, 300);
  }
}

// Powers of 2 change no digits.
TEST(Tune, SeesTheSameInAnyUnit) {
  const Data data = drawn(3, 60, {0.3}, 0.2, 9);
  Data other = data;
  other.states.row(0) *= 1024;
  other.states.row(2) *= 1.0 / 64;
  other.rewards *= 4096;
  const Tuned one = tune(data.states, data.rewards, std::nullopt, options());
  const Tuned two = tune(other.states, other.rewards, std::nullopt, options());
  EXPECT_EQ(one.ridge, two.ridge);
  EXPECT_EQ(one.lengthscale[0] * 1024, two.lengthscale[0]);
  EXPECT_EQ(one.lengthscale[1], two.lengthscale[1]);
  EXPECT_EQ(one.lengthscale[2] / 64, two.lengthscale[2]);
  EXPECT_EQ(one.offset * 4096, two.offset);
  EXPECT_EQ(one.radius * 4096, two.radius);
  Data moved = data;
  moved.states.row(0).array() = 3.7 * data.states.row(0).array() + 1000;
  moved.rewards.array() = 0.13 * data.rewards.array() - 70;
  const Tuned third = tune(moved.states, moved.rewards, std::nullopt, options());
  EXPECT_NEAR(third.ridge / one.ridge, 1, 1e-5);
  EXPECT_NEAR(third.lengthscale[0] / one.lengthscale[0] / 3.7, 1, 1e-5);
  EXPECT_NEAR(third.offset, 0.13 * one.offset - 70, 1e-5);
}

TEST(Tune, KeepsWhatIsGiven) {
  const Data data = drawn(2, 50, {0.3}, 0.2, 10);
  TuneOptions given = options();
  given.kernel = gaussian(0.3);
  const Tuned by_kernel = tune(data.states, data.rewards, std::nullopt, given);
  EXPECT_TRUE(by_kernel.lengthscale.empty());
  EXPECT_LT(by_kernel.ridge, 0.3);
  given.ridge = 0.7;
  given.radius = 3;
  const Tuned all = tune(data.states, data.rewards, by_kernel, given);
  EXPECT_EQ(all.ridge, 0.7);
  EXPECT_EQ(all.radius, 3);
  TuneOptions ridge = options();
  ridge.ridge = 0.5;
  const Tuned by_ridge = tune(data.states, data.rewards, std::nullopt, ridge);
  EXPECT_EQ(by_ridge.ridge, 0.5);
  EXPECT_EQ(by_ridge.lengthscale.size(), 2u);
}

// What came since is predicted better with a length-scale for each column, if only one matters.
TEST(Tune, TakesALengthscaleForEachColumnOnceItPredictsBetter) {
  const Data data = drawn(6, 240, {0.25, 50, 50, 50, 50, 50}, 0.1, 12);
  std::optional<Tuned> tuned;
  for (const Index n : {40, 60, 90, 135, 203, 240})
    tuned = tune(data.states.leftCols(n), data.rewards.head(n), tuned, options());
  EXPECT_EQ(tuned->structure, Structure::each);
  EXPECT_GT(tuned->score_ard, 2);
  for (std::size_t j = 1; j < 6; ++j) EXPECT_GT(tuned->relevance[0], 3 * tuned->relevance[j]);
  EXPECT_GT(*tuned->held_out_r2, 0.5);
  EXPECT_GT(*tuned->coverage90, 0.75);
  EXPECT_EQ(tuned->retunes, 6);
  TuneOptions never = options();
  never.spec.ard = Ard::never;
  EXPECT_FALSE(tune(data.states, data.rewards, tuned, never).each);
}

// Two of 60 columns matter: a fit from equal length-scales would not find them.
TEST(Tune, FindsTheFewColumnsThatMatterAmongMany) {
  std::vector<double> lengthscale(60, 1e6);
  lengthscale[7] = lengthscale[41] = 0.4;
  const Data data = drawn(60, 160, lengthscale, 0.2, 14);
  std::optional<Tuned> tuned;
  for (const Index n : {47, 71, 107, 160})
    tuned = tune(data.states.leftCols(n), data.rewards.head(n), tuned, options());
  EXPECT_EQ(tuned->structure, Structure::each);
  std::vector<std::size_t> order(60);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return tuned->relevance[a] > tuned->relevance[b]; });
  EXPECT_EQ(std::min(order[0], order[1]), 7u);
  EXPECT_EQ(std::max(order[0], order[1]), 41u);
}

TEST(Tune, TakesHalfOfEverythingForTwoValues) {
  Data data = drawn(2, 120, {0.4}, 0.1, 13);
  for (double& reward : data.rewards) reward = reward > 0 ? 1 : 0;
  const Tuned tuned = tune(data.states, data.rewards, std::nullopt, options());
  EXPECT_TRUE(tuned.two_valued);
  EXPECT_EQ(tuned.offset, 0.5);
  EXPECT_EQ(tuned.radius, 0.5 * tuned.noise_sd);
  EXPECT_EQ(tuned.lengthscale[0], tuned.column->lengthscale[0] / 2);
  EXPECT_FALSE(tuned.each);
}

// The first dozen rewards say the opposite of all that follow.
TEST(Tune, ForgetsWhatLaterObservationsContradict) {
  Data data = drawn(2, 140, {0.3}, 0.2, 15);
  const Vector sound = data.rewards;
  data.rewards.head(12) *= -3;
  std::optional<Tuned> tuned, clean;
  for (const Index n : {12, 18, 27, 41, 62, 93, 140}) {
    const Index from = tuned ? tuned->forgotten : 0;
    tuned =
        tune(data.states.middleCols(from, n - from), data.rewards.segment(from, n - from), tuned, options());
    clean = tune(data.states.leftCols(n), sound.head(n), clean, options());
  }
  EXPECT_GE(tuned->forgotten, 12);
  EXPECT_EQ(tuned->at, 140);
  EXPECT_EQ(clean->forgotten, 0);
  ASSERT_FALSE(tuned->warnings.empty());
  EXPECT_NE(tuned->warnings[0].find("count no more"), std::string::npos);
}

TEST(Tune, TakesAnything) {
  Stream random(1, Purpose::test, 5);
  const auto numbers = [&](Index d, Index n) {
    return Matrix(Matrix::NullaryExpr(d, n, [&] { return random.normal(); }));
  };
  const auto takes = [&](const Matrix& states, const Vector& rewards) {
    const Tuned tuned = tune(states, rewards, std::nullopt, options());
    for (const double l : tuned.lengthscale) {
      EXPECT_TRUE(std::isfinite(l));
      EXPECT_GT(l, 0);
    }
    EXPECT_TRUE(std::isfinite(tuned.offset));
    EXPECT_TRUE(std::isfinite(tuned.radius));
    EXPECT_GT(tuned.ridge, 0);
    return tuned;
  };
  const Vector two = Vector::LinSpaced(2, 1, 2);
  takes(numbers(1, 2), two);                                                        // the first time
  EXPECT_EQ(takes(Matrix::Constant(3, 2, 4), two).ignored.size(), 3u);              // nothing moves
  EXPECT_EQ(takes(Matrix::Identity(5, 5), Vector::LinSpaced(5, 0, 1)).one_hot, 5);  // arms alone
  takes(numbers(200, 30), numbers(30, 1));                // more columns than observations
  takes(Matrix(1e200 * numbers(2, 10)), numbers(10, 1));  // squares overflow
  takes(Matrix(1e-200 * numbers(2, 10)), numbers(10, 1));
  takes(numbers(2, 10), 1e150 * numbers(10, 1));
  takes(numbers(2, 10), Vector(Vector::LinSpaced(10, 1, 1 + 1e-15)));
  Vector wild = numbers(40, 1);
  wild[3] = 1e300;
  takes(numbers(2, 40), wild);
}

TEST(Tune, WarnsInPlainWords) {
  Stream random(1, Purpose::test, 6);
  const Matrix states = Matrix::NullaryExpr(30, 40, [&] { return random.normal(); });
  Vector rewards = Vector::Zero(40);
  rewards[7] = 1;
  const auto warnings = tune(states, rewards, std::nullopt, options()).warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "40 observations of 30 columns: too few to tell which columns matter");
  EXPECT_EQ(warnings[1], "one of the two rewards came only 1 times in 40: hard to learn from");
}

}  // namespace
}  // namespace ridgerunner::tune_test
