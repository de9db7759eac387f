// Mixtures on a growing subspace at scale: width against the exact engine, and what a round costs.
#include <gtest/gtest.h>

#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/environment/environment_spec.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/regression/mixture.h"

namespace ridgerunner::streaming_mixture_slow_test {
namespace {

// The problem of Flynn & Reeb: norm 10, noise 0.1, 100 fresh candidates a round, d = 3.
EnvironmentPtr make_problem(std::uint64_t seed) {
  EnvironmentSpec problem = default_environment(EnvironmentType::rkhs_sample);
  problem.kernel.type = KernelType::gaussian;
  problem.kernel.lengthscale = {0.5};
  return make_environment(problem, seed);
}

Spec make_spec(const char* name, const Environment& environment) {
  Spec spec = preset(name);
  spec.kernel = environment.facts().kernel;
  return spec;
}

double mean_width(const Policy& policy, const Matrix& states) {
  const Forecast at = policy.predict(states);
  return (at.upper - at.lower).mean();
}

// With the defaults, whose horizon is half as long: tolerance 0.05, delta 0.01.
TEST(StreamingMixtureSlow, After2000RoundsTheBandIsWithinATenthOfTheExactAmm) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const EnvironmentPtr environment = make_problem(seed);
    Policy ours(make_spec("streaming-amm-ucb", *environment));
    Policy reference(make_spec("amm-ucb", *environment));
    Offer offer;
    for (std::uint64_t t = 0; t < 2000; ++t) {
      environment->offer(t, offer);
      const Index chosen = ours.decide(offer.states).index;
      const double y = offer.expected[chosen] + environment->noise(t);
      ours.observe(offer.states.col(chosen), y);
      reference.observe(offer.states.col(chosen), y);
    }
    const double ratio = mean_width(ours, offer.states) / mean_width(reference, offer.states);
    EXPECT_LT(ratio, 1.1);
    EXPECT_GT(ratio, 0.999);
    RecordProperty("ratio", std::to_string(ratio));
  }
}

// Bytes and multiply-adds hang on the anchors alone, and those settle.
TEST(StreamingMixtureSlow, After20000RoundsARoundCostsWhatItDidAfter5000) {
  for (const char* name : {"streaming-amm-ucb", "streaming-dmm-ucb", "streaming-cmm-ucb"}) {
    const EnvironmentPtr environment = make_problem(1);
    Spec spec = make_spec(name, *environment);
    spec.horizon = 20'000;
    Policy policy(spec);
    Offer offer;
    Workspace workspace;
    std::size_t bytes = 0;
    Index anchors = 0;
    for (std::uint64_t t = 1; t <= 20'000; ++t) {
      environment->offer(t, offer);
      const Index chosen = policy.decide(offer.states).index;
      policy.observe(offer.states.col(chosen), offer.expected[chosen] + environment->noise(t));
      if (t == 5000) {
        bytes = save_policy(policy).size();
        anchors = policy.statistics().evidence.anchors;
      }
    }
    const Index m = policy.statistics().evidence.anchors;
    EXPECT_LT(m, 250) << name;
    EXPECT_LT(static_cast<double>(m), 1.2 * static_cast<double>(anchors)) << name;
    EXPECT_LT(static_cast<double>(save_policy(policy).size()), 1.44 * static_cast<double>(bytes)) << name;
    // The anchors, two factors of m rows and a few numbers for each.
    EXPECT_LT(save_policy(policy).size(), static_cast<std::size_t>(8 * (m * m + 20 * m)) + 4096) << name;
    const auto* ridges = capability<AnyRidge>(policy.regression());
    if (!ridges) continue;
    const Evidence evidence = policy.statistics().evidence;
    const Mixture mixture{evidence.ridge * evidence.quadratic_form + 3, spec.bound.number("norm_bound"), {}};
    const auto spent = ridges->best(offer.states, mixture, true, workspace).best.multiply_adds;
    EXPECT_LT(spent, 100 * m * m * 7 / 2) << name;
  }
}

}  // namespace
}  // namespace ridgerunner::streaming_mixture_slow_test
