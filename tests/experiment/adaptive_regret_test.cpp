// A policy that learns the noise pays for it with a burn-in, and then does as if it had known it.
#include <gtest/gtest.h>

#include "experiment/adaptive_runs.h"
#include "ridgerunner/report/comparison.h"

namespace ridgerunner::adaptive_regret_test {
namespace {

using namespace adaptive_runs;

TEST(AdaptiveRegret, RisesSlowlyOnceTheNoiseIsKnown) {
  const Results results = compared(2000, 5);
  EXPECT_LT(slope(results, kAdaptive, 1200, 2000), 0.2 * slope(results, kFixed, 1200, 2000));
  EXPECT_LT(slope(results, kAdaptive, 1200, 2000), 3 * slope(results, kOracle, 1200, 2000));
  EXPECT_LT(regret(results, kAdaptive, 2000), regret(results, kFixed, 2000));
}

TEST(AdaptiveRegret, TheNoiseIsBetweenItsBoundsWhichAreShown) {
  const Results results = compared(1000, 2);
  for (const Trajectory& run : results.policies[kAdaptive].runs) {
    ASSERT_EQ(run.noise_upper.size(), results.rounds.size());
    ASSERT_EQ(run.noise_lower.size(), results.rounds.size());
    ASSERT_EQ(run.ridge.size(), results.rounds.size());
    for (std::size_t i = 0; i < run.ridge.size(); ++i) {
      EXPECT_LE(run.noise_lower[i], 0.1);
      EXPECT_GE(run.noise_upper[i], 0.1);
      EXPECT_NEAR(run.ridge[i], run.noise_upper[i] * run.noise_upper[i] / 25, 1e-15);
      if (i == 0) continue;
      EXPECT_GE(run.noise_lower[i], run.noise_lower[i - 1]);
      EXPECT_LE(run.noise_upper[i], run.noise_upper[i - 1]);
    }
    EXPECT_LT(run.noise_upper.back(), 0.5);
    EXPECT_GT(run.noise_lower.back(), 0.08);
  }
  EXPECT_TRUE(results.policies[kFixed].runs[0].ridge.empty());
  const Figure noise = noise_figure(results), ridge = ridge_figure(results);
  ASSERT_EQ(noise.series.size(), 2u);
  EXPECT_EQ(noise.series[0].label, "adaptive, at most");
  EXPECT_EQ(noise.series[1].label, "adaptive, at least");
  ASSERT_EQ(noise.markers.size(), 1u);
  EXPECT_EQ(noise.markers[0].y, 0.1);
  ASSERT_EQ(ridge.series.size(), 1u);
  EXPECT_EQ(ridge.series[0].y.size(), results.rounds.size());
  EXPECT_NE(to_html(comparison_page(results)).find("have found it to be"), std::string::npos);
}

TEST(AdaptiveRegret, ComparisonsOfPoliciesThatKnowTheNoiseDoNotShowIt) {
  Results results = compared(20, 1);
  results.policies.resize(2);
  results.spec.policies.resize(2);
  EXPECT_TRUE(noise_figure(results).series.empty());
  EXPECT_EQ(to_html(comparison_page(results)).find("have found it to be"), std::string::npos);
}

}  // namespace
}  // namespace ridgerunner::adaptive_regret_test
