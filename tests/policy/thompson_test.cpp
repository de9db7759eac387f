#include "ridgerunner/policy/thompson.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "kernel/message_of.h"
#include "oracles/problems.h"
#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/bounds/fixed.h"
#include "ridgerunner/bounds/flynn2024_mixtures.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/selection/correlated_draws.h"

namespace ridgerunner::thompson_test {
namespace {

using oracle::normals;
using oracle::uniform_points;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Matrix points(std::uint64_t step, Index count, Index dimension = 2) {
  Stream random(1, Purpose::test, step);
  return uniform_points(random, dimension, count);
}

ExactRegression experienced(double ridge = 0.1) {
  ExactRegression exact(gaussian(0.3), ridge);
  Stream random(2, Purpose::test);
  exact.observe(points(0, 12), normals(random, 12));
  return exact;
}

Decision pick(const Regression& regression, const Matrix& states, double radius, std::uint64_t step = 0) {
  Workspace workspace;
  const BoundPtr bound = fixed_bound(radius);
  return thompson_rule()
      ->pick({{states}, regression, *bound, regression.evidence()}, Stream(7, Purpose::choice, step),
             workspace)
      .decision;
}

double reward_of(const VectorIn& state) {
  return std::sin(5 * state.sum());
}

Policy with_past(Spec spec, int rounds = 15) {
  Policy policy(std::move(spec));
  for (int round = 0; round < rounds; ++round) {
    const Matrix candidates = policy.spec().arms ? *policy.spec().arms : points(100 + round, 8);
    const Decision decision = policy.spec().arms ? policy.decide() : policy.decide(candidates);
    policy.observe(candidates.col(decision.index), reward_of(candidates.col(decision.index)));
  }
  return policy;
}

// The difference of two draws is normal.
TEST(Thompson, ChoosesOneOfTwoWithTheNormalProbability) {
  constexpr int kDecisions = 4000;
  const ExactRegression exact = experienced();
  const Matrix two = points(3, 2);
  const JointPrediction joint = [&] {
    Workspace workspace;
    return exact.predict_jointly(two, workspace);
  }();
  Matrix s(2, 2);
  joint.covariance(0, 0, s);
  const double gap = joint.at.mean[0] - joint.at.mean[1];
  const double sd = std::sqrt(s(0, 0) + s(1, 1) - 2 * s(0, 1));
  const double radius = std::abs(gap) / sd;  // one standard deviation
  const double p = 0.5 * std::erfc(-gap / (radius * sd) / std::sqrt(2.0));
  int first = 0;
  double share = 0;
  for (int i = 0; i < kDecisions; ++i) {
    const Decision picked = pick(exact, two, radius, static_cast<std::uint64_t>(i));
    first += picked.index == 0;
    share += picked.index == 0 ? picked.propensity : 1 - picked.propensity;
  }
  EXPECT_NEAR(first, p * kDecisions, 5 * std::sqrt(kDecisions * p * (1 - p)));
  const double draws = static_cast<double>(kDecisions) * kThompsonSamples;
  EXPECT_NEAR(share / kDecisions, p, 5 * std::sqrt(p * (1 - p) / draws));
}

// Forty that are one but for rounding, and one by itself: half the time it wins, with independent draws it
// would once in 41.
TEST(Thompson, DrawsOfNeighboursGoTogether) {
  const ExactRegression none(gaussian(0.3), 1);
  Matrix states(1, 41);
  for (Index i = 0; i < 40; ++i) states(0, i) = 1e-4 * static_cast<double>(i);
  states(0, 40) = 9;
  int far = 0;
  for (int i = 0; i < 600; ++i) far += pick(none, states, 1, static_cast<std::uint64_t>(i)).index == 40;
  EXPECT_NEAR(far, 300, 5 * std::sqrt(150.0));
}

TEST(Thompson, PropensitiesAreSharesOfTheTableAndAgreeWithFrequencies) {
  constexpr int kDecisions = 3000;
  constexpr Index n = 6;
  const ExactRegression exact = experienced();
  const Matrix states = points(5, n);
  Vector chosen = Vector::Zero(n), weighted = Vector::Zero(n);
  double propensities = 0, squares = 0;
  for (int i = 0; i < kDecisions; ++i) {
    const Decision picked = pick(exact, states, 0.5, static_cast<std::uint64_t>(i));
    const double votes = picked.propensity * kThompsonSamples;
    ASSERT_EQ(votes, std::round(votes));
    ASSERT_GE(votes, 1);
    ASSERT_LE(picked.propensity, 1);
    chosen[picked.index] += 1;
    weighted[picked.index] += 1 / picked.propensity;
    propensities += picked.propensity;
  }
  EXPECT_GT(chosen.minCoeff(), 10);  // the table holds everybody nearly always
  for (Index i = 0; i < n; ++i) {
    const double p = chosen[i] / kDecisions;
    squares += p * p;
    if (p < 0.05) continue;
    // 1/propensity at the choice is 1 on average; its variance is at most about 1/p.
    EXPECT_NEAR(weighted[i] / kDecisions, 1, 5 * std::sqrt(2 / p / kDecisions)) << i;
  }
  // On average a choice's propensity is Σ p^2 (and the choice's own draw).
  EXPECT_NEAR(propensities / kDecisions, squares + (1 - squares) / kThompsonSamples,
              5 * 0.25 / std::sqrt(kDecisions));
}

// The table made here from the same stream is the rule's.
TEST(Thompson, SharesOfATableSumToOne) {
  const ExactRegression exact = experienced();
  const Matrix states = points(5, 6);
  Workspace workspace;
  const JointPrediction joint = exact.predict_jointly(states, workspace);
  Stream random(7, Purpose::choice, 3);
  Matrix sample(6, kThompsonSamples);
  CorrelatedDraws(joint).draw(random, sample);
  std::map<Index, double> shares;
  std::vector<Index> table;
  for (Index j = 0; j < kThompsonSamples; ++j) {
    Index best = 0;
    (joint.at.mean + 0.5 * sample.col(j)).maxCoeff(&best);
    shares[best] += 1.0 / kThompsonSamples;
    table.push_back(best);
  }
  double sum = 0;
  for (const auto& [index, share] : shares) sum += share;
  EXPECT_DOUBLE_EQ(sum, 1);
  const Decision picked = pick(exact, states, 0.5, 3);
  EXPECT_EQ(picked.index, table[static_cast<std::size_t>(random.index(kThompsonSamples))]);
  EXPECT_DOUBLE_EQ(picked.propensity, shares[picked.index]);
}

TEST(Thompson, RadiusZeroIsGreedy) {
  const ExactRegression exact = experienced();
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Matrix states = points(50 + step, 30);
    const Decision picked = pick(exact, states, 0, step);
    const BestUpper expected = best_of(predict(exact, states), 0);
    EXPECT_EQ(picked.index, expected.index);
    EXPECT_EQ(picked.mean, expected.mean);
    EXPECT_EQ(picked.sd, expected.sd);
    EXPECT_EQ(picked.propensity, 1);
  }
}

TEST(Thompson, ASmallRadiusIsNearlyGreedyAndDropsWhoCannotWin) {
  const ExactRegression exact = experienced();
  const Matrix states = points(6, 500);
  const Prediction at = predict(exact, states);
  const std::vector<Index> few = thompson_contenders(states, at, 0.02);
  EXPECT_GT(few.size(), 1u);
  EXPECT_LT(few.size(), 100u);
  EXPECT_TRUE(std::is_sorted(few.begin(), few.end()));
  const Index greedy = best_of(at, 0).index;
  EXPECT_TRUE(std::binary_search(few.begin(), few.end(), greedy));
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Index chosen = pick(exact, states, 0.02, step).index;
    EXPECT_TRUE(std::binary_search(few.begin(), few.end(), chosen));
  }
  EXPECT_EQ(thompson_contenders(states, at, 1e-9), std::vector<Index>{greedy});
  EXPECT_EQ(pick(exact, states, 1e-9).propensity, 1);
  EXPECT_EQ(thompson_contenders(states, at, 1e3).size(), 500u);
}

