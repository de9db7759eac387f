// Against an independent implementation, and the oracle's slope in the long run.
#include <gtest/gtest.h>

#include "experiment/adaptive_runs.h"

namespace ridgerunner::adaptive_regret_slow_test {
namespace {

using namespace adaptive_runs;

TEST(AdaptiveRegret, IsThatOfAnIndependentImplementation) {
  struct Expected {
    std::size_t policy;
    double at_500, at_1000, at_3000;
  };
  const Results results = compared(3000, 20);
  for (const Expected& expected : {Expected{kOracle, 17.0, 22.8, 37.8}, Expected{kFixed, 99.9, 164.6, 322.8},
                                   Expected{kAdaptive, 118.6, 140.9, 149.5}}) {
    SCOPED_TRACE(results.policies[expected.policy].label);
    for (const auto& [round, value] : {std::pair(500.0, expected.at_500), std::pair(1000.0, expected.at_1000),
                                       std::pair(3000.0, expected.at_3000)}) {
      const double got = regret(results, expected.policy, round);
      RecordProperty(results.policies[expected.policy].label + std::to_string(static_cast<int>(round)),
                     std::to_string(got));
      EXPECT_NEAR(got, value, 0.2 * value) << round;
    }
  }
}

TEST(AdaptiveRegret, HasTheSlopeOfTheOracleInTheLongRun) {
  const Results results = compared(12000, 40);
  const double oracle = slope(results, kOracle, 4000, 12000),
               adaptive = slope(results, kAdaptive, 4000, 12000);
  RecordProperty("oracle", std::to_string(oracle));
  RecordProperty("adaptive", std::to_string(adaptive));
  EXPECT_NEAR(adaptive, oracle, 0.15 * oracle);
}

}  // namespace
}  // namespace ridgerunner::adaptive_regret_slow_test
