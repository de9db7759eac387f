#include "ridgerunner/bounds/zenati2022_ekucb.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bounds/golden_cases.h"
#include "ridgerunner/error.h"

namespace ridgerunner::zenati2022_ekucb_test {
namespace {

std::string failure(const EkUcbInputs& inputs) {
  try {
    ekucb_bound(inputs);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

EkUcbInputs inputs_of(const golden::Case& one, std::optional<double> projection = std::nullopt) {
  return {one.delta, one.norm_bound, one.noise_bound, projection};
}

TEST(Zenati2022, ByHandBeforeTheFirstRound) {
  // Ridge 4, delta = 1/e, R = 3, B = 5, mu = 1: (2 + 1) 5 + 3 sqrt(4) = 21.
  Evidence none;
  none.ridge = 4;
  EXPECT_NEAR(zenati2022_radius({std::exp(-1.0), 5, 3, 1}, none), 21, 1e-14);
  EXPECT_NEAR(*ekucb_bound({std::exp(-1.0), 5, 3, 1})->radius(none), 21, 1e-14);
  // Nothing has been missed yet, if the sum of residuals is to say it: 10 + 6.
  EXPECT_NEAR(zenati2022_radius({std::exp(-1.0), 5, 3, std::nullopt}, none), 16, 1e-14);
}

TEST(Zenati2022, ByHandAfterOneRound) {
  // k(s, s) = e - 1 and ridge 1: ln(e + e (e - 1)) = 2, and sd^2 of the state is (e - 1)/e. With delta = 1/e,
  // R = 1, B = 2, mu = 1/4: (1 + 1/2) 2 + sqrt(4 + 2 * 2 (1 - 1/e)) = 3 + 2.555089476968318.
  const double e = std::exp(1.0);
  Evidence one;
  one.rounds = one.anchors = 1;
  one.log_determinant = 1;
  one.variance_sum = 1 - 1 / e;
  one.largest_prior = e - 1;
  EXPECT_NEAR(*ekucb_bound({1 / e, 2, 1, 0.25})->radius(one), 5.555089476968318, 1e-14);
}

TEST(Zenati2022, AgreesWithTheGoldenRadii) {
  // By golden.py: projection 0.5, none.
  const double expected[][2] = {{19.046244146706919, 20.635430372685830},
                                {24.195852868189758, 23.967299477596484},
                                {102.03805300464159, 259.64661632369206},
                                {11.770607336841346, 10.545862465449757}};
  const auto cases = golden::cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_NEAR(zenati2022_radius(inputs_of(cases[i], 0.5), cases[i].evidence), expected[i][0], 1e-9);
    EXPECT_NEAR(zenati2022_radius(inputs_of(cases[i]), cases[i].evidence), expected[i][1], 1e-9);
  }
}

TEST(Zenati2022, BoundAndFunctionAgree) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    const EkUcbInputs inputs = inputs_of(one, 0.3);
    RC_ASSERT(*ekucb_bound(inputs)->radius(one.evidence) == zenati2022_radius(inputs, one.evidence));
  }));
}

TEST(Zenati2022, FallsAsDeltaRises) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    EkUcbInputs safer = inputs_of(one);
    safer.delta /= 1.1;
    RC_ASSERT(zenati2022_radius(safer, one.evidence) > zenati2022_radius(inputs_of(one), one.evidence));
  }));
}

TEST(Zenati2022, RisesWithTheNormBoundTheNoiseBoundAndTheProjection) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    const double radius = zenati2022_radius(inputs_of(one, 0.3), one.evidence);
    EkUcbInputs norm = inputs_of(one, 0.3), noise = norm, projection = norm;
    norm.norm_bound *= 1.1;
    noise.noise_bound *= 1.1;
    projection.projection = 0.33;
    RC_ASSERT(zenati2022_radius(norm, one.evidence) > radius);
    RC_ASSERT(zenati2022_radius(noise, one.evidence) > radius);
    RC_ASSERT(zenati2022_radius(projection, one.evidence) > radius);
  }));
}

TEST(Zenati2022, RisesWithRoundsVariancesPriorsAndResiduals) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    const EkUcbInputs inputs = inputs_of(one);
    const double radius = zenati2022_radius(inputs, one.evidence);
    Evidence rounds = one.evidence, variances = rounds, priors = rounds, residuals = rounds;
    rounds.rounds *= 2;
    variances.variance_sum *= 1.1;
    priors.largest_prior *= 1.1;
    residuals.residual_sum += 0.1;
    for (const Evidence& more : {rounds, variances, priors, residuals})
      RC_ASSERT(zenati2022_radius(inputs, more) > radius);
  }));
}

TEST(Zenati2022, AGivenProjectionStandsForTheResidualsUnlessFeaturesAreThoseOnArrival) {
  Evidence known = golden::cases()[0].evidence;
  Evidence more = known;
  more.residual_sum *= 2;
  const EkUcbInputs given{0.1, 1, 1, 0.5}, without{0.1, 1, 1, std::nullopt};
  EXPECT_EQ(zenati2022_radius(given, known), zenati2022_radius(given, more));
  known.arrival_features = more.arrival_features = true;
  EXPECT_LT(zenati2022_radius(given, known), zenati2022_radius(given, more));
  EXPECT_EQ(zenati2022_radius(given, known), zenati2022_radius(without, known));
}

TEST(Zenati2022, IsLargerByTheRootOfTheBatchGrowth) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    Evidence unbatched = one.evidence;
    unbatched.batch_growth = 1;
    const double ratio =
        zenati2022_radius(inputs_of(one), one.evidence) / zenati2022_radius(inputs_of(one), unbatched);
    RC_ASSERT(std::abs(ratio - std::sqrt(one.evidence.batch_growth)) < 1e-12);
  }));
}

TEST(Zenati2022, RefusesInputsOutOfRange) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(failure({0, 1, 1, {}}), "delta must be between 0 and 1 (exclusive), got 0");
  EXPECT_EQ(failure({1, 1, 1, {}}), "delta must be between 0 and 1 (exclusive), got 1");
  EXPECT_EQ(failure({std::nan(""), 1, 1, {}}), "delta must be between 0 and 1 (exclusive), got nan");
  EXPECT_EQ(failure({0.1, -1, 1, {}}), "norm_bound must be >= 0, got -1");
  EXPECT_EQ(failure({0.1, infinity, 1, {}}), "norm_bound must be >= 0, got inf");
  EXPECT_EQ(failure({0.1, 1, -2, {}}), "noise_bound must be >= 0, got -2");
  EXPECT_EQ(failure({0.1, 1, 1, 0.0}), "projection must be > 0, got 0");
  EXPECT_EQ(failure({0.1, 1, 1, std::nan("")}), "projection must be > 0, got nan");
  EXPECT_EQ(failure({0.1, 0, 0, {}}), "nothing was thrown");
}

TEST(Zenati2022, SurvivesTheSmallestDelta) {
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_NEAR(zenati2022_radius({smallest, 0, 1, {}}, {}), std::sqrt(-4 * std::log(smallest)), 1e-12);
}

}  // namespace
}  // namespace ridgerunner::zenati2022_ekucb_test
