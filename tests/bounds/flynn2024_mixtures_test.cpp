#include "ridgerunner/bounds/flynn2024_mixtures.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bounds/golden_cases.h"
#include "oracles/dense.h"
#include "oracles/problems.h"
#include "ridgerunner/bounds/abbasi2012_self_normalized.h"
#include "ridgerunner/bounds/chowdhury2017_igp.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner::flynn2024_mixtures_test {
namespace {

template <class Make>
std::string failure(const Make& make) {
  try {
    make();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

MixtureInputs inputs_of(const golden::Case& one) {
  return {one.delta, one.norm_bound, one.noise_bound};
}

// A case with rewards.
golden::Case with_rewards(std::uint64_t seed) {
  golden::Case one = golden::random_case(seed);
  one.evidence.quadratic_form = Stream(seed, Purpose::test, 1).uniform(0, 100);
  one.evidence.arrival_features = true;
  return one;
}

// The header's: ridge 4, log-determinant 1, delta = 1/e, R = 2, B = 3, q = 5.
struct ByHand {
  MixtureInputs inputs{std::exp(-1.0), 3, 2};
  Evidence evidence;
  ByHand() {
    evidence.rounds = 1;
    evidence.ridge = 4;
    evidence.log_determinant = 1;
    evidence.quadratic_form = 5;
  }
};

TEST(Flynn2024, ByHandBeforeTheFirstRound) {
  Evidence none;
  none.ridge = 4;
  // 4 * 2 + 4 * 9 = 44 under the root; R_t^2 = 8.
  const MixtureInputs inputs{std::exp(-1.0), 3, 2};
  EXPECT_NEAR(flynn2024_amm_radius(inputs, none), std::sqrt(44), 1e-14);
  EXPECT_NEAR(flynn2024_squared_radius(inputs, none), 8, 1e-14);
}

TEST(Flynn2024, ByHandWithData) {
  const ByHand hand;
  EXPECT_NEAR(flynn2024_amm_radius(hand.inputs, hand.evidence), 6.928203230275509, 1e-14);
  EXPECT_NEAR(*amm_bound(hand.inputs)->radius(hand.evidence), 6.928203230275509, 1e-14);
  EXPECT_NEAR(flynn2024_squared_radius(hand.inputs, hand.evidence), 32, 1e-13);
}

TEST(Flynn2024, ByHandOnAGrowingSubspace) {
  ByHand hand;
  hand.evidence.residual_sum = 1;
  hand.evidence.arrival_features = true;
  EXPECT_NEAR(flynn2024_amm_radius(hand.inputs, hand.evidence), 9.928203230275509, 1e-14);
  EXPECT_NEAR(flynn2024_squared_radius(hand.inputs, hand.evidence), 82.56921938165306, 1e-13);
}

TEST(Flynn2024, AgreesWithTheGoldenNumbers) {
  // By golden.py: radius without and with residuals, square without and with, q = 3.25.
  const double expected[][4] = {
      {10.033175140688005, 18.693429178532391, 3.9146034037197618, 252.69429445280619},
      {11.559932198529864, 11.684932198529864, 133.63503243460749, 136.54064048423995},
      {30.000112936524475, 81.961637163590794, 325.00677620422319, 6142.7099665361076},
      {2.9351610153427855, 2.9351610153427855, 8.6376701859880914, 8.6376701859880914}};
  const auto cases = golden::cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Evidence projected = cases[i].evidence;
    projected.quadratic_form = 3.25;
    Evidence exact = projected;
    exact.residual_sum = 0;
    const MixtureInputs inputs = inputs_of(cases[i]);
    EXPECT_NEAR(flynn2024_amm_radius(inputs, exact), expected[i][0], 1e-9);
    EXPECT_NEAR(flynn2024_amm_radius(inputs, projected), expected[i][1], 1e-9);
    EXPECT_NEAR(flynn2024_squared_radius(inputs, exact), expected[i][2], 1e-9);
    EXPECT_NEAR(flynn2024_squared_radius(inputs, projected), expected[i][3], 1e-9);
  }
}

TEST(Flynn2024, AtTheRidgeTheMixtureIsTheRadius) {
  // T(α) = radius_squared + α B^2 - α q(α), whatever was missed.
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = with_rewards(seed);
    const MixtureInputs inputs = inputs_of(one);
    const Mixture mixture = *cmm_bound(inputs)->mixture(one.evidence);
    const double ridge = one.evidence.ridge, norm = inputs.norm_bound;
    const double bias = ridge * norm * norm, form = ridge * one.evidence.quadratic_form;
    const double radius = flynn2024_amm_radius(inputs, one.evidence);
    const double slack = mixture.radius_squared + bias - form;
    RC_ASSERT(std::abs(slack - radius * radius) <= 1e-12 * (mixture.radius_squared + bias + form));
  }));
}

TEST(Flynn2024, BoundsAndFunctionsAgree) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = with_rewards(seed);
    const MixtureInputs inputs = inputs_of(one);
    RC_ASSERT(*amm_bound(inputs)->radius(one.evidence) == flynn2024_amm_radius(inputs, one.evidence));
    RC_ASSERT(!amm_bound(inputs)->mixture(one.evidence));
    const Mixture all = *cmm_bound(inputs)->mixture(one.evidence);
    const Mixture some = *dmm_bound(inputs, {0.5, 1, 4})->mixture(one.evidence);
    RC_ASSERT(!cmm_bound(inputs)->radius(one.evidence) && !dmm_bound(inputs, {1})->radius(one.evidence));
    const double ridge = one.evidence.ridge;
    RC_ASSERT(all.grid.empty());
    RC_ASSERT((some.grid == std::vector<double>{0.5 * ridge, ridge, 4 * ridge}));
    for (const Mixture& mixture : {all, some}) {
      RC_ASSERT(mixture.radius_squared == flynn2024_squared_radius(inputs, one.evidence));
      RC_ASSERT(mixture.norm_bound == inputs.norm_bound);
    }
  }));
}

