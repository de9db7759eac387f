#include "ridgerunner/service/experiment/steady_time.h"

#include <gtest/gtest.h>

namespace ridgerunner::service::steady_time_test {
namespace {

TEST(SteadyTime, AWallClockThatIsSetBackAndForthMovesItByAHundredthAtMost) {
  std::int64_t steady = 5000, wall = 1'000'000'000;
  SteadyTime time([&] { return steady; }, [&] { return wall; });
  EXPECT_EQ(time.now(), 1'000'000'000);
  const auto pass = [&](std::int64_t milliseconds) {
    std::int64_t last = time.now();
    for (std::int64_t i = 0; i < milliseconds; i += 10) {
      steady += 10, wall += 10;
      EXPECT_GE(time.now(), last);
      last = time.now();
    }
    return last;
  };
  EXPECT_EQ(pass(1000), 1'000'001'000);
  wall += 3'600'000;
  const std::int64_t ahead = pass(1000);
  EXPECT_LE(ahead, 1'000'002'000 + 20);
  wall -= 3'600'000;
  EXPECT_EQ(pass(10'000), 1'000'012'000);  // back with the wall clock
}

TEST(SteadyTime, FollowsAWallClockThatStays) {
  std::int64_t steady = 0, wall = 1'000'000;
  SteadyTime time([&] { return steady; }, [&] { return wall; });
  wall += 50;
  for (int i = 0; i < 1000; ++i) {
    steady += 10, wall += 10;
    time.now();
  }
  EXPECT_EQ(time.now(), wall);
}

TEST(SteadyTime, IdleHoursDoNotMakeAJump) {
  std::int64_t steady = 0, wall = 1'000'000'000;
  SteadyTime time([&] { return steady; }, [&] { return wall; });
  steady += 3'600'000, wall += 3'600'000;
  time.now();
  wall -= 3'600'000;
  EXPECT_GE(time.now(), 1'000'000'000 + 3'600'000 - 40);
}

}  // namespace
}  // namespace ridgerunner::service::steady_time_test
