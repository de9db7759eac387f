#include "ridgerunner/environment/chessboard.h"

#include <cmath>

#include <gtest/gtest.h>

namespace ridgerunner::chessboard_test {
namespace {

TEST(Chessboard, EachSquareHasItsReward) {
  EXPECT_EQ(chessboard_reward(0.3, 0.1), 1);
  EXPECT_EQ(chessboard_reward(0.3, 0.6), 1);
  EXPECT_EQ(chessboard_reward(0.9, 0.6), 1);
  EXPECT_EQ(chessboard_reward(0.1, 0.3), 0.5);
  EXPECT_EQ(chessboard_reward(0.6, 0.3), 0.5);
  EXPECT_EQ(chessboard_reward(0.6, 0.9), 0.5);
  // The other ten are empty.
  double sum = 0;
  for (const double x : {0.1, 0.3, 0.6, 0.9}) {
    for (const double a : {0.1, 0.3, 0.6, 0.9}) sum += chessboard_reward(x, a);
  }
  EXPECT_EQ(sum, 4.5);
}

TEST(Chessboard, ASquareOwnsItsLowerBordersAndTheLastOneItsUpper) {
  EXPECT_EQ(chessboard_reward(0.25, 0), 1);
  EXPECT_EQ(chessboard_reward(0.25, 0.25), 0);
  EXPECT_EQ(chessboard_reward(0.5, 0), 0);
  EXPECT_EQ(chessboard_reward(0.25, 0.5), 1);
  EXPECT_EQ(chessboard_reward(std::nextafter(0.5, 0), std::nextafter(0.75, 0)), 1);
  EXPECT_EQ(chessboard_reward(0.75, 0.5), 1);
  EXPECT_EQ(chessboard_reward(1, 0.5), 1);
  EXPECT_EQ(chessboard_reward(1, 0.75), 0);
  EXPECT_EQ(chessboard_reward(0, 0.25), 0.5);
  EXPECT_EQ(chessboard_reward(0.5, 0.25), 0.5);
  EXPECT_EQ(chessboard_reward(0.5, 0.75), 0.5);
  EXPECT_EQ(chessboard_reward(0.5, 1), 0.5);
  EXPECT_EQ(chessboard_reward(1, 1), 0);
  EXPECT_EQ(chessboard_reward(0, 0), 0);
}

TEST(Chessboard, OffersTheRewardsOfItsStates) {
  EnvironmentSpec spec = default_environment(EnvironmentType::chessboard);
  spec.draw = Draw::paper;
  const EnvironmentPtr environment = make_environment(spec, 3);
  Offer out;
  for (std::uint64_t round = 0; round < 50; ++round) {
    environment->offer(round, out);
    for (Index i = 0; i < 10; ++i) {
      EXPECT_EQ(out.expected[i], chessboard_reward(out.states(0, i), out.states(1, i)));
    }
  }
}

}  // namespace
}  // namespace ridgerunner::chessboard_test
