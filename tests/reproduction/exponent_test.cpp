#include "ridgerunner/reproduction/exponent.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"

namespace ridgerunner::exponent_test {
namespace {

TEST(FittedExponent, IsThatOfAPurePower) {
  const std::vector<double> x = {10, 20, 40, 80, 160};
  for (const double exponent : {-1.0, 0.0, 0.5, 1.0, 3.0}) {
    std::vector<double> y;
    for (const double at : x) y.push_back(7 * std::pow(at, exponent));
    EXPECT_NEAR(fitted_exponent(x, y), exponent, 1e-12);
  }
}

TEST(FittedExponent, LooksAtTheUpperPartOnly) {
  // 1000 up to 25, then x^2: with span 4 only 100, 200, 400 count.
  EXPECT_NEAR(fitted_exponent({1, 25, 100, 200, 400}, {1000, 1000, 1e4, 4e4, 16e4}), 2, 1e-12);
  EXPECT_LT(fitted_exponent({1, 25, 100, 200, 400}, {1000, 1000, 1e4, 4e4, 16e4}, 1000), 1.5);
}

TEST(FittedExponent, LowerOrderTermsFadeAsXGrows) {
  const auto fitted = [](double most) {
    std::vector<double> x, y;
    for (double at = most / 4; at <= most; at *= 1.25) {
      x.push_back(at);
      y.push_back(std::pow(at, 3) + 1000 * at * at);
    }
    return fitted_exponent(x, y);
  };
  EXPECT_NEAR(fitted(100), 2.1, 0.1);
  EXPECT_NEAR(fitted(1e6), 3, 0.01);
}

TEST(FittedExponent, IsNotANumberWithoutTwoPoints) {
  EXPECT_TRUE(std::isnan(fitted_exponent({}, {})));
  EXPECT_TRUE(std::isnan(fitted_exponent({10}, {1})));
  EXPECT_TRUE(std::isnan(fitted_exponent({10, 10}, {1, 2})));
  EXPECT_TRUE(std::isnan(fitted_exponent({10, 20}, {0, 2})));
  EXPECT_THROW(fitted_exponent({1, 2}, {1}), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::exponent_test
