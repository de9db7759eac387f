#include "ridgerunner/bounds/durand2018_streaming.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner::durand2018_streaming_test {
namespace {

const bounds::EmpiricalBernstein kByHand{4 * std::exp(-2.0), 2};  // d' = 1/e^2, C = 2

Evidence evidence(double ridge, double residual_sum = 0, bool arrival = false) {
  Evidence known;
  known.ridge = ridge;
  known.residual_sum = residual_sum;
  known.arrival_features = arrival;
  return known;
}

TEST(Durand2018, TheCountTermByHand) {
  // ln(e/d') = 3; ln(π^2 ln^2(t)/6) is negative at t = 2 and counts as 0.
  EXPECT_DOUBLE_EQ(durand2018_count_term(kByHand, 2), 3);
  const double l = std::log(200.0);
  EXPECT_NEAR(durand2018_count_term(kByHand, 200), 3 * (1 + std::log(M_PI * M_PI * l * l / 6) / 2), 1e-13);
  EXPECT_NEAR(durand2018_count_term(kByHand, 200), 8.7487, 1e-4);
}

TEST(Durand2018, TheLowerBoundsByHand) {
  const NoiseEvidence seen{2, 8, 1};
  EXPECT_DOUBLE_EQ(durand2018_noise_estimate(seen), 2);
  EXPECT_NEAR(durand2018_lower_known(kByHand, seen, 0.5), 1 - 0.5 * std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(durand2018_lower_agnostic(kByHand, seen), std::sqrt(3.0) / (1 + std::sqrt(3.0)), 1e-14);
  // Nothing is left of the estimate: 8 squared errors could be bias alone.
  EXPECT_EQ(durand2018_lower_agnostic(kByHand, {2, 8, 100}), 0);
}

TEST(Durand2018, TheUpperBoundsByHand) {
  const NoiseEvidence seen{200, 200, 1};
  const double gain = durand2018_gain_term(kByHand, evidence(1), 0.5, 5);
  EXPECT_DOUBLE_EQ(gain, 9);
  EXPECT_NEAR(durand2018_upper_known(kByHand, seen, gain, 2), 2.49612895, 1e-8);
  EXPECT_NEAR(durand2018_upper_agnostic(kByHand, seen, gain), 3.41723936, 1e-8);
  EXPECT_EQ(durand2018_upper_agnostic(kByHand, {2, 8, 1}, gain), std::numeric_limits<double>::infinity());
}

TEST(Durand2018, TheRadiusByHand) {
  EXPECT_DOUBLE_EQ(durand2018_radius(kByHand, {3, 0.5, 5}, evidence(1)), 11);
  // No data: sqrt(λ) C + σ_+ sqrt(2 ln(1/d')).
  EXPECT_DOUBLE_EQ(durand2018_radius(kByHand, {3, 0.5, 0}, evidence(4)), 4 + 3 * 2);
  EXPECT_DOUBLE_EQ(*empirical_bernstein_bound(kByHand, {3, 0.5, 5})->radius(evidence(1)), 11);
}

TEST(Durand2018, WhatAnchorsMissIsAddedOnBothSides) {
  // Σ r = 2: C sqrt(2/2) = 2 of the estimate, D + 2/0.5, C sqrt(2) more radius.
  const NoiseEvidence exact{2, 18, 1}, projected{2, 18, 1, 2};
  EXPECT_NEAR(durand2018_lower_known(kByHand, projected, 0.5),
              durand2018_lower_known(kByHand, exact, 0.5) - 2, 1e-14);
  EXPECT_NEAR(durand2018_upper_known(kByHand, projected, 9, 0.5),
              durand2018_upper_known(kByHand, exact, 9, 0.5) + 2, 1e-14);
  EXPECT_NEAR(durand2018_lower_agnostic(kByHand, projected), 0, 1e-7);  // 3 - 2 leaves no more than the bias
  EXPECT_DOUBLE_EQ(durand2018_gain_term(kByHand, evidence(1, 2), 0.5, 5), 13);
  EXPECT_DOUBLE_EQ(durand2018_gain_term(kByHand, evidence(1, 2, true), 0.5, 5), 9);
  EXPECT_NEAR(durand2018_radius(kByHand, {3, 0.5, 5}, evidence(1, 2, true)), 11 + 2 * std::sqrt(2.0), 1e-14);
}

TEST(Durand2018, ThePrintedLowerBoundsByHand) {
  // M = 1 + 3/1: C sqrt((1/2) (1 - 1/4)) = 2 sqrt(3/8).
  bounds::EmpiricalBernstein printed = kByHand;
  printed.printed = true;
  const NoiseEvidence seen{2, 8, 1, 0, 3};
  const double bias = 2 * std::sqrt(3.0 / 8);
  EXPECT_NEAR(durand2018_lower_known(printed, seen, 0.5), 2 - 0.5 * std::sqrt(3.0) - bias, 1e-14);
  EXPECT_NEAR(durand2018_lower_agnostic(printed, seen), (2 - bias) / (1 + std::sqrt(3.0)), 1e-14);
}

struct Draw {
  bounds::EmpiricalBernstein inputs;
  NoiseEvidence seen;
  double gain, noise;

  explicit Draw(std::uint64_t seed) {
    Stream random(seed, Purpose::test);
    inputs = {0.5 * random.uniform() + 1e-4, 0.1 + 5 * random.uniform()};
    seen = {std::floor(2 + 500 * random.uniform()), 100 * random.uniform(), 0.001 + random.uniform(),
            random.uniform() < 0.5 ? 0 : random.uniform()};
    gain = 2 * std::log(4 / inputs.delta) + 20 * random.uniform();
    noise = 0.1 + random.uniform();
  }
};

TEST(Durand2018, BoundsWidenAsLessIsKnown) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const Draw d(seed);
    const auto no_tighter = [&](const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen,
                                double gain, double noise) {
      RC_ASSERT(durand2018_upper_known(inputs, seen, gain, noise) >=
                durand2018_upper_known(d.inputs, d.seen, d.gain, d.noise));
      RC_ASSERT(durand2018_upper_agnostic(inputs, seen, gain) >=
                durand2018_upper_agnostic(d.inputs, d.seen, d.gain));
      RC_ASSERT(durand2018_lower_known(inputs, seen, noise) <=
                durand2018_lower_known(d.inputs, d.seen, d.noise));
      RC_ASSERT(durand2018_lower_agnostic(inputs, seen) <= durand2018_lower_agnostic(d.inputs, d.seen));
    };
    bounds::EmpiricalBernstein surer = d.inputs, wilder = d.inputs;
    surer.delta /= 2;
    wilder.norm_bound *= 2;
    NoiseEvidence stiffer = d.seen, poorer = d.seen;
    stiffer.ridge *= 2;
    poorer.residual_sum += 1;
    no_tighter(surer, d.seen, d.gain, d.noise);
    no_tighter(wilder, d.seen, d.gain, d.noise);
    no_tighter(d.inputs, stiffer, d.gain, d.noise);
    no_tighter(d.inputs, poorer, d.gain, d.noise);
    no_tighter(d.inputs, d.seen, d.gain + 1, d.noise);
    no_tighter(d.inputs, d.seen, d.gain, 2 * d.noise);
  }));
}

