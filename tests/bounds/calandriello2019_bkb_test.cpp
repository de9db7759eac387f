#include "ridgerunner/bounds/calandriello2019_bkb.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bounds/golden_cases.h"
#include "ridgerunner/error.h"

namespace ridgerunner::calandriello2019_bkb_test {
namespace {

std::string failure(const BkbInputs& inputs) {
  try {
    bkb_bound(inputs);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

BkbInputs inputs_of(const golden::Case& one, double accuracy = 0.5, bool printed = false) {
  return {one.delta, one.norm_bound, one.noise_bound, printed, accuracy};
}

Evidence first_round(double prior, double ridge) {
  Evidence one;
  one.rounds = one.anchors = 1;
  one.ridge = ridge;
  one.log_determinant = std::log1p(prior / ridge);
  one.variance_sum = prior / (prior + ridge);
  one.largest_prior = prior;
  return one;
}

TEST(Calandriello2019, ByHandBeforeTheFirstRound) {
  // Ridge 4, delta = 1/e, R = 3, B = 5, accuracy 3/4: 3 sqrt(2) + (1 + 2) 2 * 5.
  Evidence none;
  none.ridge = 4;
  EXPECT_NEAR(calandriello2019_radius({std::exp(-1.0), 5, 3, false, 0.75}, none), 34.242640687119284, 1e-13);
  EXPECT_NEAR(*bkb_bound({std::exp(-1.0), 5, 3, false, 0.75})->radius(none), 34.242640687119284, 1e-13);
  // Printed: 2 * 3 sqrt(1) + 30.
  EXPECT_NEAR(calandriello2019_radius({std::exp(-1.0), 5, 3, true, 0.75}, none), 36, 1e-13);
}

TEST(Calandriello2019, ByHandAfterOneRound) {
  // k(s, s) = e - 1 and ridge 1: 1 + ln(1 + e - 1) = 2, and sd^2 of the state is 1 - 1/e. Accuracy 1/2 makes
  // alpha 3. With delta = 1/e, R = 2, B = 3: 2 sqrt(3 * 2 (1 - 1/e) + 2) + (1 + sqrt(2)) 3.
  const double e = std::exp(1.0);
  EXPECT_NEAR(*bkb_bound({1 / e, 3, 2, false, 0.5})->radius(first_round(e - 1, 1)), 12.056256107142511,
              1e-13);
}

TEST(Calandriello2019, ByHandAsPrinted) {
  // k(s, s) = e and ridge e: ln(e) = 1, sd^2 = 1/2, alpha = 3. With delta = 1/sqrt(e), R = 1, B = 0:
  // 2 sqrt(3/2 + 1/2) = 2.8284...
  const double e = std::exp(1.0);
  EXPECT_NEAR(calandriello2019_radius({1 / std::sqrt(e), 0, 1, true, 0.5}, first_round(e, e)),
              2 * std::sqrt(2.0), 1e-14);
  // The logarithm is 0 for k(s, s) = 1 and cut off below: only the level is left, 2 sqrt(1/2).
  for (const double prior : {1.0, 0.1}) {
    EXPECT_NEAR(calandriello2019_radius({1 / std::sqrt(e), 0, 1, true, 0.5}, first_round(prior, e)),
                std::sqrt(2.0), 1e-14);
  }
}

TEST(Calandriello2019, AgreesWithTheGoldenRadii) {
  // By golden.py: accuracy 0.5, 0.125, printed with accuracy 0.5.
  const double expected[][3] = {{26.522844661630583, 22.265783663048490, 28.576555167951947},
                                {28.887586917164299, 19.064242229587042, 29.066596960053283},
                                {229.48954734682154, 196.63489128584024, 230.09026305525332},
                                {11.983490656898842, 8.4341978894494950, 5.6746758247921375}};
  const auto cases = golden::cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Evidence& known = cases[i].evidence;
    EXPECT_NEAR(calandriello2019_radius(inputs_of(cases[i], 0.5), known), expected[i][0], 1e-9);
    EXPECT_NEAR(calandriello2019_radius(inputs_of(cases[i], 0.125), known), expected[i][1], 1e-9);
    EXPECT_NEAR(calandriello2019_radius(inputs_of(cases[i], 0.5, true), known), expected[i][2], 1e-9);
  }
}

TEST(Calandriello2019, BoundAndFunctionAgree) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed, bool printed) {
    const golden::Case one = golden::random_case(seed);
    const BkbInputs inputs = inputs_of(one, 0.25, printed);
    RC_ASSERT(*bkb_bound(inputs)->radius(one.evidence) == calandriello2019_radius(inputs, one.evidence));
  }));
}

