// CMM's band, which costs most to compute, over more rounds and states than the fast tests have time for.
#include <gtest/gtest.h>

#include "coverage/mixture_runs.h"
#include "oracles/binomial.h"
#include "ridgerunner/bounds/flynn2024_mixtures.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner::coverage::mixture_slow_test {
namespace {

TEST(MixtureCoverage, CmmHoldsAtManyRoundsAndPointsAtOnce) {
  constexpr double kDelta = 0.1;
  constexpr int kRuns = 400;
  const auto exact = [](const MixtureSetting& setting, const Matrix&) {
    return std::make_unique<ExactRegression>(setting.kernel, setting.ridge, std::nullopt,
                                             std::vector<double>{3 * setting.ridge, 12 * setting.ridge});
  };
  const std::vector<MixtureSetting> settings = {{gaussian(0.3), 1, 1, 1, 60, 20},
                                                {matern52(0.4), 0.04, 3, 0.2, 60, 20},
                                                {matern32(0.3), 0.01, 2, 0.1, 60, 20}};
  for (const MixtureSetting& setting : settings) {
    const BoundPtr bound = cmm_bound({kDelta, setting.norm, setting.noise});
    const int found = failures(setting, exact, *bound, kRuns);
    EXPECT_LE(found, oracle::most_successes(kRuns, kDelta, 1e-4));
  }
}

}  // namespace
}  // namespace ridgerunner::coverage::mixture_slow_test