// By hand: widths are 8.5 * 2 * sd, so the leader reaches down to 10 - 1.7 = 8.3.
TEST(Thompson, ContendersByHand) {
  Matrix states(1, 5);
  states << 0, 1, 2, 1, 0;
  Prediction at;
  at.mean.resize(5);
  at.mean << 6.5, 10, 6.7, 10, 6.5;
  at.sd = Vector::Constant(5, 0.1);
  EXPECT_EQ(thompson_contenders(states, at, 2), (std::vector<Index>{1, 2}));
  at.mean[2] = 6.59;
  EXPECT_EQ(thompson_contenders(states, at, 2), std::vector<Index>{1});
}

TEST(Thompson, OfEqualCandidatesTheFirstIsChosen) {
  const ExactRegression exact = experienced();
  Matrix states = points(8, 9);
  for (Index i = 3; i < 9; ++i) states.col(i) = states.col(i % 3);
  for (std::uint64_t step = 0; step < 50; ++step) EXPECT_LT(pick(exact, states, 1, step).index, 3);
  const Matrix same = states.col(0).replicate(1, 5);
  EXPECT_EQ(pick(exact, same, 1).index, 0);
  EXPECT_EQ(pick(exact, same, 1).propensity, 1);
}

TEST(Thompson, OneCandidateIsChosenForSure) {
  const ExactRegression exact = experienced();
  const Matrix one = points(9, 1);
  const Decision picked = pick(exact, one, 3);
  EXPECT_EQ(picked.index, 0);
  EXPECT_EQ(picked.propensity, 1);
  EXPECT_EQ(picked.mean, predict(exact, one).mean[0]);
  EXPECT_EQ(picked.sd, predict(exact, one).sd[0]);
}

