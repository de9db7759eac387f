#include "ridgerunner/policy/noise.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "oracles/noise.h"
#include "oracles/problems.h"
#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/regression/arm_features.h"
#include "ridgerunner/regression/capabilities.h"

namespace ridgerunner::noise_test {
namespace {

using oracle::DenseNoise;

// A smooth kernel and loose initial bounds, so that everything moves within a hundred rounds.
Spec adaptive() {
  BoundSpec bound;
  bound.set("delta", 0.9);
  bound.set("norm_bound", 1);
  bound.set("noise_lower", 1);
  bound.set("noise_upper", 40);
  Spec spec = preset("adaptive-ucb", bound);
  spec.kernel.lengthscale = {2.0};
  return spec;
}

// States on a line and rewards with a noise of 3. Half of the states come back; or all, and they are two that
// no kernel takes for each other.
struct Data {
  static constexpr Index kRounds = 150;
  Matrix states{1, kRounds}, arms{1, 30};
  Vector rewards{kRounds};

  explicit Data(double noise = 3, bool two = false) {
    Stream random(11, Purpose::test);
    arms = oracle::uniform_points(random, 1, 30);
    if (two) arms.leftCols(2) << 0, 300;
    for (Index i = 0; i < kRounds; ++i) {
      states(0, i) = two          ? arms(0, random.index(2))
                     : i % 2 == 0 ? arms(0, random.index(30))
                                  : random.uniform();
      rewards[i] = std::sin(2 * states(0, i)) + noise * random.normal();
    }
  }
};

struct Engine {
  const char* name;
  std::string type;
  bool arms = false, arrival_features = false;
};

Spec spec_of(const Engine& engine, const Data& data) {
  Spec spec = adaptive();
  spec.regression.dictionary.choose(engine.type);
  spec.regression.arrival_features = engine.arrival_features;
  if (engine.type == "residual_budget") spec.regression.dictionary.set("tolerance", 1e-9);  // every state
  if (engine.type == "kors") spec.regression.dictionary.set("oversampling", 1e12);
  if (engine.arms) spec.arms = data.arms;
  return spec;
}

std::vector<Engine> engines() {
  return {{"exact", "exact"},
          {"arms", "exact", true},
          {"every state an anchor", "residual_budget"},
          {"every state an anchor, and arms", "residual_budget", true},
          {"kors", "kors"}};
}

double error(double got, long double expected) {
  return static_cast<double>(std::abs(got - expected) / std::max(std::abs(expected), 1e-3L));
}

// Of the projected engines every state is an anchor; of states that are far apart rounding leaves no
// residual, of which the square root would count.
TEST(Noise, EveryRoundAgreesWithTheDenseRecursion) {
  const Matrix grid = Matrix(Vector::LinSpaced(7, -0.2, 1.2).transpose());
  for (const Engine& engine : engines()) {
    SCOPED_TRACE(engine.name);
    const Data data(3, engine.type != "exact");
    const Spec spec = spec_of(engine, data);
    Policy policy(spec);
    const KernelPtr kernel = make_kernel(spec.kernel);
    const BoundSpec& bound = spec.bound;
    DenseNoise dense(*kernel, {bound.number("delta"), bound.number("norm_bound"), bound.number("noise_lower"),
                               bound.number("noise_upper")});
    EXPECT_LE(error(*policy.statistics().radius, dense.radius()), 1e-12);
    double worst = 0;
    for (Index t = 1; t <= data.states.cols(); ++t) {
      policy.observe(data.states.col(t - 1), data.rewards[t - 1]);
      dense.observe(data.states.leftCols(t), data.rewards.head(t));
      const Statistics at = policy.statistics();
      for (const double off : {error(at.noise->lower, dense.lower()), error(at.noise->upper, dense.upper()),
                               error(at.evidence.ridge, dense.ridge()), error(*at.radius, dense.radius())}) {
        worst = std::max(worst, off);
      }
      if (t % 10 != 1) continue;
      const Forecast there = policy.predict(grid);
      const oracle::DenseRegression model = dense.model();
      const oracle::LongVector mean = model.mean(grid), sd = model.sd(grid);
      for (Index i = 0; i < grid.cols(); ++i) {
        worst = std::max({worst, error(there.mean[i], mean[i]), error(there.sd[i], sd[i])});
        EXPECT_LE(error(there.upper[i], mean[i] + dense.radius() * sd[i]), 1e-7);
      }
    }
    EXPECT_LE(worst, 1e-8);
    const Statistics end = policy.statistics();
    EXPECT_GT(end.noise->lower, 1.2 * bound.number("noise_lower"));  // both have moved
    EXPECT_LT(end.noise->upper, 0.8 * bound.number("noise_upper"));
    EXPECT_FALSE(end.noise->crossed);
    EXPECT_LE(end.noise->lower, 3);
    EXPECT_GE(end.noise->upper, 3);
  }
}

TEST(Noise, TheFirstTwoRoundsByHand) {
  // d' = 1/e^2, C = 2, σ_+ = 2, so λ = 1; one state, k = 1, rewards 1 and -1.
  Spec spec = adaptive();
  spec.bound.set("delta", 4 * std::exp(-2.0));
  spec.bound.set("norm_bound", 2);
  spec.bound.set("noise_lower", 0.5);
  spec.bound.set("noise_upper", 2);
  Policy policy(spec);
  EXPECT_EQ(policy.statistics().evidence.ridge, 1);
  EXPECT_NEAR(*policy.statistics().radius, 2 + 2 * 2, 1e-13);
  const Vector state = Vector::Zero(1);
  policy.observe(state, 1);
  // From the second round on: nothing has moved but ln det at l_- = 1/16, ln(1 + 16).
  EXPECT_EQ(policy.noise()->upper, 2);
  EXPECT_EQ(policy.noise()->lower, 0.5);
  EXPECT_NEAR(*policy.statistics().radius, 2 + 2 * std::sqrt(4 + std::log(17.0)), 1e-13);
  policy.observe(state, -1);
  // Means are 0, ŝ^2 = 1; bias λ C^2/(2t) = 1: the lower bounds are 0 or less.
  EXPECT_EQ(policy.noise()->lower, 0.5);
  EXPECT_NEAR(policy.noise()->log_determinant, std::log(33.0), 1e-13);
  EXPECT_EQ(policy.noise()->upper, 2);
  EXPECT_NEAR(capability<MovesRidge>(policy.regression())->squared_error(), 2, 1e-13);
}

TEST(Noise, BoundsNeverWiden) {
  const Data data;
  for (const Engine& engine :
       {Engine{"arms", "exact", true}, Engine{"on arrival", "residual_budget", false, true}}) {
    Policy policy(spec_of(engine, data));
    NoiseBounds before = *policy.noise();
    for (Index t = 0; t < data.states.cols(); ++t) {
      policy.observe(data.states.col(t), data.rewards[t]);
      const NoiseBounds& now = *policy.noise();
      EXPECT_GE(now.lower, before.lower);
      EXPECT_LE(now.upper, before.upper);
      EXPECT_LE(now.lower, now.upper);
      before = now;
    }
    EXPECT_LT(before.upper, 40);
  }
}

TEST(Noise, SeveralRewardsAtOnceAreAsOneByOne) {
  const Data data;
  for (const Engine& engine : engines()) {
    Policy together(spec_of(engine, data)), apart(spec_of(engine, data));
    together.observe(data.states, data.rewards);
    for (Index t = 0; t < data.states.cols(); ++t) apart.observe(data.states.col(t), data.rewards[t]);
    EXPECT_TRUE(save_policy(together) == save_policy(apart)) << engine.name;
  }
}

TEST(Noise, WhatIsRefusedChangesNothing) {
  const Data data;
  for (const Engine& engine : engines()) {
    Policy policy(spec_of(engine, data));
    policy.observe(data.states, data.rewards);
    const std::string before = save_policy(policy);
    Vector rewards = Vector::Constant(3, 1);
    rewards[2] = std::nan("");
    EXPECT_THROW(policy.observe(data.states.leftCols(3), rewards), InvalidArgument);
    EXPECT_THROW(policy.observe(data.states.leftCols(3), Vector::Constant(2, 1)), InvalidArgument);
    EXPECT_THROW(policy.observe(Matrix(1, 0), Vector()), InvalidArgument);
    Matrix states = data.states.leftCols(3);
    states(0, 2) = std::numeric_limits<double>::infinity();
    EXPECT_THROW(policy.observe(states, Vector::Constant(3, 1)), InvalidArgument);
    EXPECT_THROW(policy.observe(Vector::Constant(2, 0), 1), InvalidArgument);
    EXPECT_TRUE(save_policy(policy) == before) << engine.name;
  }
}

TEST(Noise, ASavedPolicyContinuesBitForBit) {
  const Data data;
  for (const Engine& engine : engines()) {
    SCOPED_TRACE(engine.name);
    const Spec spec = spec_of(engine, data);
    Policy policy(spec);
    const auto live = [&](Policy& one, Index t) {
      const Decision made = engine.arms ? one.decide() : one.decide(data.arms);
      one.observe(data.arms.col(made.index), data.rewards[t]);
      if (t % 5 == 0) one.observe(data.states.col(t), data.rewards[t]);
      return made;
    };
    for (Index t = 0; t < 120; ++t) live(policy, t);
    EXPECT_LT(policy.noise()->upper, 40);
    const std::string bytes = save_policy(policy);
    Policy loaded = load_policy(bytes, spec);
    EXPECT_TRUE(save_policy(loaded) == bytes);
    EXPECT_EQ(loaded.noise(), policy.noise());
    EXPECT_EQ(loaded.statistics().radius, policy.statistics().radius);
    for (Index t = 120; t < 150; ++t) ASSERT_EQ(live(policy, t), live(loaded, t)) << t;
    EXPECT_TRUE(save_policy(loaded) == save_policy(policy));
    Policy copy = policy;
    for (Index t = 0; t < 10; ++t) ASSERT_EQ(live(policy, t), live(copy, t)) << t;
  }
}

// Noise far below noise_lower: the assumptions are wrong, which is found, and the policy goes on.
TEST(Noise, BoundsThatCrossAreReportedAndClamped) {
  Spec spec = adaptive();
  spec.bound.set("noise_lower", 5);
  const Data data(0.1);
  for (const bool arms : {false, true}) {
    if (arms) spec.arms = data.arms;
    Policy policy(spec);
    for (int again = 0; again < 4; ++again) policy.observe(data.states, data.rewards);
    const NoiseBounds& noise = *policy.noise();
    EXPECT_TRUE(noise.crossed);
    EXPECT_EQ(noise.lower, 5);
    EXPECT_EQ(noise.upper, 5);
    EXPECT_TRUE(policy.statistics().noise->crossed);
    EXPECT_TRUE(load_policy(save_policy(policy), spec).noise()->crossed);
    EXPECT_NO_THROW(policy.decide(data.arms));
  }
  // Noise far above noise_upper.
  spec = adaptive();
  spec.bound.set("noise_lower", 0.1);
  spec.bound.set("noise_upper", 0.2);
  Policy policy(spec);
  policy.observe(data.states, 100 * data.rewards);
  EXPECT_TRUE(policy.noise()->crossed);
  EXPECT_EQ(policy.noise()->lower, 0.2);
  EXPECT_EQ(policy.noise()->upper, 0.2);
}

// A lower bound so small that there is no factor at its ridge: the log-determinant is bounded from above.
TEST(Noise, AnAbsurdlySmallLowerBoundIsSurvived) {
  const Data data;
  for (const Engine& engine : engines()) {
    SCOPED_TRACE(engine.name);
    Spec spec = spec_of(engine, data);
    spec.bound.set("noise_lower", 1e-12);
    Policy policy(spec), plain(spec_of(engine, data));
    for (Index t = 0; t < 12; ++t) {
      policy.observe(data.states.col(t), data.rewards[t]);
      plain.observe(data.states.col(t), data.rewards[t]);
      EXPECT_TRUE(std::isfinite(*policy.statistics().radius));
      EXPECT_GE(policy.noise()->log_determinant, plain.noise()->log_determinant);
    }
  }
}

TEST(Noise, ThePrintedBoundsAreAvailableForComparison) {
  const Data data;
  Spec spec = adaptive();
  Policy ours(spec);
  spec.bound.set("printed", true);
  Policy printed(spec);
  ours.observe(data.states.leftCols(40), data.rewards.head(40));
  printed.observe(data.states.leftCols(40), data.rewards.head(40));
  EXPECT_GT(printed.noise()->lower, ours.noise()->lower);  // with a large ridge it forgets most of the bias
}

TEST(Noise, OtherBoundsHaveNone) {
  Policy policy("k-ucb");
  EXPECT_FALSE(policy.noise());
  EXPECT_FALSE(policy.statistics().noise);
  EXPECT_FALSE(initial_noise(preset("gp-ucb").bound));
}

TEST(Noise, TheRidgeStartsAtTheUpperBoundWhateverIsSet) {
  Spec spec = adaptive();
  spec.regression.ridge = 7;
  EXPECT_EQ(Policy(spec).statistics().evidence.ridge, 1600);
  EXPECT_EQ(
      spec_from_json(parse_json(R"({"policy":"adaptive-ucb","bound":{"norm_bound":4,"noise_upper":2}})"))
          .regression.ridge,
      0.25);
}

TEST(Noise, SmoothKernelsWithArmsHaveTheArmsEngine) {
  const Data data;
  Spec spec = adaptive();
  spec.arms = data.arms;
  EXPECT_TRUE(dynamic_cast<const ArmFeatureRegression*>(&Policy(spec).regression()));
  spec.kernel.type = KernelType::matern12;
  EXPECT_FALSE(dynamic_cast<const ArmFeatureRegression*>(&Policy(spec).regression()));
  spec = preset("gp-ucb");
  spec.arms = data.arms;
  EXPECT_FALSE(dynamic_cast<const ArmFeatureRegression*>(&Policy(spec).regression()));
}

TEST(Noise, EnginesAndRulesThatNeedOneRidgeAreRefused) {
  for (const char* type : {"bkb", "bbkb"}) {
    Spec spec = adaptive();
    spec.regression.dictionary.choose(type);
    EXPECT_THROW(validate(spec), InvalidArgument);
    EXPECT_THROW(Policy{spec}, InvalidArgument);
  }
  Spec spec = adaptive();
  spec.rule.type = rules::SupKernelUcb{};
  EXPECT_THROW(validate(spec), InvalidArgument);
  spec = adaptive();
  spec.bound.set("norm_bound", 0);
  EXPECT_THROW(validate(spec), InvalidArgument);
  EXPECT_THROW(Policy{spec}, InvalidArgument);
  spec = adaptive();
  spec.bound.set("noise_upper", spec.bound.number("noise_lower") / 2);
  EXPECT_THROW(validate(spec), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::noise_test