TEST(Calandriello2019, FallsAsDeltaRises) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed, bool printed) {
    const golden::Case one = golden::random_case(seed);
    BkbInputs safer = inputs_of(one, 0.5, printed);
    const double radius = calandriello2019_radius(safer, one.evidence);
    safer.delta /= 1.1;
    RC_ASSERT(calandriello2019_radius(safer, one.evidence) > radius);
  }));
}

TEST(Calandriello2019, RisesWithTheNormBoundTheNoiseBoundAndTheAccuracyParameter) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed, bool printed) {
    const golden::Case one = golden::random_case(seed);
    const BkbInputs inputs = inputs_of(one, 0.5, printed);
    const double radius = calandriello2019_radius(inputs, one.evidence);
    BkbInputs norm = inputs, noise = inputs, rough = inputs;
    norm.norm_bound *= 1.1;
    noise.noise_bound *= 1.1;
    rough.accuracy = 0.6;
    for (const BkbInputs& more : {norm, noise, rough})
      RC_ASSERT(calandriello2019_radius(more, one.evidence) > radius);
  }));
}

TEST(Calandriello2019, RisesWithRoundsVariancesAndPriors) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    const double radius = calandriello2019_radius(inputs_of(one), one.evidence);
    Evidence rounds = one.evidence, variances = rounds, priors = rounds;
    rounds.rounds *= 2;
    variances.variance_sum *= 1.1;
    priors.largest_prior *= 1.1;
    for (const Evidence& more : {rounds, variances, priors})
      RC_ASSERT(calandriello2019_radius(inputs_of(one), more) > radius);
  }));
}

// What the anchors miss is known by the way they were drawn; the residuals, in the variances, count once.
TEST(Calandriello2019, DoesNotDependOnTheSumOfResidualsOtherwiseThanByTheVariances) {
  const golden::Case one = golden::cases()[0];
  Evidence more = one.evidence;
  more.residual_sum *= 2;
  EXPECT_EQ(calandriello2019_radius(inputs_of(one), more),
            calandriello2019_radius(inputs_of(one), one.evidence));
}

TEST(Calandriello2019, IsLargerByTheRootOfTheBatchGrowth) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed, bool printed) {
    const golden::Case one = golden::random_case(seed);
    const BkbInputs inputs = inputs_of(one, 0.5, printed);
    Evidence unbatched = one.evidence;
    unbatched.batch_growth = 1;
    const double ratio =
        calandriello2019_radius(inputs, one.evidence) / calandriello2019_radius(inputs, unbatched);
    RC_ASSERT(std::abs(ratio - std::sqrt(one.evidence.batch_growth)) < 1e-12);
  }));
}

TEST(Calandriello2019, RefusesInputsOutOfRange) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(failure({0, 1, 1, false, 0.5}), "delta must be between 0 and 1 (exclusive), got 0");
  EXPECT_EQ(failure({1, 1, 1, false, 0.5}), "delta must be between 0 and 1 (exclusive), got 1");
  EXPECT_EQ(failure({0.1, -1, 1, false, 0.5}), "norm_bound must be >= 0, got -1");
  EXPECT_EQ(failure({0.1, 1, infinity, false, 0.5}), "noise_bound must be >= 0, got inf");
  EXPECT_EQ(failure({0.1, 1, 1, false, 0}), "accuracy must be between 0 and 1 (exclusive), got 0");
  EXPECT_EQ(failure({0.1, 1, 1, false, 1}), "accuracy must be between 0 and 1 (exclusive), got 1");
  EXPECT_EQ(failure({0.1, 1, 1, false, std::nan("")}),
            "accuracy must be between 0 and 1 (exclusive), got nan");
  EXPECT_EQ(failure({0.1, 0, 0, false, 0.5}), "nothing was thrown");
}

TEST(Calandriello2019, SurvivesTheSmallestDelta) {
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_NEAR(calandriello2019_radius({smallest, 0, 1, false, 0.5}, {}), std::sqrt(-2 * std::log(smallest)),
              1e-12);
}

}  // namespace
}  // namespace ridgerunner::calandriello2019_bkb_test