TEST(Thompson, ThousandsOfCandidatesAreNoTrouble) {
  const ExactRegression exact = experienced(0.01);
  const Matrix states = points(10, 3000);
  const Decision picked = pick(exact, states, 1);
  EXPECT_GE(picked.index, 0);
  EXPECT_LT(picked.index, 3000);
  EXPECT_GT(picked.propensity, 0);
  EXPECT_LE(picked.propensity, 1);
}

TEST(Thompson, BadInputIsRefused) {
  const ExactRegression exact = experienced();
  const Matrix states = points(11, 4);
  Matrix nan = states;
  nan(1, 2) = kNaN;
  EXPECT_THROW(pick(exact, nan, 1), InvalidArgument);
  EXPECT_THROW(pick(exact, Matrix(2, 0), 1), InvalidArgument);
  EXPECT_THROW(pick(exact, points(11, 4, 3), 1), InvalidArgument);
  EXPECT_THROW(pick(exact, states, 1e308), NumericalError);
  Workspace workspace;
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              thompson_rule()->pick({{states}, exact, *cmm_bound({}), exact.evidence()},
                                    Stream(7, Purpose::choice), workspace);
            }),
            "thompson needs a bound that is one radius");
}

TEST(Thompson, ThePolicyRefusesABoundThatIsNotOneRadius) {
  for (const char* type : {"dmm", "cmm"}) {
    Spec spec = preset("kernel-ts");
    spec.bound.choose(type);
    EXPECT_THROW(Policy{spec}, InvalidArgument);
  }
}

TEST(Thompson, ADecisionShowsTheBoundOfItsCandidate) {
  Policy policy = with_past(preset("kernel-ts"));
  const Matrix states = points(12, 40);
  const Forecast forecast = policy.predict(states);
  const Decision decision = policy.decide(states);
  EXPECT_EQ(decision.mean, forecast.mean[decision.index]);
  EXPECT_EQ(decision.sd, forecast.sd[decision.index]);
  EXPECT_EQ(decision.lower, forecast.lower[decision.index]);
  EXPECT_EQ(decision.upper, forecast.upper[decision.index]);
  EXPECT_GT(decision.propensity, 0);
  EXPECT_LE(decision.propensity, 1);
}

