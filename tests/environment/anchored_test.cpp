#include "ridgerunner/environment/anchored.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "ridgerunner/random/stream.h"

namespace ridgerunner::anchored_test {
namespace {

constexpr double kPaper[] = {0.08, 0.70, 0.82, 0.28, 0.63, 0, 0.05, 0.50, 0.81, 0.04};

EnvironmentSpec paper(EnvironmentType type) {
  EnvironmentSpec spec = default_environment(type);
  spec.draw = Draw::paper;
  return spec;
}

TEST(ActionAnchors, ThePaperHasTenWhateverTheSeed) {
  for (const std::uint64_t seed : {1, 2}) {
    const Vector anchors = action_anchors(Draw::paper, 10, seed);
    ASSERT_EQ(anchors.size(), 10);
    for (Index i = 0; i < 10; ++i) EXPECT_EQ(anchors[i], kPaper[i]);
  }
}

TEST(ActionAnchors, FreshOnesAreDistinctHundredths) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Vector anchors = action_anchors(Draw::fresh, 10, seed);
    std::sort(anchors.begin(), anchors.end());
    EXPECT_EQ(std::adjacent_find(anchors.begin(), anchors.end()), anchors.end());
    for (const double a : anchors) EXPECT_EQ(a, std::round(100 * a) / 100);
    EXPECT_GE(anchors[0], 0);
    EXPECT_LE(anchors[9], 0.99);
  }
}

TEST(ActionAnchors, AHundredAreAllOfThem) {
  Vector anchors = action_anchors(Draw::fresh, 100, 5);
  std::sort(anchors.begin(), anchors.end());
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(anchors[i], static_cast<double>(i) / 100);
}

TEST(ActionAnchors, EveryValueIsEquallyLikelyInEveryPlace) {
  // 2000 seeds: the mean of the first and of the last anchor, 0.495 with sd 0.2887 / sqrt(2000) = 0.00645.
  double first = 0, last = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Vector anchors = action_anchors(Draw::fresh, 10, seed);
    first += anchors[0] / 2000;
    last += anchors[9] / 2000;
  }
  EXPECT_NEAR(first, 0.495, 0.026);
  EXPECT_NEAR(last, 0.495, 0.026);
}

TEST(Anchored, StatesAreTheContextFollowedByTheAction) {
  Offer out;
  make_environment(paper(EnvironmentType::bump), 21)->offer(8, out);
  Stream stream(21, Purpose::context, 8);
  for (Index k = 0; k < 5; ++k) {
    const double entry = stream.uniform();
    for (Index i = 0; i < 10; ++i) EXPECT_EQ(out.states(k, i), entry);
  }
  for (Index i = 0; i < 10; ++i) EXPECT_EQ(out.states(5, i), kPaper[i]);
}

TEST(Anchored, FreshAnchorsStayFromRoundToRound) {
  const EnvironmentPtr environment = make_environment(default_environment(EnvironmentType::step_diagonal), 4);
  Offer one, two;
  environment->offer(1, one);
  environment->offer(2, two);
  EXPECT_EQ(one.states.row(1), two.states.row(1));
  EXPECT_NE(one.states(0, 0), two.states(0, 0));
}

TEST(Anchored, ContextsAreUniform) {
  const EnvironmentPtr environment = make_environment(paper(EnvironmentType::chessboard), 9);
  const int n = 4000;
  double sum = 0, squares = 0;
  Offer out;
  for (std::uint64_t round = 0; round < n; ++round) {
    environment->offer(round, out);
    sum += out.states(0, 0);
    squares += out.states(0, 0) * out.states(0, 0);
  }
  // Four standard errors; Var x = 1/12, Var x^2 = 4/45.
  EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
}

// Regret of the uniform policy on the authors' draw after T = 1000 rounds, averaged over its actions exactly
// and over 40 seeds of contexts. `round_sd` is the standard deviation over contexts of one round's regret.
struct Uniform {
  EnvironmentType type;
  double reported;     // by the authors' code over 3 seeds, with sampled actions
  double reported_sd;  // of that figure
  double exact;        // integrated over contexts (Bump: 10^6 contexts of another generator, +- 0.07)
  double round_sd;
};

class UniformPolicy : public testing::TestWithParam<Uniform> {};

TEST_P(UniformPolicy, HasTheKnownRegretOnTheAuthorsDraw) {
  const Uniform& known = GetParam();
  const int seeds = 40, rounds = 1000;
  double regret = 0;
  Offer out;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const EnvironmentPtr environment = make_environment(paper(known.type), seed);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      environment->offer(round, out);
      regret += (out.expected.maxCoeff() - out.expected.mean()) / seeds;
    }
  }
  const double sd = known.round_sd * std::sqrt(static_cast<double>(rounds) / seeds);
  EXPECT_NEAR(regret, known.exact, 4 * sd);
  EXPECT_NEAR(regret, known.reported, 4 * std::hypot(sd, known.reported_sd));
}

INSTANTIATE_TEST_SUITE_P(zenati2022, UniformPolicy,
                         testing::Values(Uniform{EnvironmentType::bump, 380, 5.3, 379.42, 0.070},
                                         Uniform{EnvironmentType::chessboard, 447, 7.0, 450, 0.154},
                                         Uniform{EnvironmentType::step_diagonal, 715, 7.3, 716.5, 0.117}),
                         [](const testing::TestParamInfo<Uniform>& suite) { return name(suite.param.type); });

}  // namespace
}  // namespace ridgerunner::anchored_test
