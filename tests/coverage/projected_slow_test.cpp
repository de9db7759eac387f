// As projected_test.cpp, with more runs, rounds and kernels.
#include <gtest/gtest.h>

#include "coverage/projected_runs.h"
#include "oracles/binomial.h"
#include "ridgerunner/bounds/abbasi2012_self_normalized.h"
#include "ridgerunner/bounds/calandriello2019_bkb.h"
#include "ridgerunner/bounds/zenati2022_ekucb.h"
#include "ridgerunner/kernel/stationary.h"

namespace ridgerunner::coverage::projected_slow_test {
namespace {

constexpr int kRuns = 400;

int allowed(double level) {
  return oracle::most_successes(kRuns, level, 1e-4);
}

std::vector<Setting> settings() {
  return {{gaussian(0.3), 1, 1, 1, 150},      {gaussian(0.5), 0.1, 2, 0.3, 150},
          {gaussian(0.5), 0.01, 5, 0.1, 150}, {matern52(0.5), 0.1, 1, 0.3, 150},
          {matern32(0.3), 0.01, 2, 0.5, 150}, {gaussian(1.0), 1, 5, 0.1, 150}};
}

TEST(ProjectedCoverageSlow, TheSelfNormalizedBoundHoldsAtItsLevelWhateverTheAnchors) {
  for (const Setting& setting : settings()) {
    const BoundPtr bound = self_normalized_bound({kDelta, setting.norm, setting.noise});
    for (const Engine& engine : engines()) {
      EXPECT_LE(failures(setting, engine, *bound, kRuns), allowed(kDelta))
          << engine.name << ", ridge " << setting.ridge;
    }
  }
}

TEST(ProjectedCoverageSlow, TheEkUcbBoundHoldsWithKorsAsInTheoryAndByTheSumOfResiduals) {
  for (const Setting& setting : settings()) {
    const Engine engine{"kors of theory", kors_of_theory()};
    const BoundPtr given = ekucb_bound({kDelta, setting.norm, setting.noise, setting.ridge});
    EXPECT_LE(failures(setting, engine, *given, kRuns), allowed(2 * kDelta));
    const BoundPtr summed = ekucb_bound({kDelta, setting.norm, setting.noise, std::nullopt});
    for (const Engine& any : engines())
      EXPECT_LE(failures(setting, any, *summed, kRuns), allowed(kDelta)) << any.name;
  }
}

TEST(ProjectedCoverageSlow, TheBkbBoundHoldsWithAnchorsDrawnAsInTheory) {
  for (const Setting& setting : settings()) {
    const BoundPtr bound = bkb_bound({kDelta, setting.norm, setting.noise, false, 0.5});
    for (const Engine& engine :
         {Engine{"bkb", bkb_of_theory()}, Engine{"bkb, arms", bkb_of_theory(), false, true},
          Engine{"bbkb, batches of arms", bbkb_of_theory(), false, true}}) {
      EXPECT_LE(failures(setting, engine, *bound, kRuns), allowed(2 * kDelta)) << engine.name;
    }
  }
}

}  // namespace
}  // namespace ridgerunner::coverage::projected_slow_test
