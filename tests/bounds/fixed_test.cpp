#include "ridgerunner/bounds/fixed.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"

namespace ridgerunner::fixed_test {
namespace {

std::string failure(double radius) {
  try {
    fixed_bound(radius);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(FixedBound, HasItsRadiusWhateverTheEvidence) {
  const BoundPtr bound = fixed_bound(0.1);
  EXPECT_EQ(bound->radius({}), 0.1);
  Evidence one;
  one.rounds = 1;
  one.ridge = 0.5;
  one.log_determinant = std::log(3.0);
  one.sum_of_squares = 7;
  one.quadratic_form = 2;
  EXPECT_EQ(bound->radius(one), 0.1);
}

TEST(FixedBound, BandByHand) {
  const Prediction prediction{Vector{{1, -2, 0}}, Vector{{2, 0.5, 0}}, Vector{{4, 1, 1}}};
  const Band band = radius_band(prediction, *fixed_bound(3)->radius({}));
  EXPECT_EQ(band.lower, (Vector{{-5, -3.5, 0}}));
  EXPECT_EQ(band.upper, (Vector{{7, -0.5, 0}}));
}

TEST(FixedBound, IntervalByHand) {
  const Interval interval = radius_interval(1, 2, *fixed_bound(3)->radius({}));
  EXPECT_EQ(interval.lower, -5);
  EXPECT_EQ(interval.upper, 7);
}

TEST(FixedBound, MayHaveRadiusZero) {
  const Prediction prediction{Vector{{1, -2}}, Vector{{2, 0.5}}, Vector{{4, 1}}};
  const Band band = radius_band(prediction, *fixed_bound(0)->radius({}));
  EXPECT_EQ(band.lower, prediction.mean);
  EXPECT_EQ(band.upper, prediction.mean);
}

TEST(FixedBound, OfNoStatesIsEmpty) {
  const Band band = radius_band({}, *fixed_bound(1)->radius({}));
  EXPECT_EQ(band.lower.size(), 0);
  EXPECT_EQ(band.upper.size(), 0);
}

TEST(FixedBound, RefusesARadiusThatIsNegativeOrNotFinite) {
  EXPECT_EQ(failure(-1), "radius must be >= 0, got -1");
  EXPECT_EQ(failure(std::nan("")), "radius must be >= 0, got nan");
  EXPECT_EQ(failure(std::numeric_limits<double>::infinity()), "radius must be >= 0, got inf");
  EXPECT_EQ(failure(0), "nothing was thrown");
}

}  // namespace
}  // namespace ridgerunner::fixed_test
