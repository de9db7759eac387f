#include "ridgerunner/kernel/stationary.h"

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kernel/message_of.h"
#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner::stationary_test {
namespace {

using Long = long double;

struct Profile {
  std::string name;
  std::function<KernelPtr(std::vector<double>, double)> make;
  std::function<Long(Long)> value;  // of r
};

std::vector<Profile> profiles() {
  const Long root3 = std::sqrt(Long{3}), root5 = std::sqrt(Long{5});
  return {
      {"gaussian", [](auto l, double v) { return gaussian(l, v); },
       [](Long r) { return std::exp(-r * r / 2); }},
      {"matern12", [](auto l, double v) { return matern12(l, v); }, [](Long r) { return std::exp(-r); }},
      {"matern32", [](auto l, double v) { return matern32(l, v); },
       [=](Long r) { return (1 + root3 * r) * std::exp(-root3 * r); }},
      {"matern52", [](auto l, double v) { return matern52(l, v); },
       [=](Long r) { return (1 + root5 * r + 5 * r * r / 3) * std::exp(-root5 * r); }},
      {"rational_quadratic", [](auto l, double v) { return rational_quadratic(l, 1, v); },
       [](Long r) { return 1 / (1 + r * r / 2); }},
  };
}

double at(const Kernel& kernel, const Vector& x, const Vector& y) {
  return gram(kernel, x, y)(0, 0);
}

double at(const Kernel& kernel, double x, double y) {
  return at(kernel, Vector{{x}}, Vector{{y}});
}

Long distance(const Vector& x, const Vector& y, double lengthscale) {
  return (x.cast<Long>() - y.cast<Long>()).norm() / lengthscale;
}

Vector normals(Index size, Stream& stream) {
  return Vector::NullaryExpr(size, [&] { return stream.normal(); });
}

std::ostream& operator<<(std::ostream& out, const Profile& profile) {
  return out << profile.name;
}

class EveryProfile : public testing::TestWithParam<Profile> {};

TEST_P(EveryProfile, IsTheVarianceAtDistanceZero) {
  for (const Index d : {1, 2, 3, 24, 25, 30}) {
    Stream stream(1, Purpose::test);
    for (const double offset : {0.0, 1.0, 1e6}) {
      const Vector x = normals(d, stream).array() + offset;
      EXPECT_EQ(at(*GetParam().make({0.3}, 1), x, x), 1) << d;
      EXPECT_EQ(at(*GetParam().make({0.3}, 2.5), x, x), 2.5) << d;
      EXPECT_EQ(diagonal(*GetParam().make({0.3}, 2.5), x)[0], 2.5) << d;
    }
  }
}

TEST_P(EveryProfile, IsAccurateRelativeToItsValueDownToTinyOnes) {
  // The error of r^2 is a few units in the last place, of a value about exp(-r^2/2) hence r^2 such units.
  const KernelPtr kernel = GetParam().make({0.7}, 1);
  for (double x = 0.01; x < 20; x *= 1.3) {
    const Long r = Long{x} / 0.7, value = GetParam().value(r);
    EXPECT_NEAR(static_cast<double>(at(*kernel, x, 0) / value), 1, 1e-15 * static_cast<double>(4 + r * r))
        << x;
  }
}

TEST_P(EveryProfile, FallsWithTheDistance) {
  const KernelPtr kernel = GetParam().make({0.7}, 1);
  double before = 1;
  for (double x = 0.01; x < 10; x += 0.01) {
    const double here = at(*kernel, x, 0);
    EXPECT_LT(here, before) << x;
    EXPECT_GT(here, 0) << x;
    before = here;
  }
}

TEST_P(EveryProfile, IsAccurateForPointsThatNearlyCoincide) {
  // 1 - k is about r for Matérn 1/2: a distance lost to cancellation would show in the ninth digit.
  Stream stream(2, Purpose::test);
  for (const Index d : {1, 2, 3, 8, 24, 25, 30}) {
    const KernelPtr kernel = GetParam().make({0.7}, 1);
    for (const double gap : {1e-9, 1e-7, 1e-5, 1e-3, 1e-2}) {
      const Vector x = normals(d, stream), y = x + gap * normals(d, stream);
      const Long expected = GetParam().value(distance(x, y, 0.7));
      EXPECT_NEAR(at(*kernel, x, y), static_cast<double>(expected), 2e-15) << d << " dimensions, " << gap;
    }
  }
}

TEST_P(EveryProfile, IsAccurateFarFromTheOriginInFewDimensions) {
  Stream stream(3, Purpose::test);
  for (const Index d : {1, 2, 3, 8, 24}) {
    const KernelPtr kernel = GetParam().make({0.7}, 1);
    for (const double offset : {1e2, 1e6}) {
      const Vector x = normals(d, stream).array() + offset;
      const Vector y = x + normals(d, stream) / std::sqrt(static_cast<double>(d));
      const Long expected = GetParam().value(distance(x, y, 0.7));
      EXPECT_NEAR(at(*kernel, x, y), static_cast<double>(expected), 1e-14) << d << " dimensions, " << offset;
    }
  }
}

TEST_P(EveryProfile, LosesAtMostFourDigitsOfTheDistanceInManyDimensions) {
  Stream stream(4, Purpose::test);
  for (const Index d : {25, 30, 60}) {
    const KernelPtr kernel = GetParam().make({0.7}, 1);
    for (const double offset : {0.0, 1.0, 5.0, 20.0, 1e2}) {
      for (const double gap : {0.03, 0.1, 0.3, 1.0, 2.0}) {
        const Vector x = normals(d, stream).array() + offset;
        const Vector y = x + gap * normals(d, stream) / std::sqrt(static_cast<double>(d));
        const Long expected = GetParam().value(distance(x, y, 0.7));
        EXPECT_NEAR(at(*kernel, x, y), static_cast<double>(expected), 1e-12)
            << d << " dimensions, " << offset;
      }
    }
  }
}

TEST_P(EveryProfile, IsAccurateFarFromTheOriginInManyDimensions) {
  Stream stream(5, Purpose::test);
  for (const Index d : {25, 30}) {
    const KernelPtr kernel = GetParam().make({0.7}, 1);
    const Vector x = normals(d, stream).array() + 1e6;
    const Vector y = x + normals(d, stream) / std::sqrt(static_cast<double>(d));
    const Long expected = GetParam().value(distance(x, y, 0.7));
    EXPECT_NEAR(at(*kernel, x, y), static_cast<double>(expected), 1e-12) << d << " dimensions";
  }
}

TEST_P(EveryProfile, APairGivesTheSameBitsWhereverItStandsInABatch) {
  Stream stream(7, Purpose::test);
  for (const Index d : {1, 2, 3, 8, 24}) {
    const KernelPtr kernel = GetParam().make({0.7}, 1.5);
    const Matrix x = Matrix::NullaryExpr(d, 261, [&] { return stream.normal(); }), y = x.leftCols(3);
    const Matrix batch = gram(*kernel, x, y);
    for (Index j = 0; j < 3; ++j) {
      for (Index i = 0; i < 261; ++i) {
        ASSERT_EQ(batch(i, j), at(*kernel, x.col(i), y.col(j))) << i << ", dimension " << d;
        ASSERT_EQ(batch(i, j), at(*kernel, y.col(j), x.col(i))) << i << ", dimension " << d;
      }
    }
  }
}

TEST_P(EveryProfile, OneLengthscalePerDimensionMayBeTheSameForAll) {
  Stream stream(6, Purpose::test);
  for (const Index d : {1, 2, 3, 7, 24, 25, 30}) {
    const Vector x = normals(d, stream), y = normals(d, stream);
    EXPECT_NEAR(at(*GetParam().make(std::vector<double>(d, 0.7), 1), x, y),
                at(*GetParam().make({0.7}, 1), x, y), 1e-14);
  }
}

TEST_P(EveryProfile, VanishesBetweenPointsThatAreVeryFarApart) {
  for (const Index d : {1, 2, 3, 25}) {
    for (const double far : {1e20, 1e100, 1e150}) {
      const double value = at(*GetParam().make({1}, 1), Vector::Constant(d, far), Vector::Zero(d));
      EXPECT_TRUE(value >= 0 && value < 1e-30) << value << " at " << far << ", dimension " << d;
    }
  }
}

TEST_P(EveryProfile, VanishesEvenWhereTheSquaredDistanceOverflows) {
  for (const Index d : {1, 3, 25}) {
    const double value = at(*GetParam().make({1}, 1), Vector::Constant(d, 1e200), Vector::Zero(d));
    EXPECT_TRUE(value >= 0 && value < 1e-30) << value << " in dimension " << d;
  }
}

TEST_P(EveryProfile, RefusesLengthscalesAndVariancesThatAreNotPositive) {
  const auto message = [](std::vector<double> lengthscale, double variance) {
    return message_of<InvalidArgument>([&] { GetParam().make(lengthscale, variance); });
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message({0}, 1), "lengthscale must be > 0, got 0");
  EXPECT_EQ(message({1, -0.5}, 1), "lengthscale must be > 0, got -0.5");
  EXPECT_EQ(message({std::nan("")}, 1), "lengthscale must be > 0, got nan");
  EXPECT_EQ(message({infinity}, 1), "lengthscale must be > 0, got inf");
  EXPECT_EQ(message({}, 1), "lengthscale must not be empty");
  EXPECT_EQ(message({1}, 0), "variance must be > 0, got 0");
  EXPECT_EQ(message({1}, -2), "variance must be > 0, got -2");
  EXPECT_EQ(message({1}, std::nan("")), "variance must be > 0, got nan");
  EXPECT_EQ(message({1}, infinity), "variance must be > 0, got inf");
}

TEST_P(EveryProfile, RefusesPointsOfAnotherDimensionThanItsLengthscales) {
  const auto message = [](std::vector<double> lengthscale, Index dimension) {
    return message_of<InvalidArgument>([&] { GetParam().make(lengthscale, 1)->check_dimension(dimension); });
  };
  EXPECT_EQ(message({1, 2}, 3), "lengthscale has 2 entries, but the points have dimension 3");
  EXPECT_EQ(message({1, 2, 3}, 1), "lengthscale has 3 entries, but the points have dimension 1");
  EXPECT_EQ(message({1, 2}, 2), "nothing was thrown");
  EXPECT_EQ(message({1}, 17), "nothing was thrown");
}

INSTANTIATE_TEST_SUITE_P(Stationary, EveryProfile, testing::ValuesIn(profiles()),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(Stationary, ByHandAtDistanceOne) {
  EXPECT_NEAR(at(*gaussian(1.0), 3, 2), 0.606531, 5e-7);
  EXPECT_NEAR(at(*matern12(1.0), 3, 2), 0.367879, 5e-7);
  EXPECT_NEAR(at(*matern32(1.0), 3, 2), 0.483358, 5e-7);
  EXPECT_NEAR(at(*matern52(1.0), 3, 2), 0.523994, 5e-7);
  EXPECT_NEAR(at(*rational_quadratic(1.0), 3, 2), 2.0 / 3, 1e-15);
}

TEST(Stationary, ByHandThroughTheLengthscale) {
  EXPECT_NEAR(at(*gaussian(0.5), 1.5, 1), 0.606531, 5e-7);
  EXPECT_NEAR(at(*gaussian(0.5, 4), 1.5, 1), 4 * 0.606531, 2e-6);
  // (3/3)^2 + (4/2)^2 = 5
  EXPECT_NEAR(at(*gaussian({3, 2}), Vector{{3, 0}}, Vector{{0, 4}}), std::exp(-2.5), 1e-15);
}

TEST(Stationary, ARationalQuadraticOfLargeShapeIsTheGaussian) {
  for (const double x : {0.1, 1.0, 3.0}) {
    const double limit = at(*gaussian(1.0), x, 0);
    // (1 + r^2/(2a))^-a = exp(-r^2/2 + r^4/(8a) - r^6/(24a^2) + ...)
    for (const double shape : {1e6, 1e8, 1e15}) {
      const double correction = std::pow(x, 4) / (8 * shape);
      EXPECT_NEAR(at(*rational_quadratic(1.0, shape), x, 0), limit * std::exp(correction), 1e-10 * limit)
          << shape;
    }
  }
}

TEST(Stationary, ARationalQuadraticIsAccurateForEveryShape) {
  for (const double shape : {0.01, 0.5, 1.0, 10.0, 1e3, 1e6}) {
    for (const double x : {1e-9, 1e-5, 1e-2, 0.5, 2.0}) {
      const Long r = x, exact = std::exp(-Long{shape} * std::log1p(r * r / (2 * Long{shape})));
      EXPECT_NEAR(at(*rational_quadratic(1.0, shape), x, 0), static_cast<double>(exact), 1e-13)
          << "shape " << shape << ", distance " << x;
    }
  }
}

TEST(Stationary, ARationalQuadraticRefusesAShapeThatIsNotPositive) {
  for (const auto& [shape, text] : {std::pair{0.0, "0"}, {-1.0, "-1"}, {std::nan(""), "nan"}}) {
    EXPECT_EQ(message_of<InvalidArgument>([&, s = shape] { rational_quadratic(1.0, s); }),
              std::string("shape must be > 0, got ") + text);
  }
}

}  // namespace
}  // namespace ridgerunner::stationary_test
