// Numbers at the edge of what can be computed: an answer is a number or an error, and it comes.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernel/message_of.h"
#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/policy/policy.h"

namespace ridgerunner::odd_numbers_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix row(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size())).transpose();
}

Vector point(double x) {
  return Vector::Constant(1, x);
}

void expect_numbers(const Decision& decision, const std::string& what) {
  EXPECT_TRUE(std::isfinite(decision.mean)) << what;
  EXPECT_TRUE(std::isfinite(decision.sd)) << what;
  EXPECT_FALSE(std::isnan(decision.lower)) << what;
  EXPECT_FALSE(std::isnan(decision.upper)) << what;
}

// Decides, predicts and learns; each either answers in numbers or throws NumericalError and changes nothing.
// How often it answered.
int live(Policy policy, const Matrix& candidates, const std::string& what) {
  int answers = 0;
  for (int round = 0; round < 6; ++round) {
    const std::string before = save_policy(policy);
    Vector state = candidates.col(0);
    try {
      const Decision decision = policy.decide(candidates);
      expect_numbers(decision, what);
      state = candidates.col(decision.index);
      ++answers;
    } catch (const NumericalError&) {
      EXPECT_TRUE(save_policy(policy) == before) << what;
    }
    try {
      const Forecast at = policy.predict(candidates);
      EXPECT_TRUE(at.mean.allFinite() && at.sd.allFinite()) << what;
      EXPECT_FALSE(at.lower.hasNaN() || at.upper.hasNaN()) << what;
    } catch (const NumericalError&) {
    }
    const std::string still = save_policy(policy);
    try {
      policy.observe(state, 1);
    } catch (const NumericalError&) {
      EXPECT_TRUE(save_policy(policy) == still) << what;
    }
  }
  return answers;
}

BoundSpec odd_bounds() {
  BoundSpec bound;
  bound.set("noise_bound", 1e-100);
  bound.set("norm_bound", 1e200);
  return bound;
}

Spec with_kernel(const char* name, KernelType type) {
  Spec spec = preset(name);
  spec.kernel.type = type;
  return spec;
}

TEST(OddNumbers, NoAnswerIsNaNForHugeFeaturesOfUnboundedKernels) {
  for (const Preset& known : presets()) {
    const std::string name(known.name);
    live(Policy(with_kernel(name.c_str(), KernelType::linear)), row({9e153, 1}), name + " linear");
    Spec spec = with_kernel(name.c_str(), KernelType::polynomial);
    live(Policy(spec), row({9e76, 1}), name + " polynomial");
  }
}

TEST(OddNumbers, NoAnswerIsNaNForOddParameters) {
  for (const Preset& known : presets()) {
    const std::string name(known.name);
    Spec spec = preset(name, odd_bounds());
    try {
      live(Policy(spec), row({0, 1, 2}), name + " with odd bounds");
    } catch (const InvalidArgument&) {  // a ridge of 0
    }
    spec = preset(name);
    spec.regression.ridge = 5e-324;
    try {
      live(Policy(spec), row({0, 1, 2}), name + " with the least ridge");
    } catch (const InvalidArgument&) {
    }
  }
}

TEST(OddNumbers, AnInfiniteRadiusGivesAnInfiniteBandAndAllTie) {
  Spec spec = preset("amm-ucb", odd_bounds());
  spec.regression.ridge = 1e-3;
  for (const bool arms : {false, true}) {
    if (arms) spec.arms = row({2, 1, 0});
    Policy policy(spec);
    policy.observe(point(1), 1);
    const Decision decision = policy.decide(row({2, 1, 0}));
    EXPECT_EQ(decision.index, 0);
    EXPECT_EQ(decision.lower, -kInfinity);
    EXPECT_EQ(decision.upper, kInfinity);
    if (arms) {
      EXPECT_EQ(policy.decide().index, 0);
    }
    const Forecast at = policy.predict(row({1, 0}));
    EXPECT_EQ(at.lower, Vector::Constant(2, -kInfinity));
    EXPECT_EQ(at.upper, Vector::Constant(2, kInfinity));
  }
}

