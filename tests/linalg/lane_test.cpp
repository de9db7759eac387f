#include "ridgerunner/linalg/lane.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ridgerunner/random/stream.h"

namespace ridgerunner::lane_test {
namespace {

double units_in_the_last_place(double value, long double reference) {
  const double nearest = std::abs(static_cast<double>(reference));
  const double unit = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
  return static_cast<double>(std::abs(value - reference)) / unit;
}

double exp_at(double x) {
  return exp_of_negative(Lane{} + x)[0];
}

double log_at(double x) {
  return log(Lane{} + x)[0];
}

TEST(Lane, ExponentialIsAccurateToTwoUnitsInTheLastPlace) {
  Stream stream(1, Purpose::test);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = -708 * std::pow(stream.uniform(), 4);
    worst = std::max(worst, units_in_the_last_place(exp_at(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, 2);
}

TEST(Lane, ExponentialOfZeroAndTinyNumbersIsOne) {
  EXPECT_EQ(exp_at(0.0), 1);
  EXPECT_EQ(exp_at(-0.0), 1);
  EXPECT_EQ(exp_at(-1e-300), 1);
  EXPECT_EQ(exp_at(-std::numeric_limits<double>::denorm_min()), 1);
  EXPECT_NEAR(exp_at(-1e-9), 1 - 1e-9, 1.2e-16);
}

TEST(Lane, ExponentialOfVeryNegativeNumbersIsNegligible) {
  for (const double x : {-708.0, -709.0, -1e3, -1e10, -1e308, -std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(exp_at(x) >= 0 && exp_at(x) < 4e-308) << x;
  }
}

TEST(Lane, ExponentialOfWhatIsNotANumberIsNotANumber) {
  EXPECT_TRUE(std::isnan(exp_at(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Lane, LogarithmIsAccurateToTwoUnitsInTheLastPlace) {
  Stream stream(2, Purpose::test);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(1 + stream.uniform(), static_cast<int>(stream.index(2046)) - 1022),
                 near = stream.uniform(0.5, 2);
    worst = std::max(worst, units_in_the_last_place(log_at(x), std::log(static_cast<long double>(x))));
    worst = std::max(worst, units_in_the_last_place(log_at(near), std::log(static_cast<long double>(near))));
  }
  EXPECT_LE(worst, 2);
  EXPECT_EQ(log_at(1), 0);
}

TEST(Lane, SquareRootsAreTheNearestNumbers) {
  for (const double x : {0.0, 1e-300, 0.3, 2.0, 1e300}) EXPECT_EQ(sqrt(Lane{} + x)[0], std::sqrt(x));
}

TEST(Lane, EveryPlaceInARegisterGivesTheSameBits) {
  Stream stream(3, Purpose::test);
  for (int round = 0; round < 100; ++round) {
    Lane x{};
    for (Index i = 0; i < kWidth; ++i) x[i] = -10 * stream.uniform();
    const Lane e = exp_of_negative(x), l = log(1.0 - x), s = sqrt(-x);
    for (Index i = 0; i < kWidth; ++i) {
      EXPECT_EQ(e[i], exp_at(x[i]));
      EXPECT_EQ(l[i], log_at(1 - x[i]));
      EXPECT_EQ(s[i], std::sqrt(-x[i]));
    }
  }
}

TEST(Lane, WhatIsStoredIsWhatWasLoaded) {
  double numbers[kWidth + 1], copy[kWidth + 2] = {};
  for (Index i = 0; i <= kWidth; ++i) numbers[i] = static_cast<double>(i);
  store(copy + 1, load(numbers + 1));
  EXPECT_EQ(copy[0], 0);
  for (Index i = 1; i <= kWidth; ++i) EXPECT_EQ(copy[i], numbers[i]);
  EXPECT_EQ(copy[kWidth + 1], 0);
}

}  // namespace
}  // namespace ridgerunner::lane_test