// (0.1/10)^2 by default, and with other bounds (0.5/2)^2.
TEST(Thompson, ThePresetIsExactWithTheSelfNormalizedBoundAndItsRidge) {
  const Spec spec = preset("kernel-ts");
  EXPECT_TRUE(spec.rule.type.is<rules::Thompson>());
  EXPECT_TRUE(spec.regression.dictionary.is<dictionaries::Exact>());
  EXPECT_TRUE(spec.bound.is<bounds::SelfNormalized>());
  EXPECT_DOUBLE_EQ(spec.regression.ridge, 1e-4);
  BoundSpec bound;
  bound.set("noise_bound", 0.5);
  bound.set("norm_bound", 2);
  EXPECT_DOUBLE_EQ(preset("kernel-ts", bound).regression.ridge, 1.0 / 16);
}

TEST(Thompson, TheFirstChoiceIsUniform) {
  const Decision decision = Policy("kernel-ts").decide(points(12, 4));
  EXPECT_EQ(decision.propensity, 0.25);
}

// The same seed, the same choices: in another policy, a copy, one that was saved and loaded, and whatever the
// workspace was used for.
TEST(Thompson, ChoicesAreAFunctionOfSeedAndPast) {
  for (const char* engine : {"exact", "kors", "bkb", "bbkb", "residual_budget"}) {
    for (const bool arms : {false, true}) {
      SCOPED_TRACE(std::string(engine) + (arms ? " with arms" : ""));
      Spec spec = preset("kernel-ts");
      const std::string name = engine;
      spec.regression.dictionary.choose(name);
      if (arms) spec.arms = points(20, 15);
      Policy policy = with_past(spec), same = with_past(spec), copy = policy;
      Policy loaded = load_policy(save_policy(policy), spec);
      Workspace used;
      copy.predict(points(21, 300));
      if (!arms) policy.choose(points(22, 700), policy.randomness(), used);
      for (std::uint64_t round = 0; round < 8; ++round) {
        const Matrix states = arms ? *spec.arms : points(200 + round, 70);
        const Decision decision = arms ? policy.choose_arm(policy.randomness(), used)
                                       : policy.choose(states, policy.randomness(), used);
        for (Policy* other : {&policy, &same, &copy, &loaded}) {
          Decision decided = arms ? other->decide() : other->decide(states);
          decided.number = 0;
          EXPECT_EQ(decided, decision);
          other->observe(states.col(decision.index), reward_of(states.col(decision.index)));
        }
        EXPECT_GT(decision.propensity, 0);
        EXPECT_LE(decision.propensity, 1);
      }
    }
  }
}

TEST(Thompson, AnotherSeedChoosesOtherwise) {
  Spec spec = preset("kernel-ts");
  const Policy policy = with_past(spec);
  const Matrix states = points(12, 40);
  Workspace workspace;
  std::map<Index, int> chosen;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    ++chosen[policy.choose(states, Stream(seed, Purpose::choice, 15), workspace).index];
  EXPECT_GT(chosen.size(), 1u);
}

// Far below uniform, which loses (max - average) a round.
TEST(Thompson, LearnsTheBestOfAFewArms) {
  constexpr int kRounds = 250;
  Spec spec = preset("kernel-ts");
  spec.bound.set("norm_bound", 2);
  spec.regression.ridge = 0.1 * 0.1 / 4;
  spec.arms = Matrix(Vector::LinSpaced(25, 0, 1).transpose());
  Vector mean(25);
  for (Index i = 0; i < 25; ++i) mean[i] = std::sin(6 * (*spec.arms)(0, i));
  const double uniform = kRounds * (mean.maxCoeff() - mean.mean());
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    spec.seed = seed;
    Policy policy(spec);
    Stream noise(seed, Purpose::noise);
    double regret = 0;
    for (int round = 0; round < kRounds; ++round) {
      const Index chosen = policy.decide().index;
      regret += mean.maxCoeff() - mean[chosen];
      policy.observe(spec.arms->col(chosen), mean[chosen] + 0.1 * noise.normal());
    }
    EXPECT_LT(regret, 0.15 * uniform);
  }
}

}  // namespace
}  // namespace ridgerunner::thompson_test
