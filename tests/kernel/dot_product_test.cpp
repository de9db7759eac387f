#include "ridgerunner/kernel/dot_product.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernel/message_of.h"
#include "ridgerunner/error.h"

namespace ridgerunner::dot_product_test {
namespace {

double at(const Kernel& kernel, const Vector& x, const Vector& y) {
  return gram(kernel, x, y)(0, 0);
}

TEST(DotProduct, ByHand) {
  const Vector x{{1, 2}}, y{{3, -1}}, z{{1, 1}};  // x.y = 1, x.z = 3
  EXPECT_EQ(at(*linear(), x, y), 1);
  EXPECT_EQ(at(*linear(2, 0.5), x, z), 7);
  EXPECT_EQ(at(*polynomial(), x, z), 16);
  EXPECT_EQ(at(*polynomial(3, 2, 1), x, z), 128);
  EXPECT_EQ(at(*polynomial(5, 1, 0), x, z), 243);
  EXPECT_EQ(diagonal(*polynomial(2, 3, 1), x)[0], 108);
}

TEST(DotProduct, APolynomialOfDegreeOneIsLinear) {
  const Vector x{{0.3, -2.1, 7}}, y{{1.1, 0.2, -0.4}};
  EXPECT_EQ(at(*polynomial(1, 1.7, 0.3), x, y), at(*linear(1.7, 0.3), x, y));
}

TEST(DotProduct, AnEvenPowerOfANegativeNumberIsPositiveAndAnOddOneNegative) {
  const Vector x{{2}}, y{{-1}};
  EXPECT_EQ(at(*polynomial(2, 1, 0), x, y), 4);
  EXPECT_EQ(at(*polynomial(3, 1, 0), x, y), -8);
}

TEST(DotProduct, RefusesParametersOutOfRange) {
  const auto message = [](int degree, double variance, double offset) {
    return message_of<InvalidArgument>([&] { polynomial(degree, variance, offset); });
  };
  EXPECT_EQ(message(0, 1, 1), "degree must be >= 1, got 0");
  EXPECT_EQ(message(-2, 1, 1), "degree must be >= 1, got -2");
  EXPECT_EQ(message(2, 0, 1), "variance must be > 0, got 0");
  EXPECT_EQ(message(2, -1.5, 1), "variance must be > 0, got -1.5");
  EXPECT_EQ(message(2, 1, -0.1), "offset must be >= 0, got -0.1");
  EXPECT_EQ(message(2, 1, std::nan("")), "offset must be >= 0, got nan");
  EXPECT_EQ(message(2, 1, std::numeric_limits<double>::infinity()), "offset must be >= 0, got inf");
  EXPECT_EQ(message_of<InvalidArgument>([] { linear(0); }), "variance must be > 0, got 0");
  EXPECT_EQ(message_of<InvalidArgument>([] { linear(1, -3); }), "offset must be >= 0, got -3");
}

TEST(DotProduct, TakesPointsOfAnyDimension) {
  for (const Index dimension : {1, 2, 100}) EXPECT_NO_THROW(linear()->check_dimension(dimension));
}

}  // namespace
}  // namespace ridgerunner::dot_product_test
