#include "ridgerunner/bounds/abbasi2012_self_normalized.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bounds/golden_cases.h"
#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner::abbasi2012_self_normalized_test {
namespace {

Evidence evidence(Index rounds, double ridge, double log_determinant) {
  Evidence result;
  result.rounds = rounds;
  result.anchors = rounds;
  result.ridge = ridge;
  result.log_determinant = log_determinant;
  return result;
}

std::string failure(const bounds::SelfNormalized& inputs) {
  try {
    self_normalized_bound(inputs);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// Inputs, a ridge and a log-determinant of any plausible size.
struct Draw {
  explicit Draw(std::uint64_t seed) {
    Stream stream(seed, Purpose::test);
    inputs = {stream.uniform(1e-6, 0.9), stream.uniform(0, 20), stream.uniform(0, 3)};
    ridge = std::exp(stream.uniform(-10, 5));
    log_determinant = stream.uniform(0, 500);
    more = 1 + stream.uniform(1e-3, 1);
  }
  double radius() const { return abbasi2012_radius(inputs, evidence(0, ridge, log_determinant)); }

  bounds::SelfNormalized inputs;
  double ridge, log_determinant;
  double more;  // a factor above 1
};

TEST(Abbasi2012, ByHandBeforeTheFirstRound) {
  // Ridge 4, delta = 1/e, R = 3, B = 5: 3 sqrt(2) + 10.
  const bounds::SelfNormalized inputs{std::exp(-1.0), 5, 3};
  EXPECT_NEAR(abbasi2012_radius(inputs, evidence(0, 4, 0)), 14.242640687119285, 1e-14);
  EXPECT_NEAR(*self_normalized_bound(inputs)->radius(evidence(0, 4, 0)), 14.242640687119285, 1e-14);
}

TEST(Abbasi2012, ByHandAfterOneRound) {
  // k(s, s) = 1 and ridge 1/3: det(1 + 3) = 4. With delta = 1/2 the root is over 2 ln 2 + ln 4 = 4 ln 2, so
  // radius = 1/2 * 2 sqrt(ln 2) + 2/sqrt(3) = 0.8325546111576977 + 1.1547005383792515.
  const bounds::SelfNormalized inputs{0.5, 2, 0.5};
  EXPECT_NEAR(*self_normalized_bound(inputs)->radius(evidence(1, 1.0 / 3, std::log(4.0))), 1.9872551495369492,
              1e-14);
}

TEST(Abbasi2012, ByHandOnAProjectedEngine) {
  // Ridge 4, log-determinant 3, residuals 16, delta = 1/e, R = 3, B = 5: 3 sqrt(2 + 3 + 16/4) + (2 + 4) 5.
  const bounds::SelfNormalized inputs{std::exp(-1.0), 5, 3};
  Evidence projected = evidence(1, 4, 3);
  projected.residual_sum = 16;
  EXPECT_NEAR(abbasi2012_radius(inputs, projected), 39, 1e-13);
  projected.arrival_features = true;  // 3 sqrt(2 + 3) + 30
  EXPECT_NEAR(abbasi2012_radius(inputs, projected), 36.708203932499369, 1e-13);
  projected.batch_growth = 4;
  EXPECT_NEAR(abbasi2012_radius(inputs, projected), 2 * 36.708203932499369, 1e-13);
}

TEST(Abbasi2012, AgreesWithTheGoldenRadii) {
  // By golden.py: features of now, on arrival.
  const double expected[][2] = {{19.480073166506167, 19.475486154311692},
                                {19.727331815232408, 11.700732773613438},
                                {259.45110841393743, 259.44540848975746},
                                {5.2541017100895761, 5.2541017100895761}};
  const auto cases = golden::cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bounds::SelfNormalized inputs{cases[i].delta, cases[i].norm_bound, cases[i].noise_bound};
    Evidence known = cases[i].evidence;
    EXPECT_NEAR(abbasi2012_radius(inputs, known), expected[i][0], 1e-9);
    known.arrival_features = true;
    EXPECT_NEAR(abbasi2012_radius(inputs, known), expected[i][1], 1e-9);
  }
}

TEST(Abbasi2012, RisesWithTheResidualsAndLessSoWithFeaturesOnArrival) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    const bounds::SelfNormalized inputs{one.delta, one.norm_bound, one.noise_bound};
    Evidence more = one.evidence, arrival = one.evidence;
    more.residual_sum = 1.5 * one.evidence.residual_sum + 0.01;
    arrival.arrival_features = true;
    RC_ASSERT(abbasi2012_radius(inputs, more) > abbasi2012_radius(inputs, one.evidence));
    RC_ASSERT(abbasi2012_radius(inputs, arrival) <= abbasi2012_radius(inputs, one.evidence));
    more.arrival_features = true;
    RC_ASSERT(abbasi2012_radius(inputs, more) > abbasi2012_radius(inputs, arrival));
  }));
}

TEST(Abbasi2012, IsLargerByTheRootOfTheBatchGrowth) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    const bounds::SelfNormalized inputs{one.delta, one.norm_bound, one.noise_bound};
    Evidence unbatched = one.evidence;
    unbatched.batch_growth = 1;
    const double ratio = abbasi2012_radius(inputs, one.evidence) / abbasi2012_radius(inputs, unbatched);
    RC_ASSERT(std::abs(ratio - std::sqrt(one.evidence.batch_growth)) < 1e-12);
  }));
}

