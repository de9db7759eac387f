#include "ridgerunner/environment/step_diagonal.h"

#include <gtest/gtest.h>

namespace ridgerunner::step_diagonal_test {
namespace {

TEST(StepDiagonal, IsOneInTheBandWhereTheContextLeads) {
  EXPECT_EQ(step_diagonal_reward(0.65, 0.5), 1);
  EXPECT_EQ(step_diagonal_reward(0.56, 0.5), 1);
  EXPECT_EQ(step_diagonal_reward(0.74, 0.5), 1);
  EXPECT_EQ(step_diagonal_reward(0.1, 0), 1);
}

TEST(StepDiagonal, IsAHalfInTheBandWhereTheActionLeads) {
  EXPECT_EQ(step_diagonal_reward(0.35, 0.5), 0.5);
  EXPECT_EQ(step_diagonal_reward(0.26, 0.5), 0.5);
  EXPECT_EQ(step_diagonal_reward(0.44, 0.5), 0.5);
  EXPECT_EQ(step_diagonal_reward(0.7, 0.82), 0.5);
}

TEST(StepDiagonal, IsZeroOnTheDiagonalAndFarFromIt) {
  EXPECT_EQ(step_diagonal_reward(0.5, 0.5), 0);
  EXPECT_EQ(step_diagonal_reward(0.54, 0.5), 0);
  EXPECT_EQ(step_diagonal_reward(0.46, 0.5), 0);
  EXPECT_EQ(step_diagonal_reward(0.76, 0.5), 0);
  EXPECT_EQ(step_diagonal_reward(0.24, 0.5), 0);
  EXPECT_EQ(step_diagonal_reward(0, 1), 0);
  EXPECT_EQ(step_diagonal_reward(1, 0), 0);
}

TEST(StepDiagonal, BandsAreOpen) {
  EXPECT_EQ(step_diagonal_reward(0.25, 0), 0);
  EXPECT_EQ(step_diagonal_reward(0.45, 0.5), 0);
}

TEST(StepDiagonal, OffersTheRewardsOfItsStates) {
  const EnvironmentPtr environment = make_environment(default_environment(EnvironmentType::step_diagonal), 3);
  Offer out;
  for (std::uint64_t round = 0; round < 50; ++round) {
    environment->offer(round, out);
    for (Index i = 0; i < 10; ++i) {
      EXPECT_EQ(out.expected[i], step_diagonal_reward(out.states(0, i), out.states(1, i)));
    }
  }
}

}  // namespace
}  // namespace ridgerunner::step_diagonal_test
