// On projected engines a bound must contain the truth at all rounds and states at once in at least the
// promised part of all runs, when its assumptions hold with equality. Wider runs are in
// projected_slow_test.cpp.
#include <gtest/gtest.h>

#include "coverage/projected_runs.h"
#include "oracles/binomial.h"
#include "ridgerunner/bounds/abbasi2012_self_normalized.h"
#include "ridgerunner/bounds/calandriello2019_bkb.h"
#include "ridgerunner/bounds/zenati2022_ekucb.h"
#include "ridgerunner/kernel/stationary.h"

namespace ridgerunner::coverage::projected_test {
namespace {

constexpr int kRuns = 100;

int allowed(double level) {
  return oracle::most_successes(kRuns, level, 1e-4);
}

// Much noise and a smooth model; little noise, where what the anchors miss matters most.
std::vector<Setting> settings() {
  return {{gaussian(0.3), 1, 1, 1, 60}, {gaussian(0.5), 0.01, 5, 0.1, 60}};
}

BoundPtr self_normalized(const Setting& s) {
  return self_normalized_bound({kDelta, s.norm, s.noise});
}
BoundPtr ekucb(const Setting& s, std::optional<double> projection) {
  return ekucb_bound({kDelta, s.norm, s.noise, projection});
}

TEST(ProjectedCoverage, TheSelfNormalizedBoundHoldsAtItsLevelWhateverTheAnchors) {
  for (const Setting& setting : settings()) {
    for (const Engine& engine : engines()) {
      const int failed = failures(setting, engine, *self_normalized(setting), kRuns);
      EXPECT_LE(failed, allowed(kDelta)) << engine.name << ", ridge " << setting.ridge;
    }
  }
}

TEST(ProjectedCoverage, TheFormulaOfTheExactEngineIsInvalidWithFewAnchors) {
  const Setting setting{gaussian(0.2), 0.01, 5, 0.1, 200};
  const BoundPtr ours = self_normalized(setting);
  EXPECT_GT(failures(setting, five_anchors(), WithoutResiduals(ours), kRuns), kRuns / 2);
  EXPECT_LE(failures(setting, five_anchors(), *ours, kRuns), allowed(kDelta));
}

// One delta for the anchors, one for the noise.
TEST(ProjectedCoverage, TheEkUcbBoundHoldsWithTheAnchorsOfKorsAsInTheory) {
  const Engine engine{"kors of theory", kors_of_theory()};
  for (const Setting& setting : settings())
    EXPECT_LE(failures(setting, engine, *ekucb(setting, setting.ridge), kRuns), allowed(2 * kDelta));
}

TEST(ProjectedCoverage, TheEkUcbBoundHoldsWithAnyAnchorsByTheSumOfResiduals) {
  for (const Setting& setting : settings()) {
    for (const Engine& engine : engines()) {
      EXPECT_LE(failures(setting, engine, *ekucb(setting, std::nullopt), kRuns), allowed(kDelta))
          << engine.name;
    }
  }
}

TEST(ProjectedCoverage, TheEkUcbBoundIsNotMisledByAProjectionWhenFeaturesAreThoseOnArrival) {
  const Setting setting{gaussian(0.3), 0.1, 5, 0.01, 200};  // where what was missed is nearly all that counts
  const Engine engine{"kors, few anchors, features on arrival", kors_with(0.05), true};
  EXPECT_LE(failures(setting, engine, *ekucb(setting, 1e-9), kRuns), allowed(kDelta));
}

TEST(ProjectedCoverage, TheBkbBoundHoldsWithAnchorsDrawnAsInTheory) {
  for (const Setting& setting : settings()) {
    const BoundPtr bound = bkb_bound({kDelta, setting.norm, setting.noise, false, 0.5});
    for (const Engine& engine :
         {Engine{"bkb", bkb_of_theory()}, Engine{"bkb, arms", bkb_of_theory(), false, true},
          Engine{"bbkb, batches of arms", bbkb_of_theory(), false, true}}) {
      EXPECT_LE(failures(setting, engine, *bound, kRuns), allowed(2 * kDelta)) << engine.name;
    }
  }
}

// The tests above can fail: a radius of three tenths is found out.
TEST(ProjectedCoverage, ABandThatIsTooNarrowIsFoundOut) {
  for (const Setting& setting : settings()) {
    for (const Engine& engine : engines()) {
      if (engine.anchors > 0 || engine.dictionary(setting)->resampling()) continue;
      if (engine.name.find("few") != std::string::npos) continue;  // residuals make up for it
      EXPECT_GT(failures(setting, engine, Scaled(self_normalized(setting), 0.3), kRuns), allowed(kDelta))
          << engine.name;
    }
  }
}

}  // namespace
}  // namespace ridgerunner::coverage::projected_test
