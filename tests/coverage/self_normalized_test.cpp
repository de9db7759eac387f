// The self-normalized bound must contain the truth at all rounds and all points of a grid at once, in at
// least 1 - delta of all runs, when its assumptions hold with equality: the norm bound is the norm, the noise
// bound the sd.
#include <gtest/gtest.h>

#include "oracles/binomial.h"
#include "oracles/problems.h"
#include "ridgerunner/bounds/abbasi2012_self_normalized.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner::self_normalized_test {
namespace {

using oracle::normals;
using oracle::uniform_points;

struct Setting {
  KernelPtr kernel;
  double ridge, norm, noise;
};

// Does the band miss f anywhere on the grid in any round? Points are chosen by UCB, so they depend on the
// noise.
bool misses(const Setting& s, double delta, std::uint64_t seed) {
  Stream random(seed, Purpose::test);
  const Matrix centres = uniform_points(random, 2, 10), grid = uniform_points(random, 2, 60);
  Vector weights = normals(random, 10);
  weights *= s.norm / std::sqrt(weights.dot(gram(*s.kernel, centres, centres) * weights));
  const Vector truth = gram(*s.kernel, grid, centres) * weights;
  const BoundPtr bound = self_normalized_bound({delta, s.norm, s.noise});
  ExactRegression regression(s.kernel, s.ridge, grid);
  for (int t = 0; t < 60; ++t) {
    const Evidence evidence = regression.evidence();
    const Band band = radius_band(regression.arm_prediction(), *bound->radius(evidence));
    if (((truth - band.upper).array() > 0).any() || ((band.lower - truth).array() > 0).any()) return true;
    const Index chosen = regression.best_arm(*bound->radius(evidence)).index;
    regression.observe(grid.col(chosen), Vector::Constant(1, truth[chosen] + s.noise * random.normal()));
  }
  return false;
}

TEST(Coverage, TheSelfNormalizedBoundHoldsAtItsLevelAtAllRoundsAndPointsAtOnce) {
  const double delta = 0.1;
  const int runs = 400;
  for (const Setting& setting :
       {Setting{gaussian(0.3), 1.0, 1.0, 1.0}, Setting{matern32(0.3), 0.01, 2.0, 0.5},
        Setting{matern52(0.5), 0.1, 1.0, 0.3}}) {
    int failures = 0;
    for (int run = 0; run < runs; ++run)
      failures += misses(setting, delta, 1000 + static_cast<std::uint64_t>(run));
    EXPECT_LE(failures, oracle::most_successes(runs, delta, 1e-4)) << failures << " of " << runs;
  }
}

// The test above can fail: with a radius of a fifth, the band is wrong far too often.
TEST(Coverage, ABandThatIsTooNarrowIsFoundOut) {
  const Setting setting{gaussian(0.3), 1.0, 1.0, 1.0};
  int failures = 0;
  for (int run = 0; run < 100; ++run) {
    Stream random(static_cast<std::uint64_t>(run), Purpose::test);
    const Matrix grid = uniform_points(random, 2, 60);
    Vector weights = normals(random, 60);
    weights *= setting.norm / std::sqrt(weights.dot(gram(*setting.kernel, grid, grid) * weights));
    const Vector truth = gram(*setting.kernel, grid, grid) * weights;
    ExactRegression regression(setting.kernel, setting.ridge, grid);
    bool missed = false;
    for (int t = 0; t < 60 && !missed; ++t) {
      const double radius =
          0.2 * abbasi2012_radius({0.1, setting.norm, setting.noise}, regression.evidence());
      const Prediction& at = regression.arm_prediction();
      missed = ((truth - at.mean).cwiseAbs().array() > radius * at.sd.array()).any();
      const Index chosen = regression.best_arm(radius).index;
      regression.observe(grid.col(chosen),
                         Vector::Constant(1, truth[chosen] + setting.noise * random.normal()));
    }
    failures += missed;
  }
  EXPECT_GT(failures, oracle::most_successes(100, 0.1, 1e-4));
}

}  // namespace
}  // namespace ridgerunner::self_normalized_test
