#include "ridgerunner/report/axis.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ridgerunner::axis_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

using Strings = std::vector<std::string>;

TEST(Axis, LinearTicksAreMultiplesOfOneTwoOrFive) {
  EXPECT_EQ(ticks_of(Scale::linear, {0, 1000}, 5).labels,
            (Strings{"0", "200", "400", "600", "800", "1,000"}));
  EXPECT_EQ(ticks_of(Scale::linear, {-1, 1}, 4).labels, (Strings{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(ticks_of(Scale::linear, {0, 25000}, 3).labels, (Strings{"0", "10,000", "20,000"}));
  EXPECT_EQ(ticks_of(Scale::linear, {0.1, 0.35}, 3).labels, (Strings{"0.1", "0.2", "0.3"}));
}

TEST(Axis, HugeAndTinyTicksShareAPowerOfTen) {
  const Ticks huge = ticks_of(Scale::linear, {0, 4e9}, 4);
  EXPECT_EQ(huge.labels, (Strings{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(huge.power, 9);
  const Ticks tiny = ticks_of(Scale::linear, {0, 5e-8}, 2);
  EXPECT_EQ(tiny.labels, (Strings{"0", "50"}));
  EXPECT_EQ(tiny.power, -9);
  EXPECT_EQ(ticks_of(Scale::linear, {0, 2e6}, 2).labels, (Strings{"0", "1,000,000", "2,000,000"}));
}

TEST(Axis, ALogAxisHasDecadesWithTheOtherDigitsBetweenThem) {
  const Ticks ticks = ticks_of(Scale::log, {1, 1000}, 5);
  EXPECT_EQ(ticks.labels, (Strings{"1", "10", "100", "1,000"}));
  EXPECT_EQ(ticks.minor.size(), 24u);
  EXPECT_DOUBLE_EQ(ticks.minor[0], 2);
  EXPECT_DOUBLE_EQ(ticks.minor[23], 900);
}

TEST(Axis, ALogAxisOfManyDecadesLabelsEveryFew) {
  EXPECT_EQ(ticks_of(Scale::log, {1e-8, 1e8}, 4).labels, (Strings{"10⁻⁵", "10⁰", "10⁵"}));
  // Only one multiple of five decades is in sight.
  EXPECT_EQ(ticks_of(Scale::log, {10, 1e9}, 2).labels, (Strings{"10¹", "10⁶"}));
}

TEST(Axis, ALogAxisOfLessThanTwoDecadesLabelsOneTwoFiveAndIfNeedBeAnyNumber) {
  EXPECT_EQ(ticks_of(Scale::log, {1.5, 30}, 5).labels, (Strings{"2", "5", "10", "20"}));
  EXPECT_EQ(ticks_of(Scale::log, {3.1, 3.3}, 2).labels, (Strings{"3.1", "3.2", "3.3"}));
}

TEST(Axis, TheDomainStartsAtZeroIfTheDataAlmostDo) {
  EXPECT_EQ(shown_domain({}, {1, 1000}, 5, false).low, 0);
  EXPECT_EQ(shown_domain({}, {200, 1000}, 5, false).low, 200);
  EXPECT_EQ(shown_domain({}, {900, 1000}, 5, true).low, 900);
}

TEST(Axis, AFarTickDoesNotWidenTheDomainAndANearOneDoes) {
  const Domain domain = shown_domain({}, {-20, 960}, 5, true);
  EXPECT_EQ(domain.low, -20);
  EXPECT_EQ(domain.high, 1000);
}

TEST(Axis, AGivenLimitWins) {
  Axis axis;
  axis.min = 3;
  const Domain domain = shown_domain(axis, {5, 5}, 5, true);
  EXPECT_EQ(domain.low, 3);
  EXPECT_GE(domain.high, 5);
  EXPECT_GT(shown_domain(axis, {1, 2}, 5, true).high, 3);  // all data below the limit
  axis.min = 1e300;
  EXPECT_GT(shown_domain(axis, {1, 2}, 5, true).high, 1e300);
}

TEST(Axis, MappingIsLinearInTheLogarithmOfALogAxis) {
  const Mapping mapping{Scale::log, {1, 100}, 0, 200};
  EXPECT_DOUBLE_EQ(mapping(10), 100);
  EXPECT_TRUE(std::isnan(mapping(0)));
  EXPECT_TRUE(std::isnan(mapping(inf)));
  EXPECT_LE(mapping(1e200), 2200);  // far away, but a number a renderer can hold
}

}  // namespace
}  // namespace ridgerunner::axis_test
