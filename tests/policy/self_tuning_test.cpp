// A policy that tunes itself.
#include "ridgerunner/policy/self_tuning.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kernel/message_of.h"
#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/policy/policy_warnings.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/policy/statistics_json.h"

namespace ridgerunner::self_tuning_test {
namespace {

// Prices and ages in their units: rewards around 40.
Matrix candidates(std::uint64_t round, Index count = 12) {
  Stream random(3, Purpose::test, round);
  Matrix out(2, count);
  for (Index i = 0; i < count; ++i) {
    out(0, i) = random.uniform(18, 90);
    out(1, i) = random.uniform(0.001, 0.009);
  }
  return out;
}

double reward_of(const VectorIn& state, std::uint64_t round) {
  const double age = (state[0] - 54) / 36, dose = (state[1] - 0.005) / 0.004;
  return 40 + 5 * std::exp(-2 * age * age) - 4 * dose * dose + Stream(5, Purpose::test, round).normal();
}

struct Step {
  Decision decision;
  double reward;
};

Step step(Policy& policy, std::uint64_t round) {
  const Matrix states = candidates(round);
  const Decision decision = policy.decide(states);
  const double reward = reward_of(states.col(decision.index), round);
  policy.observe(decision, reward);
  return {decision, reward};
}

std::vector<Index> choices(Policy& policy, std::uint64_t first, std::uint64_t rounds) {
  std::vector<Index> out;
  for (std::uint64_t t = first; t < first + rounds; ++t) out.push_back(step(policy, t).decision.index);
  return out;
}

TEST(Auto, ChoosesAtRandomUntilTwoRewardsDiffer) {
  Policy policy("auto");
  for (int i = 0; i < 4; ++i) {
    const Decision decision = policy.decide(candidates(1));
    EXPECT_NEAR(decision.propensity, 1.0 / 12, 1e-15);
    EXPECT_EQ(decision.lower, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(decision.upper, std::numeric_limits<double>::infinity());
    if (i > 0) {
      EXPECT_EQ(decision.mean, 7);  // the only reward so far
    }
    policy.observe(decision, 7);
  }
  EXPECT_FALSE(policy.statistics().tuned);
  EXPECT_FALSE(policy.statistics().radius);
  policy.observe(policy.decide(candidates(2)), 8);
  ASSERT_TRUE(policy.statistics().tuned);
  EXPECT_EQ(policy.statistics().tuned->at, 5);
  EXPECT_TRUE(std::isfinite(policy.decide(candidates(3)).upper));
}

TEST(Auto, LearnsFromRawUnits) {
  Policy policy("auto");
  double earned = 0, best = 0, chance = 0;
  for (std::uint64_t t = 0; t < 150; ++t) {
    const Matrix states = candidates(t);
    Vector expected(states.cols());
    for (Index i = 0; i < states.cols(); ++i) expected[i] = reward_of(states.col(i), t);
    const Step made = step(policy, t);
    earned += made.reward;
    best += expected.maxCoeff();
    chance += expected.mean();
  }
  EXPECT_LT((best - earned) / (best - chance), 0.25);
  const auto tuned = policy.statistics().tuned;
  EXPECT_EQ(tuned->at, 140);
  EXPECT_EQ(tuned->next, 210);
  EXPECT_GT(*tuned->coverage90, 0.7);
}

// One choice in n is anyone's, and every propensity counts that in.
TEST(Auto, TakesAnyoneNowAndThenAndSaysSo) {
  Policy policy("auto");
  choices(policy, 0, 41);
  const Matrix states = candidates(77);
  Workspace workspace;
  int others = 0;
  constexpr int kDraws = 20000;
  const double each = 1.0 / 41 / 12;
  const Index best = [&] {
    std::vector<int> count(12);
    for (std::uint64_t i = 0; i < 50; ++i)
      ++count[static_cast<std::size_t>(policy.choose(states, Stream(1, Purpose::test, i), workspace).index)];
    return std::max_element(count.begin(), count.end()) - count.begin();
  }();
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const Decision decision = policy.choose(states, Stream(2, Purpose::test, i), workspace);
    EXPECT_NEAR(decision.propensity, decision.index == best ? 1 - 11 * each : each, 1e-12);
    if (decision.index != best) ++others;
  }
  EXPECT_NEAR(others, kDraws * 11 * each, 4 * std::sqrt(kDraws * 11 * each));
}

TEST(Auto, IsFrozenByItsTunedSpec) {
  Policy policy("auto");
  choices(policy, 0, 95);  // tuned at 93
  const Spec frozen = policy.tuned_spec();
  EXPECT_EQ(frozen.policy, "k-ucb");
  EXPECT_FALSE(frozen.tune.on());
  EXPECT_EQ(spec_from_json(spec_to_json(frozen)), frozen);
  Policy other(frozen);
  other.observe(policy.tuning()->states().view(), policy.tuning()->rewards().entries());
  const Matrix states = candidates(1000, 40);
  Workspace workspace;
  const Decision here = policy.choose(states, policy.randomness(), workspace);
  const Decision there = other.choose(states, policy.randomness(), workspace);
  EXPECT_EQ(here.index, there.index);
  EXPECT_NEAR(here.mean, there.mean, 1e-9);
  EXPECT_NEAR(here.upper, there.upper, 1e-9);
  EXPECT_GT(there.mean, 30);  // the offset is part of the spec
}

TEST(Auto, TakesABatchAsItsParts) {
  Matrix states(2, 100);
  Vector rewards(100);
  for (Index i = 0; i < 100; ++i) {
    states.col(i) = candidates(static_cast<std::uint64_t>(i)).col(0);
    rewards[i] = reward_of(states.col(i), static_cast<std::uint64_t>(i));
  }
  Policy one("auto"), two("auto"), three("auto");
  one.observe(states, rewards);
  for (Index i = 0; i < 100; ++i) two.observe(states.col(i), rewards[i]);
  three.observe(states.leftCols(37), rewards.head(37));
  three.observe(states.rightCols(63), rewards.tail(63));
  EXPECT_EQ(save_policy(one), save_policy(two));
  EXPECT_EQ(save_policy(one), save_policy(three));
}

TEST(Auto, GoesOnAfterALoadAsIfNeverStopped) {
  const Spec spec = preset("auto");
  Policy policy(spec);
  for (std::uint64_t t = 0; t < 45; ++t) {
    step(policy, t);
    // At every retune, one before and one after: 2, 3, 5, 8, 12, 18, 27, 41.
    const std::string bytes = save_policy(policy);
    Policy loaded = load_policy(bytes, spec);
    EXPECT_EQ(save_policy(loaded), bytes);
    Policy goes_on = policy;
    EXPECT_EQ(choices(loaded, t + 1, 5), choices(goes_on, t + 1, 5)) << t;
    EXPECT_EQ(save_policy(loaded), save_policy(goes_on)) << t;
  }
}

TEST(Auto, SeesTheSameInAnyUnit) {
  Policy one("auto"), two("auto");
  for (std::uint64_t t = 0; t < 60; ++t) {
    const Matrix states = candidates(t);
    Matrix other = states;
    other.row(0) *= 4096;
    other.row(1) *= 0.125;
    const Decision here = one.decide(states), there = two.decide(other);
    ASSERT_EQ(here.index, there.index) << t;
    ASSERT_EQ(here.propensity, there.propensity);
    if (t > 2) {
      ASSERT_EQ(here.mean * 16, there.mean);
    }
    const double reward = reward_of(states.col(here.index), t);
    one.observe(here, reward);
    two.observe(there, 16 * reward);
  }
}

TEST(Auto, ChoosesTheSameInUnitsThatRound) {
  Policy one("auto"), two("auto");
  for (std::uint64_t t = 0; t < 60; ++t) {
    const Matrix states = candidates(t);
    Matrix other = states;
    other.row(0).array() = 1.8 * states.row(0).array() + 32;
    other.row(1) *= 1000;
    const Decision here = one.decide(states), there = two.decide(other);
    ASSERT_EQ(here.index, there.index) << t;
    const double reward = reward_of(states.col(here.index), t);
    one.observe(here, reward);
    two.observe(there, 0.9 * reward - 17);
  }
}

TEST(Auto, PermutesItsChoicesWithTheColumns) {
  Policy one("auto"), two("auto");
  for (std::uint64_t t = 0; t < 60; ++t) {
    const Matrix states = candidates(t);
    const Decision here = one.decide(states), there = two.decide(states.colwise().reverse());
    ASSERT_EQ(here.index, there.index) << t;
    const double reward = reward_of(states.col(here.index), t);
    one.observe(here, reward);
    two.observe(there, reward);
  }
}

TEST(Auto, KeepsAGivenKernelRidgeAndRadius) {
  const auto spec_of = [](const char* text) { return spec_from_json(Json::parse(text)); };
  const Spec kernel =
      spec_of(R"({"policy": "auto", "kernel": {"type": "matern52", "lengthscale": [20, 0.003]}})");
  EXPECT_FALSE(kernel.tune.kernel);
  EXPECT_TRUE(kernel.tune.ridge);
  EXPECT_EQ(spec_from_json(spec_to_json(kernel)), kernel);
  Policy policy(kernel);
  choices(policy, 0, 30);
  EXPECT_EQ(policy.tuned_spec().kernel, kernel.kernel);
  EXPECT_NE(policy.tuned_spec().regression.ridge, kernel.regression.ridge);
  const Spec two = spec_of(R"({"policy": "auto", "regression": {"ridge": 0.5}, "bound": {"radius": 2}})");
  Policy other(two);
  choices(other, 0, 30);
  EXPECT_EQ(other.tuned_spec().regression.ridge, 0.5);
  EXPECT_EQ(other.tuned_spec().bound.number("radius"), 2);
  EXPECT_EQ(other.tuned_spec().kernel.lengthscale.size(), 2u);
  EXPECT_EQ(spec_from_json(spec_to_json(preset("auto"))), preset("auto"));
}

TEST(Auto, RefusesPartsThatCannotBeTuned) {
  const auto refusal = [](const char* text) {
    return message_of<InvalidArgument>([&] { spec_from_json(Json::parse(text)); });
  };
  EXPECT_EQ(refusal(R"({"policy": "auto", "bound": {"type": "amm"}})"),
            "tune.type evidence needs bound.type fixed, got amm: it tunes a radius");
  EXPECT_EQ(refusal(R"({"policy": "auto", "rule": {"type": "supkernelucb"}})"),
            "tune.type evidence does not go with rule.type supkernelucb");
  EXPECT_EQ(refusal(R"({"policy": "auto", "regression": {"type": "bkb"}})"),
            "tune.type evidence needs regression.type exact, kors or residual_budget, got bkb");
  EXPECT_EQ(refusal(R"({"policy": "auto", "tune": {"growth": 1}})"), "growth must be >= 1.05, got 1");
  EXPECT_EQ(refusal(R"({"policy": "k-ucb", "regression": {"reward_low": 2, "reward_high": 1}})"),
            "reward_high must be at least reward_low = 2, got 1");
}

TEST(Auto, StaysAsItWasWhenItIsToldNonsense) {
  Policy policy("auto");
  choices(policy, 0, 11);  // the next one is a retune
  const std::string before = save_policy(policy);
  EXPECT_THROW(policy.observe(Vector::Constant(2, std::nan("")), 1.0), InvalidArgument);
  EXPECT_THROW(policy.observe(Vector::Constant(3, 1), 1.0), InvalidArgument);
  EXPECT_THROW(policy.observe(Vector::Constant(2, 1), std::nan("")), InvalidArgument);
  Matrix states = candidates(5);
  Vector rewards = Vector::LinSpaced(states.cols(), 0, 1);
  rewards[7] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(policy.observe(states, rewards), InvalidArgument);
  EXPECT_EQ(save_policy(policy), before);
}

TEST(Auto, DropsItsObservationsAfterTheLastTime) {
  Spec spec = preset("auto");
  spec.tune.until = 20;
  Policy policy(spec);
  choices(policy, 0, 25);
  EXPECT_EQ(policy.statistics().tuned->at, 18);
  EXPECT_EQ(policy.statistics().tuned->next, 0);
  EXPECT_EQ(policy.tuning()->states().size(), 0);
  EXPECT_EQ(policy.statistics().evidence.rounds, 25);
  Policy loaded = load_policy(save_policy(policy), spec);
  EXPECT_EQ(choices(loaded, 25, 10), choices(policy, 25, 10));
}

TEST(Auto, DecidesAmongArmsAndPairsOfContextAndArm) {
  Spec spec = preset("auto");
  spec.arms = Matrix::Identity(4, 4);
  Policy arms(spec);
  std::vector<int> count(4);
  for (int t = 0; t < 300; ++t) {
    const Decision decision = arms.decide();
    ++count[static_cast<std::size_t>(decision.index)];
    arms.observe(decision, static_cast<double>(decision.index) + Stream(9, Purpose::test, t).normal());
  }
  EXPECT_GT(count[3], 180);
  EXPECT_EQ(arms.statistics().tuned->one_hot, 4);
}

TEST(Auto, SharesItsObservationsWithItsCopies) {
  Policy policy("auto");
  choices(policy, 0, 30);
  const Policy copy = policy;
  EXPECT_EQ(copy.tuning()->states().col(0).data(), policy.tuning()->states().col(0).data());
  const std::string before = save_policy(copy);
  choices(policy, 30, 30);
  EXPECT_EQ(save_policy(copy), before);
}

TEST(Auto, TellsWhatItTuned) {
  Policy policy("auto");
  choices(policy, 0, 50);
  const Json stats = statistics_to_json(policy.statistics(), {});
  const Json& tune = stats["tune"];
  EXPECT_EQ(tune["tuned_at"], 41);
  EXPECT_EQ(tune["next_at"], 62);
  EXPECT_EQ(tune["lengthscale"].size(), 2u);
  EXPECT_TRUE(tune["warnings"].empty());
  EXPECT_FALSE(statistics_to_json(Policy("k-ucb").statistics(), {}).contains("tune"));
}

TEST(Warnings, TellOfALengthscaleFarFromTheData) {
  const auto warnings = [](double lengthscale) {
    Spec spec = preset("k-ucb");
    spec.kernel.lengthscale = {lengthscale};
    Policy policy(spec);
    for (int i = 0; i < 20; ++i) policy.observe(Vector::Constant(1, 18 + 3 * i), i % 3);
    return warnings_about(policy);
  };
  ASSERT_EQ(warnings(0.5).size(), 1u);
  EXPECT_EQ(warnings(0.5)[0],
            "the length-scale 0.5 is far below the 18 that states are apart: every state is a stranger, and "
            "nothing is learnt from one for another (policy auto tunes it)");
  ASSERT_EQ(warnings(1e4).size(), 1u);
  EXPECT_EQ(warnings(1e4)[0].substr(0, 64),
            "the length-scale 1e+04 is far above the 18 that states are apart");
  EXPECT_TRUE(warnings(20).empty());
}

// Ties: without data that tell, anyone may be chosen, and the propensity says so.
TEST(Ties, AreBrokenAtRandomWhereTheSpecSaysSo) {
  Spec spec = preset("k-ucb");
  spec.rule.ties = Ties::random;
  EXPECT_EQ(spec_from_json(spec_to_json(spec)), spec);
  for (const char* type : {"ucb", "greedy"}) {
    spec.rule.type.choose(type);
    Policy policy(spec);
    policy.observe(Vector::Constant(1, 0.0), -1);
    Matrix states(1, 5);
    states << 0, 100, 200, 300, 400;  // all but the first are strangers
    std::vector<int> count(5);
    for (int i = 0; i < 400; ++i) {
      const Decision decision = policy.decide(states);
      EXPECT_EQ(decision.propensity, 0.25);
      ++count[static_cast<std::size_t>(decision.index)];
    }
    EXPECT_EQ(count[0], 0);
    for (int i = 1; i < 5; ++i) EXPECT_NEAR(count[static_cast<std::size_t>(i)], 100, 40);
  }
}

TEST(Offset, IsTakenFromRewardsAndAddedToMeans) {
  Spec plain = preset("k-ucb"), moved = plain;
  moved.regression.offset = 40;
  moved.regression.reward_high = 45;
  Policy one(plain), two(moved);
  const Vector state = Vector::Constant(1, 0.3);
  one.observe(state, 1.5);
  two.observe(state, 41.5);
  one.observe(state, 5);
  two.observe(state, 1000);  // counts as 45
  const Matrix states = Matrix::Constant(1, 1, 0.4);
  EXPECT_EQ(one.predict(states).mean[0] + 40, two.predict(states).mean[0]);
  EXPECT_EQ(one.predict(states).upper[0] + 40, two.predict(states).upper[0]);
  EXPECT_EQ(one.decide(states).lower + 40, two.decide(states).lower);
}

}  // namespace
}  // namespace ridgerunner::self_tuning_test
