#include "ridgerunner/policy/open_decisions.h"

#include <gtest/gtest.h>

namespace ridgerunner {
namespace {

std::vector<std::uint64_t> numbers(const OpenDecisions& open) {
  std::vector<std::uint64_t> result;
  for (const auto& entry : open.entries()) result.push_back(entry.number);
  return result;
}

TEST(OpenDecisions, TheOldestOfAStateClosesFirst) {
  const Vector a = Vector::Constant(2, 1), b = Vector::Constant(2, 2);
  OpenDecisions open;
  open.open(0, a);
  open.open(1, b);
  open.open(2, a);
  open.open(3, b);
  EXPECT_EQ(open.size(), 4);
  EXPECT_TRUE(open.close_oldest(b));
  EXPECT_EQ(numbers(open), (std::vector<std::uint64_t>{0, 2, 3}));
  EXPECT_TRUE(open.close_oldest(a));
  EXPECT_EQ(numbers(open), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_TRUE(open.close_oldest(a));
  EXPECT_FALSE(open.close_oldest(a));
  EXPECT_EQ(numbers(open), std::vector<std::uint64_t>{3});
  EXPECT_EQ(open.entries()[0].state, b);
}

TEST(OpenDecisions, AnotherStateClosesNone) {
  OpenDecisions open;
  open.open(0, Vector::Constant(2, 1));
  EXPECT_FALSE(open.close_oldest(Vector::Constant(2, 1.0000001)));
  EXPECT_FALSE(open.close_oldest(Vector::Constant(3, 1)));
  EXPECT_EQ(open.size(), 1);
}

TEST(OpenDecisions, ZeroAndMinusZeroAreTheSameState) {
  OpenDecisions open;
  open.open(0, Vector::Constant(1, 0.0));
  EXPECT_TRUE(open.close_oldest(Vector::Constant(1, -0.0)));
}

TEST(OpenDecisions, StatesOfClosedOnesDoNotComeBack) {
  OpenDecisions open;
  for (std::uint64_t round = 0; round < 100; ++round) {
    open.open(2 * round, Vector::Constant(1, static_cast<double>(round)));
    open.open(2 * round + 1, Vector::Constant(1, -1));
    EXPECT_TRUE(open.close_oldest(Vector::Constant(1, static_cast<double>(round))));
    EXPECT_FALSE(open.close_oldest(Vector::Constant(1, static_cast<double>(round) + 1)));
  }
  EXPECT_EQ(open.size(), 100);
  for (const auto& entry : open.entries()) EXPECT_EQ(entry.state[0], -1);
}

}  // namespace
}  // namespace ridgerunner
