#include "ridgerunner/policy/open_decisions.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace ridgerunner::open_decisions_test {
namespace {

std::vector<std::uint64_t> numbers(const OpenDecisions& open) {
  std::vector<std::uint64_t> result;
  for (const auto& entry : open.entries()) result.push_back(entry.number);
  return result;
}

OpenDecisions::Entry take_oldest(OpenDecisions& open, const Vector& state) {
  const OpenDecisions::Entry* found = open.find_oldest(state);
  if (!found) throw std::runtime_error("there is none of this state");
  const OpenDecisions::Entry entry = *found;
  open.close(entry.number);
  return entry;
}

TEST(OpenDecisions, TheOldestOfAStateIsTakenFirst) {
  const Vector a = Vector::Constant(2, 1), b = Vector::Constant(2, 2);
  OpenDecisions open;
  open.open(1, a, 3);
  open.open(2, b, 0);
  open.open(3, a, 1);
  open.open(4, b, 0);
  EXPECT_EQ(open.size(), 4);
  EXPECT_EQ(take_oldest(open, b).number, 2u);
  EXPECT_EQ(numbers(open), (std::vector<std::uint64_t>{1, 3, 4}));
  EXPECT_EQ(take_oldest(open, a).level, 3);
  EXPECT_EQ(take_oldest(open, a).level, 1);
  EXPECT_FALSE(open.find_oldest(a));
  EXPECT_EQ(numbers(open), std::vector<std::uint64_t>{4});
  EXPECT_EQ(open.entries()[0].state, b);
}

TEST(OpenDecisions, AreFoundAndClosedByNumberInAnyOrder) {
  OpenDecisions open;
  for (std::uint64_t number = 1; number <= 5; ++number) open.open(number, Vector::Constant(1, 7), 0);
  open.close(3);
  open.close(1);
  open.close(1);  // once more is nothing
  EXPECT_EQ(open.find(3), nullptr);
  ASSERT_NE(open.find(4), nullptr);
  EXPECT_EQ(open.find(4)->state[0], 7);
  EXPECT_EQ(numbers(open), (std::vector<std::uint64_t>{2, 4, 5}));
  EXPECT_EQ(take_oldest(open, Vector::Constant(1, 7)).number, 2u);
}

TEST(OpenDecisions, OneThatIsOpenedAgainIsAsOldAsItsNumber) {
  OpenDecisions open;
  for (std::uint64_t number = 1; number <= 3; ++number) open.open(number, Vector::Constant(1, 7), 0);
  const OpenDecisions::Entry taken = take_oldest(open, Vector::Constant(1, 7));
  open.open(taken.number, taken.state, taken.level);
  EXPECT_EQ(take_oldest(open, Vector::Constant(1, 7)).number, 1u);
}

TEST(OpenDecisions, ACopyGoesItsOwnWay) {
  OpenDecisions open;
  for (std::uint64_t number = 1; number <= 3; ++number) open.open(number, Vector::Constant(1, 7), 0);
  open.close(2);
  OpenDecisions copy = open;
  copy.close(1);
  copy.open(4, Vector::Constant(2, 5), 1);
  EXPECT_EQ(numbers(open), (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(numbers(copy), (std::vector<std::uint64_t>{3, 4}));
  open = copy;
  EXPECT_EQ(open.find_oldest(Vector::Constant(2, 5))->level, 1);
}

TEST(OpenDecisions, AnotherStateClosesNone) {
  OpenDecisions open;
  open.open(1, Vector::Constant(2, 1), 0);
  EXPECT_FALSE(open.find_oldest(Vector::Constant(2, 1.0000001)));
  EXPECT_FALSE(open.find_oldest(Vector::Constant(3, 1)));
  EXPECT_EQ(open.size(), 1);
}

TEST(OpenDecisions, ZeroAndMinusZeroAreTheSameState) {
  OpenDecisions open;
  open.open(1, Vector::Constant(1, 0.0), 0);
  EXPECT_TRUE(open.find_oldest(Vector::Constant(1, -0.0)));
}

TEST(OpenDecisions, StatesOfClosedOnesDoNotComeBack) {
  OpenDecisions open;
  for (std::uint64_t round = 0; round < 100; ++round) {
    open.open(2 * round + 1, Vector::Constant(1, static_cast<double>(round)), 0);
    open.open(2 * round + 2, Vector::Constant(1, -1), 0);
    take_oldest(open, Vector::Constant(1, static_cast<double>(round)));
    EXPECT_FALSE(open.find_oldest(Vector::Constant(1, static_cast<double>(round) + 1)));
  }
  EXPECT_EQ(open.size(), 100);
  for (const auto& entry : open.entries()) EXPECT_EQ(entry.state[0], -1);
}

}  // namespace
}  // namespace ridgerunner::open_decisions_test
