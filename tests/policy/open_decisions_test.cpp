#include "ridgerunner/policy/open_decisions.h"

#include <gtest/gtest.h>

namespace ridgerunner {
namespace {

std::vector<std::uint64_t> numbers(const OpenDecisions& open) {
  std::vector<std::uint64_t> result;
  for (const auto& entry : open.entries()) result.push_back(entry.number);
  return result;
}

TEST(OpenDecisions, TheOldestOfAStateIsTakenFirst) {
  const Vector a = Vector::Constant(2, 1), b = Vector::Constant(2, 2);
  OpenDecisions open;
  open.open({1, a, 3});
  open.open({2, b, 0});
  open.open({3, a, 1});
  open.open({4, b, 0});
  EXPECT_EQ(open.size(), 4);
  EXPECT_EQ(open.take_oldest(b)->number, 2u);
  EXPECT_EQ(numbers(open), (std::vector<std::uint64_t>{1, 3, 4}));
  EXPECT_EQ(open.take_oldest(a)->level, 3);
  EXPECT_EQ(open.take_oldest(a)->level, 1);
  EXPECT_FALSE(open.take_oldest(a));
  EXPECT_EQ(numbers(open), std::vector<std::uint64_t>{4});
  EXPECT_EQ(open.entries()[0].state, b);
}

TEST(OpenDecisions, AreFoundAndClosedByNumberInAnyOrder) {
  OpenDecisions open;
  for (std::uint64_t number = 1; number <= 5; ++number) open.open({number, Vector::Constant(1, 7), 0});
  open.close(3);
  open.close(1);
  open.close(1);  // once more is nothing
  EXPECT_EQ(open.find(3), nullptr);
  ASSERT_NE(open.find(4), nullptr);
  EXPECT_EQ(open.find(4)->state[0], 7);
  EXPECT_EQ(numbers(open), (std::vector<std::uint64_t>{2, 4, 5}));
  EXPECT_EQ(open.take_oldest(Vector::Constant(1, 7))->number, 2u);
}

TEST(OpenDecisions, OneThatIsOpenedAgainIsAsOldAsItsNumber) {
  OpenDecisions open;
  for (std::uint64_t number = 1; number <= 3; ++number) open.open({number, Vector::Constant(1, 7), 0});
  auto taken = open.take_oldest(Vector::Constant(1, 7));
  open.open(std::move(*taken));
  EXPECT_EQ(open.take_oldest(Vector::Constant(1, 7))->number, 1u);
}

TEST(OpenDecisions, AnotherStateClosesNone) {
  OpenDecisions open;
  open.open({1, Vector::Constant(2, 1), 0});
  EXPECT_FALSE(open.take_oldest(Vector::Constant(2, 1.0000001)));
  EXPECT_FALSE(open.take_oldest(Vector::Constant(3, 1)));
  EXPECT_EQ(open.size(), 1);
}

TEST(OpenDecisions, ZeroAndMinusZeroAreTheSameState) {
  OpenDecisions open;
  open.open({1, Vector::Constant(1, 0.0), 0});
  EXPECT_TRUE(open.take_oldest(Vector::Constant(1, -0.0)));
}

TEST(OpenDecisions, StatesOfClosedOnesDoNotComeBack) {
  OpenDecisions open;
  for (std::uint64_t round = 0; round < 100; ++round) {
    open.open({2 * round + 1, Vector::Constant(1, static_cast<double>(round)), 0});
    open.open({2 * round + 2, Vector::Constant(1, -1), 0});
    EXPECT_TRUE(open.take_oldest(Vector::Constant(1, static_cast<double>(round))));
    EXPECT_FALSE(open.take_oldest(Vector::Constant(1, static_cast<double>(round) + 1)));
  }
  EXPECT_EQ(open.size(), 100);
  for (const auto& entry : open.entries()) EXPECT_EQ(entry.state[0], -1);
}

}  // namespace
}  // namespace ridgerunner
