#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reproduction/concluded.h"
#include "ridgerunner/error.h"
#include "ridgerunner/experiment/experiment_spec.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/reproduction/uniform_data.h"

namespace ridgerunner::bands_test {
namespace {

using test::concluded;
using test::defined;

constexpr const char* kBands = R"({
  "paper": "p", "title": "t", "shows": "s", "kind": "bands", "evaluations": [1, 12], "runs": 2, "seed": 5,
  "environment": {"type": "taylor_function", "candidates": 41},
  "policies": [
    {"label": "cmm", "spec": {"policy": "cmm-ucb"}, "within": "dmm"},
    {"label": "dmm", "spec": {"policy": "dmm-ucb"}, "within": "amm"},
    {"label": "amm", "spec": {"policy": "amm-ucb"}, "within": "ay"},
    {"label": "ay", "spec": {"policy": "ay-gp-ucb"}}]})";

TEST(BandsReproduction, ValuesAreThoseOfThePolicyGivenTheSameData) {
  const Outcome outcome = concluded(kBands);
  EnvironmentSpec problem = default_environment(EnvironmentType::taylor_function);
  problem.candidates = 41;
  double width = 0, error = 0;
  for (std::uint64_t run = 0; run < 2; ++run) {
    const std::uint64_t seed = run_seed(5, run);
    const EnvironmentPtr environment = make_environment(problem, seed);
    const UniformData data(environment, seed);
    Policy policy(contender_spec({"ay", parse_json(R"({"policy":"ay-gp-ucb"})")}, *environment, 1000, seed));
    for (std::uint64_t round = 0; round < 12; ++round)
      policy.observe(data.at(round).state, data.at(round).reward);
    const Forecast at = policy.predict(data.arms());
    width += (2 * *policy.statistics().radius * at.sd).mean() / 2;
    error += (at.mean - data.expected()).cwiseAbs().mean() / 2;
  }
  EXPECT_NEAR(outcome.values.get("t = 12 / ay / width"), width, 1e-9 * width);
  EXPECT_NEAR(outcome.values.get("t = 12 / ay / error"), error, 1e-9);
}

TEST(BandsReproduction, TighterBoundsAreNowhereWider) {
  const Outcome outcome = concluded(kBands);
  for (const std::string t : {"t = 1", "t = 12"}) {
    EXPECT_LE(outcome.values.get(t + " / cmm / width over dmm, most"), 1 + 1e-6);
    EXPECT_LE(outcome.values.get(t + " / dmm / width over amm, most"), 1 + 1e-9);
    EXPECT_LE(outcome.values.get(t + " / amm / width over ay, most"), 1 + 1e-9);
    EXPECT_EQ(outcome.values.get(t + " / cmm / missed"), 0);
  }
  EXPECT_LT(outcome.values.get("t = 12 / ay / width"), outcome.values.get("t = 1 / ay / width"));
}

TEST(BandsReproduction, WhatMakesNoSenseIsRefused) {
  for (const char* spec : {
           R"({"paper":"p","title":"t","shows":"s","kind":"bands","evaluations":[1],
               "environment":{"type":"taylor_function"},
               "policies":[{"label":"a","spec":{"policy":"k-ucb"},"within":"b"}]})",
           R"({"paper":"p","title":"t","shows":"s","kind":"bands","evaluations":[1],
               "environment":{"type":"bump"},"policies":[{"label":"a","spec":{"policy":"k-ucb"}}]})",
           R"({"paper":"p","title":"t","shows":"s","kind":"bands","environment":{"type":"taylor_function"},
               "policies":[{"label":"a","spec":{"policy":"k-ucb"}}]})"})
    EXPECT_THROW(make_reproduction(defined(spec), Size::full), InvalidArgument) << spec;
}

}  // namespace
}  // namespace ridgerunner::bands_test
