// The same over so many rounds that the upper bound comes near the noise and the ridge moves most of the
// time.
#include <gtest/gtest.h>

#include "coverage/noise_runs.h"
#include "oracles/binomial.h"

namespace ridgerunner::streaming_noise_slow_test {
namespace {

using namespace noise_runs;

TEST(Coverage, BoundsOfAnUnknownNoiseHoldWhileTheRidgeFollowsThem) {
  const double delta = 0.3;
  const int runs = 300;
  for (const Setting& setting :
       {Setting{KernelType::gaussian, 0.5, 2, 0.5, 0.05, 5, "exact", false, 1500},
        Setting{KernelType::gaussian, 0.3, 2, 0.3, 0.05, 5, "residual_budget", true, 1000}}) {
    int noise = 0, band = 0;
    for (int i = 0; i < runs; ++i) {
      const Misses misses = run(setting, delta, 1000 + static_cast<std::uint64_t>(i));
      noise += misses.noise;
      band += misses.band;
    }
    EXPECT_LE(noise, oracle::most_successes(runs, delta, 1e-4)) << noise << " of " << runs;
    EXPECT_LE(band, oracle::most_successes(runs, delta, 1e-4)) << band << " of " << runs;
  }
}

}  // namespace
}  // namespace ridgerunner::streaming_noise_slow_test
