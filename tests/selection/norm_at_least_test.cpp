#include <cmath>

#include <gtest/gtest.h>

#include "ridgerunner/environment/environment_spec.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/selection/best_of_mixture.h"

namespace ridgerunner::norm_at_least_test {
namespace {

EnvironmentSpec problem() {
  EnvironmentSpec spec = default_environment(EnvironmentType::rkhs_sample);
  spec.dimension = 2;
  spec.candidates = 20;
  spec.norm = 5;
  spec.noise_sd = 0.3;
  return spec;
}

Spec dmm(const Facts& facts, double norm_bound) {
  BoundSpec bound;
  bound.set("norm_bound", norm_bound);
  bound.set("noise_bound", facts.noise_sd);
  bound.set("delta", 0.1);
  Spec spec = preset("dmm-ucb", bound);
  spec.kernel = facts.kernel;
  return spec;
}

void run(Policy& policy, const Environment& environment, std::uint64_t rounds) {
  Offer offer;
  for (std::uint64_t t = 0; t < rounds; ++t) {
    environment.offer(t, offer);
    const Decision decision = policy.decide(offer.states);
    policy.observe(decision, offer.expected[decision.index] + environment.noise(t));
  }
}

TEST(NormAtLeast, IsBelowTheTrueNormAndFarAboveNothing) {
  constexpr int kRuns = 100;
  int wrong = 0;
  double total = 0;
  for (int i = 0; i < kRuns; ++i) {
    const EnvironmentPtr environment =
        make_environment(problem(), run_seed(17, static_cast<std::uint64_t>(i)));
    Policy policy(dmm(environment->facts(), 5));
    run(policy, *environment, 40);
    const double least = policy.statistics().norm_at_least.value();
    total += least;
    if (least > 5) ++wrong;
  }
  EXPECT_LE(wrong, 10);  // of the 10 that are allowed in the mean, none is expected: mixtures are cautious
  EXPECT_GT(total / kRuns, 1.5);
}

TEST(NormAtLeast, IsWhereTheConfidenceSetBecomesEmpty) {
  const EnvironmentPtr environment = make_environment(problem(), 3);
  Policy policy(dmm(environment->facts(), 5));
  run(policy, *environment, 40);
  const Regression& model = policy.regression();
  const auto slack = [&](double norm_bound) {
    // R_t^2 does not contain the norm: any radius that the data gave will do.
    Mixture mixture = *make_bound(policy.spec())->mixture(model.evidence());
    mixture.norm_bound = norm_bound;
    return least_slack(model, mixture).value();
  };
  const double least = policy.statistics().norm_at_least.value();
  EXPECT_LT(slack(least * (1 - 1e-6)), 0);
  EXPECT_GE(slack(least * (1 + 1e-6)), 0);
  EXPECT_FALSE(Policy("k-ucb").statistics().norm_at_least);
}

}  // namespace
}  // namespace ridgerunner::norm_at_least_test