TEST(Durand2018, LowerBoundsAreBelowTheEstimateAndUpperOnesAbove) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const Draw d(seed);
    const double estimate = durand2018_noise_estimate(d.seen);
    RC_ASSERT(durand2018_lower_known(d.inputs, d.seen, d.noise) <= estimate);
    RC_ASSERT(durand2018_lower_agnostic(d.inputs, d.seen) <= estimate);
    RC_ASSERT(durand2018_upper_known(d.inputs, d.seen, d.gain, d.noise) >= estimate);
    RC_ASSERT(durand2018_upper_agnostic(d.inputs, d.seen, d.gain) >= estimate);
  }));
}

// The agnostic upper bound solves σ a - sqrt(σ) sqrt(4 e) = ŝ: the known one with itself for σ_+ is itself.
TEST(Durand2018, TheAgnosticUpperBoundIsTheFixedPointOfTheKnownOne) {
  for (const NoiseEvidence& seen : {NoiseEvidence{300, 200, 1}, NoiseEvidence{1000, 10, 0.04}}) {
    const double agnostic = durand2018_upper_agnostic(kByHand, seen, 9);
    EXPECT_NEAR(durand2018_upper_known(kByHand, seen, 9, agnostic), agnostic, 1e-12 * agnostic);
  }
}

TEST(Durand2018, RefusesInputsOutOfRange) {
  const auto failure = [](const bounds::EmpiricalBernstein& inputs, const LearntNoise& noise) -> std::string {
    try {
      empirical_bernstein_bound(inputs, noise);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(failure({0, 1}, {}), "delta must be between 0 and 1 (exclusive), got 0");
  EXPECT_EQ(failure({0.1, 0}, {}), "norm_bound must be > 0, got 0");
  EXPECT_EQ(failure({0.1, 1}, {0, 1, 0}), "noise_upper must be > 0, got 0");
  EXPECT_EQ(failure({0.1, 1}, {1, std::nan(""), 0}), "lower_ridge must be > 0, got nan");
  EXPECT_EQ(failure({0.1, 1}, {1, 1, -1}), "log_determinant must be >= 0, got -1");
}

}  // namespace
}  // namespace ridgerunner::durand2018_streaming_test