TEST(Abbasi2012, BoundAndFunctionAgree) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const Draw draw(seed);
    RC_ASSERT(*self_normalized_bound(draw.inputs)->radius(evidence(9, draw.ridge, draw.log_determinant)) ==
              draw.radius());
  }));
}

TEST(Abbasi2012, FallsAsDeltaRises) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const Draw draw(seed);
    Draw safer = draw;
    safer.inputs.delta /= draw.more;
    RC_ASSERT(safer.radius() > draw.radius());
  }));
}

TEST(Abbasi2012, RisesWithTheNormBoundTheNoiseBoundTheRidgeAndTheLogDeterminant) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const Draw draw(seed);
    Draw norm = draw, noise = draw, ridge = draw, informed = draw;
    norm.inputs.norm_bound *= draw.more;
    noise.inputs.noise_bound *= draw.more;
    ridge.ridge *= draw.more;
    informed.log_determinant *= draw.more;
    RC_ASSERT(norm.radius() > draw.radius());
    RC_ASSERT(noise.radius() > draw.radius());
    RC_ASSERT(ridge.radius() > draw.radius());
    RC_ASSERT(informed.radius() > draw.radius());
  }));
}

TEST(Abbasi2012, WithoutNoiseIsTheNormTermAndWithoutNormTheNoiseTerm) {
  EXPECT_DOUBLE_EQ(abbasi2012_radius({0.1, 5, 0}, evidence(1, 4, 7)), 10);
  EXPECT_DOUBLE_EQ(abbasi2012_radius({std::exp(-1.0), 0, 3}, evidence(1, 4, 7)), 9);
}

TEST(Abbasi2012, BandIsTheMeanPlusAndMinusTheRadiusTimesTheSd) {
  const Prediction prediction{Vector{{1, -2, 0}}, Vector{{2, 0.5, 0}}, Vector{{4, 1, 1}}};
  // delta = 1/e: radius sqrt(2 + 7) + sqrt(4) = 5.
  const Band band =
      radius_band(prediction, *self_normalized_bound({std::exp(-1.0), 1, 1})->radius(evidence(1, 4, 7)));
  EXPECT_TRUE(band.lower.isApprox(Vector{{-9, -4.5, 0}}, 1e-15));
  EXPECT_TRUE(band.upper.isApprox(Vector{{11, 0.5, 0}}, 1e-15));
  EXPECT_EQ(band.lower[2], 0);
  EXPECT_EQ(band.upper[2], 0);
}

TEST(Abbasi2012, IntervalOfOneStateIsItsPlaceInTheBand) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const Draw draw(seed);
    Stream stream(seed + 1, Purpose::test);
    const double mean = stream.normal(), sd = stream.uniform();
    const Evidence known = evidence(3, draw.ridge, draw.log_determinant);
    const BoundPtr bound = self_normalized_bound(draw.inputs);
    const Interval interval = radius_interval(mean, sd, *bound->radius(known));
    const Band band = radius_band({Vector{{mean}}, Vector{{sd}}, Vector{{1}}}, *bound->radius(known));
    RC_ASSERT(std::abs(interval.lower - band.lower[0]) <= 1e-13 * (1 + std::abs(mean) + draw.radius() * sd));
    RC_ASSERT(std::abs(interval.upper - band.upper[0]) <= 1e-13 * (1 + std::abs(mean) + draw.radius() * sd));
    RC_ASSERT(interval.lower <= mean && mean <= interval.upper);
  }));
}

TEST(Abbasi2012, RefusesInputsOutOfRange) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(failure({0, 1, 1}), "delta must be between 0 and 1 (exclusive), got 0");
  EXPECT_EQ(failure({1, 1, 1}), "delta must be between 0 and 1 (exclusive), got 1");
  EXPECT_EQ(failure({-0.1, 1, 1}), "delta must be between 0 and 1 (exclusive), got -0.1");
  EXPECT_EQ(failure({std::nan(""), 1, 1}), "delta must be between 0 and 1 (exclusive), got nan");
  EXPECT_EQ(failure({0.1, -1, 1}), "norm_bound must be >= 0, got -1");
  EXPECT_EQ(failure({0.1, infinity, 1}), "norm_bound must be >= 0, got inf");
  EXPECT_EQ(failure({0.1, 1, -2}), "noise_bound must be >= 0, got -2");
  EXPECT_EQ(failure({0.1, 1, std::nan("")}), "noise_bound must be >= 0, got nan");
  EXPECT_EQ(failure({0.1, 0, 0}), "nothing was thrown");
}

TEST(Abbasi2012, SurvivesTheSmallestDelta) {
  // ln(1/delta) = 744.44 although 1/delta overflows.
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_NEAR(abbasi2012_radius({smallest, 0, 1}, evidence(0, 1, 0)), std::sqrt(-2 * std::log(smallest)),
              1e-12);
}

}  // namespace
}  // namespace ridgerunner::abbasi2012_self_normalized_test