// Rewards -x: 0 is the best candidate, and its prior is 0 for kernels without an offset.
TEST(OddNumbers, MixturesChooseACandidateWhosePriorIsZero) {
  for (const char* name : {"dmm-ucb", "cmm-ucb", "streaming-dmm-ucb", "streaming-cmm-ucb"}) {
    for (const KernelType type : {KernelType::linear, KernelType::polynomial}) {
      Spec spec = with_kernel(name, type);
      spec.kernel.offset = 0;
      Policy policy(spec);
      for (int i = 0; i < 40; ++i) policy.observe(row({0.5, 1}), (Vector(2) << -0.5, -1).finished());
      const Decision decision = policy.decide(row({1, 0.5, 0}));
      EXPECT_EQ(decision.index, 2) << name;
      EXPECT_EQ(decision.mean, 0) << name;
      EXPECT_EQ(decision.sd, 0) << name;
      EXPECT_NEAR(decision.lower, 0, 1e-12) << name;
      EXPECT_NEAR(decision.upper, 0, 1e-12) << name;
      EXPECT_EQ(policy.decide(row({0, 0})).index, 0) << name;
    }
  }
}

TEST(OddNumbers, MixturesWithoutRoomForAnyFunctionButZeroTie) {
  for (const char* name : {"dmm-ucb", "cmm-ucb", "streaming-dmm-ucb", "streaming-cmm-ucb"}) {
    for (const KernelType type : {KernelType::gaussian, KernelType::linear}) {
      for (const double reward : {0.0, 0.01, 5.0}) {  // the last one is not to be had from noise
        Spec spec = with_kernel(name, type);
        spec.bound.set("norm_bound", 0);
        if (spec.regression.arrival_features)
          spec.regression.dictionary.choose("kors");  // the budget needs one
        spec.rule.first = First::lowest;
        Policy policy(spec);
        EXPECT_EQ(policy.decide(row({0.1, 0.9})).index, 0) << name;
        for (const double x : {0.2, 0.7, 0.7}) policy.observe(point(x), reward);
        const Decision decision = policy.decide(row({0.1, 0.9, 0.7}));
        expect_numbers(decision, name);
        if (reward < 1 && std::string(name).find("cmm") != std::string::npos) {
          EXPECT_EQ(decision.index, 0) << name;
          EXPECT_EQ(decision.upper, 0) << name;
        }
        const Forecast at = policy.predict(row({0.1, 0.9, 0.7}));
        EXPECT_FALSE(at.lower.hasNaN() || at.upper.hasNaN()) << name;
      }
    }
  }
}

// The second decide fails in its second thousand of candidates, after it has solved for others.
TEST(OddNumbers, ADecideThatFailsDoesNotSpoilTheNextObserve) {
  const Index n = 20;
  Matrix gram(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) gram(i, j) = std::exp(-0.02 * static_cast<double>((i - j) * (i - j)));
  }
  for (const char* name : {"gp-ucb", "dmm-ucb", "cmm-ucb"}) {
    Spec spec = preset(name);
    Policy failed(spec, precomputed(gram)), untroubled(spec, precomputed(gram));
    Matrix bad = Matrix::Constant(1, 1025, 17);
    bad(0, 1024) = 999;
    for (Policy* policy : {&failed, &untroubled}) {
      for (const double x : {0.0, 5.0, 11.0}) policy->observe(point(x), std::sin(x));
    }
    const Matrix good = row({2, 8, 14});
    for (int round = 0; round < 3; ++round) {
      const Decision decision = failed.decide(good);
      EXPECT_EQ(untroubled.decide(good), decision) << name;
      EXPECT_THROW(failed.decide(bad), InvalidArgument) << name;
      const Vector state = good.col(decision.index);
      failed.observe(state, 0.5);
      untroubled.observe(state, 0.5);
      EXPECT_EQ(failed.predict(good).sd, untroubled.predict(good).sd) << name;
      EXPECT_TRUE(save_policy(failed) == save_policy(untroubled)) << name;
    }
  }
}

TEST(OddNumbers, AKernelThatFailsWhileTheRidgeMovesChangesNothing) {
  int calls = 0, fail_from = 1 << 30;
  const KernelPtr kernel = callable([&](const VectorIn& x, const VectorIn& y) {
    if (++calls >= fail_from) throw std::runtime_error("the kernel's own trouble");
    return std::exp(-(x - y).squaredNorm());
  });
  Policy policy(preset("adaptive-ucb"), kernel);
  for (const double x : {0.1, 0.4, 0.9}) policy.observe(point(x), x);
  const std::string before = save_policy(policy);
  calls = 0;
  Policy(policy).observe(point(0.6), 1);
  const int all = calls;
  for (int at = 1; at <= all; ++at) {
    calls = 0;
    fail_from = at;
    EXPECT_THROW(policy.observe(point(0.6), 1), std::runtime_error) << at;
    EXPECT_TRUE(save_policy(policy) == before) << at;
  }
}

}  // namespace
}  // namespace ridgerunner::odd_numbers_test
