#include "ridgerunner/bounds/chowdhury2017_igp.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bounds/golden_cases.h"
#include "ridgerunner/error.h"

namespace ridgerunner::chowdhury2017_igp_test {
namespace {

std::string failure(const bounds::Igp& inputs) {
  try {
    igp_bound(inputs);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// The cases' ridges are what this bound's exceeds 1 by.
golden::Case raised(golden::Case one) {
  one.evidence.ridge += 1;
  return one;
}

bounds::Igp inputs_of(const golden::Case& one) {
  return {one.delta, one.norm_bound, one.noise_bound};
}

TEST(Chowdhury2017, ByHandBeforeTheFirstRound) {
  // Ridge 4, delta = 1/e, R = 3, B = 5: 2 (3 sqrt(2) + 5).
  Evidence none;
  none.ridge = 4;
  EXPECT_NEAR(chowdhury2017_radius({std::exp(-1.0), 5, 3}, none), 18.485281374238570, 1e-14);
}

TEST(Chowdhury2017, ByHandAfterTwoRounds) {
  // Ridge 4, log-determinant 1, delta = 1/e, R = 3, B = 5: 2 (3 sqrt(1 + 6 + 2) + 5).
  Evidence two;
  two.rounds = 2;
  two.ridge = 4;
  two.log_determinant = 1;
  EXPECT_NEAR(chowdhury2017_radius({std::exp(-1.0), 5, 3}, two), 28, 1e-13);
  EXPECT_NEAR(*igp_bound({std::exp(-1.0), 5, 3})->radius(two), 28, 1e-13);
}

TEST(Chowdhury2017, AgreesWithTheGoldenRadii) {
  const double expected[] = {18.760491046112334, 12.067161462093096, 172.27873857741843, 3.9582098510446327};
  const auto cases = golden::cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const golden::Case one = raised(cases[i]);
    EXPECT_NEAR(chowdhury2017_radius(inputs_of(one), one.evidence), expected[i], 1e-9);
  }
}

TEST(Chowdhury2017, BoundAndFunctionAgree) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = raised(golden::random_case(seed));
    const bounds::Igp inputs = inputs_of(one);
    RC_ASSERT(*igp_bound(inputs)->radius(one.evidence) == chowdhury2017_radius(inputs, one.evidence));
  }));
}

TEST(Chowdhury2017, FallsAsDeltaRisesAndRisesWithEverythingElse) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = raised(golden::random_case(seed));
    const double radius = chowdhury2017_radius(inputs_of(one), one.evidence);
    bounds::Igp safer = inputs_of(one), norm = safer, noise = safer;
    safer.delta /= 1.1;
    norm.norm_bound *= 1.1;
    noise.noise_bound *= 1.1;
    for (const bounds::Igp& more : {safer, norm, noise})
      RC_ASSERT(chowdhury2017_radius(more, one.evidence) > radius);
    Evidence rounds = one.evidence, ridge = rounds, informed = rounds;
    rounds.rounds += 10;
    ridge.ridge *= 1.1;
    informed.log_determinant += 1;
    for (const Evidence& more : {rounds, ridge, informed})
      RC_ASSERT(chowdhury2017_radius(inputs_of(one), more) > radius);
  }));
}

TEST(Chowdhury2017, RefusesInputsOutOfRange) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(failure({0, 1, 1}), "delta must be between 0 and 1 (exclusive), got 0");
  EXPECT_EQ(failure({std::nan(""), 1, 1}), "delta must be between 0 and 1 (exclusive), got nan");
  EXPECT_EQ(failure({0.1, -1, 1}), "norm_bound must be >= 0, got -1");
  EXPECT_EQ(failure({0.1, 1, infinity}), "noise_bound must be >= 0, got inf");
  EXPECT_EQ(failure({0.1, 0, 0}), "nothing was thrown");
}

}  // namespace
}  // namespace ridgerunner::chowdhury2017_igp_test
