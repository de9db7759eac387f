#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reproduction/concluded.h"
#include "ridgerunner/bounds/durand2018_streaming.h"
#include "ridgerunner/error.h"
#include "ridgerunner/experiment/experiment_spec.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/reproduction/uniform_data.h"

namespace ridgerunner::noise_test {
namespace {

using test::concluded;
using test::defined;

constexpr const char* kBound =
    R"({"policy":"adaptive-ucb","bound":{"delta":0.4,"norm_bound":5,"noise_upper":1}})";
constexpr const char* kNoise = R"({
  "paper": "p", "title": "t", "shows": "s", "kind": "noise", "horizon": 700, "runs": 1, "seed": 5, "at": [100],
  "environment": {"type": "taylor_function", "candidates": 41},
  "estimators": [
    {"label": "best", "sigma_plus": "best", "ridge": "adaptive",
     "spec": {"policy":"adaptive-ucb","bound":{"delta":0.4,"norm_bound":5,"noise_upper":1}}},
    {"label": "running", "sigma_plus": "running", "ridge": "adaptive",
     "spec": {"policy":"adaptive-ucb","bound":{"delta":0.4,"norm_bound":5,"noise_upper":1}}},
    {"label": "initial", "sigma_plus": "initial", "ridge": "fixed",
     "spec": {"policy":"adaptive-ucb","bound":{"delta":0.4,"norm_bound":5,"noise_upper":1}}},
    {"label": "none", "sigma_plus": "none", "ridge": "fixed",
     "spec": {"policy":"adaptive-ucb","bound":{"delta":0.4,"norm_bound":5,"noise_upper":1}}}]})";

struct Problem {
  std::uint64_t seed = run_seed(5, 0);
  EnvironmentPtr environment = [this] {
    EnvironmentSpec spec = default_environment(EnvironmentType::taylor_function);
    spec.candidates = 41;
    return make_environment(spec, seed);
  }();
  UniformData data{environment, seed};
};

TEST(NoiseReproduction, TheBestOfBothIsWhatThePolicyLearns) {
  const Outcome outcome = concluded(kNoise);
  const Problem problem;
  Policy policy(contender_spec({"", parse_json(kBound)}, *problem.environment, 700, problem.seed));
  for (std::uint64_t round = 0; round < 700; ++round) {
    const UniformData::Observation seen = problem.data.at(round);
    policy.observe(seen.state, seen.reward);
  }
  EXPECT_NEAR(outcome.values.get("best / upper"), policy.noise()->upper, 1e-9);
  EXPECT_NEAR(outcome.values.get("best / lower"), policy.noise()->lower, 1e-9);
  EXPECT_LT(outcome.values.get("best / upper"), 1);
  EXPECT_EQ(outcome.values.get("best / missed"), 0);
}

// With a fixed ridge each round is the theorem applied to the data so far, by another engine.
TEST(NoiseReproduction, AFixedRidgeIsTheTheoremRoundByRound) {
  const Outcome outcome = concluded(kNoise);
  const Problem problem;
  const double ridge = 1.0 / 25;
  ExactRegression model(make_kernel(problem.environment->facts().kernel), ridge);
  const bounds::EmpiricalBernstein inputs{0.4, 5, false};
  double lower = 0.01, upper = 1, agnostic_lower = 0.01, agnostic_upper = 1;
  for (std::uint64_t round = 0; round < 100; ++round) {
    const UniformData::Observation observed = problem.data.at(round);
    model.observe(observed.state, Vector::Constant(1, observed.reward));
    if (round == 0) continue;
    const Evidence evidence = model.evidence();
    const NoiseEvidence seen{static_cast<double>(round + 1), model.squared_error(), ridge, 0, 1};
    const auto gain = [&](double noise) {
      return durand2018_gain_term(inputs, evidence, noise * noise / 25,
                                  model.log_determinant(noise * noise / 25));
    };
    lower = std::clamp(durand2018_lower_known(inputs, seen, 1), lower, upper);
    upper = std::clamp(durand2018_upper_known(inputs, seen, gain(lower), 1), lower, upper);
    agnostic_lower = std::clamp(durand2018_lower_agnostic(inputs, seen), agnostic_lower, agnostic_upper);
    agnostic_upper = std::clamp(durand2018_upper_agnostic(inputs, seen, gain(agnostic_lower)), agnostic_lower,
                                agnostic_upper);
  }
  EXPECT_NEAR(outcome.values.get("initial / upper at 100"), upper, 1e-6);
  EXPECT_NEAR(outcome.values.get("initial / lower at 100"), lower, 1e-6);
  EXPECT_NEAR(outcome.values.get("none / upper at 100"), agnostic_upper, 1e-6);
  EXPECT_NEAR(outcome.values.get("none / lower at 100"), agnostic_lower, 1e-6);
}

TEST(NoiseReproduction, FeedingTheBoundBackTightensIt) {
  const Outcome outcome = concluded(kNoise);
  EXPECT_LE(outcome.values.get("running / upper"), outcome.values.get("initial / upper") + 1e-12);
  EXPECT_LE(outcome.values.get("best / upper"), outcome.values.get("running / upper") + 1e-12);
  EXPECT_GE(outcome.values.get("best / upper"), 0.1);
}

TEST(NoiseReproduction, ABoundThatKnowsTheNoiseIsRefused) {
  EXPECT_THROW(make_reproduction(defined(R"({"paper":"p","title":"t","shows":"s","kind":"noise",
    "environment":{"type":"taylor_function"},"estimators":[{"label":"a","spec":{"policy":"gp-ucb"}}]})"),
                                 Size::full),
               InvalidArgument);
  EXPECT_THROW(make_reproduction(defined(R"({"paper":"p","title":"t","shows":"s","kind":"noise",
    "environment":{"type":"taylor_function"},
    "estimators":[{"label":"a","ridge":"loose","spec":{"policy":"adaptive-ucb"}}]})"),
                                 Size::full),
               InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::noise_test
