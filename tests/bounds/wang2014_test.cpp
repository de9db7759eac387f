#include "ridgerunner/bounds/wang2014.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bounds/golden_cases.h"
#include "ridgerunner/error.h"

namespace ridgerunner::wang2014_test {
namespace {

std::string failure(const bounds::WangDeFreitas& inputs) {
  try {
    wang_de_freitas_bound(inputs);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bounds::WangDeFreitas inputs_of(const golden::Case& one) {
  return {one.delta, one.norm_bound, one.noise_bound};
}

TEST(Wang2014, ByHandBeforeTheFirstRound) {
  // Ridge 4, delta = 2/e, R = 1, B = 3: l^2 = 9 + 3 sqrt(2 + 2 ln 2) + 2.
  Evidence none;
  none.ridge = 4;
  EXPECT_NEAR(wang2014_radius({2 * std::exp(-1.0), 3, 1}, none), 2 * std::sqrt(16.520566026240335), 1e-13);
}

TEST(Wang2014, ByHandWithData) {
  // The same with log-determinant 4: l^2 = 9 + 4 + 3 sqrt(2 + 2 ln 2) + 4 + 2.
  Evidence known;
  known.rounds = 3;
  known.ridge = 4;
  known.log_determinant = 4;
  EXPECT_NEAR(wang2014_radius({2 * std::exp(-1.0), 3, 1}, known), 9.9036490297749, 1e-12);
  EXPECT_NEAR(*wang_de_freitas_bound({2 * std::exp(-1.0), 3, 1})->radius(known), 9.9036490297749, 1e-12);
}

TEST(Wang2014, AgreesWithTheGoldenRadii) {
  const double expected[] = {15.091676445415269, 0.23518960176959714, 90.858773483649099,
                             0.45421295786226049};
  const auto cases = golden::cases();
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_NEAR(wang2014_radius(inputs_of(cases[i]), cases[i].evidence), expected[i], 1e-9);
}

TEST(Wang2014, BoundAndFunctionAgree) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    const bounds::WangDeFreitas inputs = inputs_of(one);
    RC_ASSERT(*wang_de_freitas_bound(inputs)->radius(one.evidence) == wang2014_radius(inputs, one.evidence));
  }));
}

TEST(Wang2014, FallsAsDeltaRisesAndRisesWithEverythingElse) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = golden::random_case(seed);
    const double radius = wang2014_radius(inputs_of(one), one.evidence);
    bounds::WangDeFreitas safer = inputs_of(one), norm = safer, noise = safer;
    safer.delta /= 1.1;
    norm.norm_bound *= 1.1;
    noise.noise_bound *= 1.1;
    for (const bounds::WangDeFreitas& more : {safer, norm, noise})
      RC_ASSERT(wang2014_radius(more, one.evidence) > radius);
    Evidence ridge = one.evidence, informed = ridge;
    ridge.ridge *= 1.1;
    informed.log_determinant += 1;
    for (const Evidence& more : {ridge, informed}) RC_ASSERT(wang2014_radius(inputs_of(one), more) > radius);
  }));
}

TEST(Wang2014, SurvivesTheSmallestDelta) {
  // ln(2/delta) = 745.13 although 2/delta overflows.
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_NEAR(wang2014_radius({smallest, 0, 1}, Evidence{}),
              std::sqrt(2 * (std::log(2) - std::log(smallest))), 1e-12);
}

TEST(Wang2014, RefusesInputsOutOfRange) {
  EXPECT_EQ(failure({1, 1, 1}), "delta must be between 0 and 1 (exclusive), got 1");
  EXPECT_EQ(failure({0.1, std::nan(""), 1}), "norm_bound must be >= 0, got nan");
  EXPECT_EQ(failure({0.1, 1, -2}), "noise_bound must be >= 0, got -2");
  EXPECT_EQ(failure({0.1, 0, 0}), "nothing was thrown");
}

}  // namespace
}  // namespace ridgerunner::wang2014_test