TEST(Flynn2024, FallsAsDeltaRisesAndRisesWithEverythingElse) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const golden::Case one = with_rewards(seed);
    const auto expect_more = [&](const MixtureInputs& inputs, const Evidence& evidence) {
      RC_ASSERT(flynn2024_amm_radius(inputs, evidence) > flynn2024_amm_radius(inputs_of(one), one.evidence));
      RC_ASSERT(flynn2024_squared_radius(inputs, evidence) >
                flynn2024_squared_radius(inputs_of(one), one.evidence));
    };
    MixtureInputs safer = inputs_of(one), norm = safer, noise = safer;
    safer.delta /= 1.1;
    norm.norm_bound *= 1.1;
    noise.noise_bound *= 1.1;
    expect_more(safer, one.evidence);
    expect_more(norm, one.evidence);
    expect_more(noise, one.evidence);
    Evidence ridge = one.evidence, informed = ridge, missed = ridge;
    ridge.ridge *= 1.1;
    informed.log_determinant += 1;
    missed.residual_sum += 0.1;
    for (const Evidence& more : {ridge, informed, missed}) expect_more(inputs_of(one), more);
  }));
}

// Theorem 6.3, for a model with data, at its own ridge and everywhere at once: the bounds differ by radius.
TEST(Flynn2024, AmmIsNarrowerThanTheSelfNormalizedBoundAtTheSameRidge) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Stream random(seed, Purpose::test);
    const double delta = random.uniform(1e-4, 0.9), norm = random.uniform(0.1, 20);
    const double noise = random.uniform(0.01, 2), ridge = std::exp(random.uniform(-7, 3));
    ExactRegression model(matern52(0.4), ridge);
    for (int t = 0; t < 12; ++t) {
      const Evidence evidence = model.evidence();
      RC_ASSERT(flynn2024_amm_radius({delta, norm, noise}, evidence) <
                abbasi2012_radius({delta, norm, noise}, evidence));
      model.observe(oracle::uniform_points(random, 2, 1), oracle::normals(random, 1));
    }
  }));
}

// Theorem 6.3: with c = R^2/(1 + η) AMM's ridge is IGP's own, 1 + η, and so are mean and sd. IGP's η is 2/T.
TEST(Flynn2024, AmmIsNarrowerThanIgpAtItsRidge) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Stream random(seed, Purpose::test);
    const double delta = random.uniform(1e-4, 0.9), norm = random.uniform(0.1, 20);
    const double noise = random.uniform(0.01, 2);
    const Index horizon = 1 + random.index(20);
    ExactRegression model(gaussian(0.3), 1 + 2 / static_cast<double>(horizon));
    for (Index t = 0; t <= horizon; ++t) {
      const Evidence evidence = model.evidence();
      RC_ASSERT(flynn2024_amm_radius({delta, norm, noise}, evidence) <
                chowdhury2017_radius({delta, norm, noise}, evidence));
      model.observe(oracle::uniform_points(random, 2, 1), oracle::normals(random, 1));
    }
  }));
}

// By its definition, from the data: the squared radius is that of the mixture's likelihood ratio.
TEST(Flynn2024, TheSquaredRadiusOfAModelIsThatOfItsData) {
  Stream random(5, Purpose::test);
  const Matrix states = oracle::uniform_points(random, 2, 30);
  const Vector rewards = oracle::normals(random, 30);
  const double ridge = 0.3;
  const KernelPtr kernel = gaussian(0.4);
  ExactRegression model(kernel, ridge);
  model.observe(states, rewards);
  const oracle::DenseRegression dense(*kernel, states, rewards, ridge);
  const long double expected =
      ridge * dense.quadratic_form() + 0.25L * (dense.log_determinant() + 2 * std::log(20.0L));
  EXPECT_NEAR(flynn2024_squared_radius({0.05, 3, 0.5}, model.evidence()), static_cast<double>(expected),
              1e-11);
}

TEST(Flynn2024, RefusesInputsOutOfRange) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(failure([] { amm_bound({0, 1, 1}); }), "delta must be between 0 and 1 (exclusive), got 0");
  EXPECT_EQ(failure([] { dmm_bound({0.1, -1, 1}, {1}); }), "norm_bound must be >= 0, got -1");
  EXPECT_EQ(failure([] { cmm_bound({0.1, 1, std::nan("")}); }), "noise_bound must be >= 0, got nan");
  EXPECT_EQ(failure([] { dmm_bound({0.1, 1, 1}, {}); }), "grid must not be empty");
  EXPECT_EQ(failure([] { dmm_bound({0.1, 1, 1}, {1, 0}); }), "grid must be > 0, got 0");
  EXPECT_EQ(failure([] { dmm_bound({0.1, 1, 1}, {infinity}); }), "grid must be > 0, got inf");
  EXPECT_EQ(failure([] { amm_bound({0.1, 0, 0}); }), "nothing was thrown");
}

}  // namespace
}  // namespace ridgerunner::flynn2024_mixtures_test
