#include "ridgerunner/experiment/results.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/experiment/sweep.h"

namespace ridgerunner::results_test {
namespace {

Results some(EnvironmentType type = EnvironmentType::bump) {
  ExperimentSpec spec;
  spec.environment = default_environment(type);
  spec.policies = {{"gp-ucb", PartialSpec::preset("gp-ucb")},
                   {"mine", Json{{"policy", "uniform"}, {"bound", {{"delta", 0.2}}}}}};
  spec.horizon = 15;
  spec.runs = 2;
  spec.seed = INT64_MAX;
  Results results = *sweep(spec, {});
  results.provenance = {"1.2.3", "a \"machine\", 2 cores", "g++", "2024-01-02 03:04:05 UTC"};
  return results;
}

std::string reason(const std::string& text) {
  try {
    results_from_json(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Results, ReadBackExactly) {
  for (const EnvironmentType type : environment_types()) {
    SCOPED_TRACE(name(type));
    const Results results = some(type);
    const std::string text = results_to_json(results);
    const Results again = results_from_json(text);
    EXPECT_EQ(results_to_json(again), text);
    EXPECT_EQ(again.spec.seed, INT64_MAX);
    EXPECT_EQ(again.spec.horizon, 15);
    EXPECT_EQ(again.spec.runs, 2);
    EXPECT_EQ(again.spec.environment, results.spec.environment);
    EXPECT_EQ(again.rounds, results.rounds);
    EXPECT_EQ(again.provenance.machine, results.provenance.machine);
    ASSERT_EQ(again.policies.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(again.policies[i].label, results.policies[i].label);
      EXPECT_EQ(again.policies[i].spec, results.policies[i].spec);
      EXPECT_EQ(again.spec.policies[i].spec.json(), results.spec.policies[i].spec.json());
      for (std::size_t r = 0; r < 2; ++r) {
        const Trajectory &a = results.policies[i].runs[r], &b = again.policies[i].runs[r];
        EXPECT_EQ(a.regret, b.regret);
        EXPECT_EQ(a.ceiling_regret, b.ceiling_regret);
        EXPECT_EQ(a.reward, b.reward);
        EXPECT_EQ(a.seconds, b.seconds);
        EXPECT_EQ(a.anchors, b.anchors);
        EXPECT_EQ(a.log_determinant, b.log_determinant);
        EXPECT_EQ(a.effective_dimension, b.effective_dimension);
        EXPECT_EQ(a.projection_error, b.projection_error);
        EXPECT_EQ(a.clamped, b.clamped);
      }
    }
  }
}

TEST(Results, FiguresOfTheEndAreKeptWhereTheyAreKnown) {
  Trajectory run;
  run.regret = run.reward = run.seconds = run.anchors = {1, 2};
  run.log_determinant = 0.1;
  Trajectory again = trajectory_from_json(trajectory_to_json(run), "run", 2);
  EXPECT_EQ(again.log_determinant, 0.1);
  EXPECT_FALSE(again.effective_dimension);
  EXPECT_FALSE(again.projection_error);
  run.effective_dimension = 1.0 / 3;
  run.projection_error = 0;
  again = trajectory_from_json(trajectory_to_json(run), "run", 2);
  EXPECT_EQ(again.effective_dimension, 1.0 / 3);
  EXPECT_EQ(again.projection_error, 0.0);
}

TEST(Results, AFileOfTheVersionBeforeIsRead) {
  const std::string text = results_to_json(some());
  Json json = parse_json(text);
  json["format_version"] = 2;
  EXPECT_EQ(results_to_json(results_from_json(json.dump())), text);
}

TEST(Results, CurvesOfTheNoiseAreKeptWhereThereAreAny) {
  Trajectory run;
  run.regret = run.reward = run.seconds = run.anchors = {1, 2};
  EXPECT_FALSE(trajectory_to_json(run).contains("ridge"));
  run.noise_lower = {0.1, 0.2};
  run.noise_upper = {1, 0.5};
  run.ridge = {4, 1.0 / 3};
  const Trajectory again = trajectory_from_json(trajectory_to_json(run), "run", 2);
  EXPECT_EQ(again.noise_lower, run.noise_lower);
  EXPECT_EQ(again.noise_upper, run.noise_upper);
  EXPECT_EQ(again.ridge, run.ridge);
  run.ridge = {4};
  EXPECT_THROW(trajectory_from_json(trajectory_to_json(run), "run", 2), InvalidArgument);
}

TEST(Results, TheRecordedSpecRunsAgain) {
  const Results results = some();
  const Spec& spec = results.policies[1].spec;
  EXPECT_NO_THROW(Policy{spec});
  EXPECT_EQ(spec.bound.number("delta"), 0.2);
  EXPECT_EQ(spec.policy, "uniform");
}

TEST(Results, AForeignOrNewerFileIsRefused) {
  EXPECT_EQ(reason("{}"), "format must be \"ridgerunner-results\", got \"\"");
  EXPECT_EQ(reason(R"({"format":"other"})"), "format must be \"ridgerunner-results\", got \"other\"");
  EXPECT_EQ(reason(R"({"format":"ridgerunner-results","format_version":1})"),
            "format_version must be 2 or 3, got 1");
  EXPECT_EQ(reason(R"({"format":"ridgerunner-results","format_version":4})"),
            "format_version must be 2 or 3, got 4");
  EXPECT_EQ(reason(R"({"format":"ridgerunner-results","format_version":3})"), "provenance is missing");
  EXPECT_EQ(reason("[1]"), "the text must be an object, got [1]");
  EXPECT_EQ(reason("PK").find("not JSON: "), 0u);
}

TEST(Results, ATruncatedFileIsRefusedAtEveryLength) {
  const std::string text = results_to_json(some());
  for (std::size_t length = 0; length + 1 < text.size(); length += 7) {
    ASSERT_NE(reason(text.substr(0, length)), "") << length;
  }
}

TEST(Results, ABrokenFieldIsNamed) {
  const Json good = parse_json(results_to_json(some()));
  const auto with = [&](const char* pointer, const Json& value) {
    Json json = good;
    json[Json::json_pointer(pointer)] = value;
    return reason(json.dump());
  };
  EXPECT_EQ(with("/horizon", 0), "horizon must be an integer >= 1, got 0");
  EXPECT_EQ(with("/seed", "x"), "seed must be an integer >= 0, got \"x\"");
  EXPECT_EQ(with("/extra", 1).find("unknown field extra"), 0u);
  EXPECT_EQ(with("/environment/type", "moon").find("environment.type must be one of"), 0u);
  EXPECT_EQ(with("/policies", 3), "policies must be a list, got 3");
  EXPECT_EQ(with("/policies/0", 3), "policies must be an object, got 3");
  EXPECT_EQ(with("/policies/0/runs", 3), "policies must have given, spec and runs");
  EXPECT_EQ(with("/policies/0/runs/0/regret", {1.0}), "policies.runs.regret must have 15 entries, got 1");
  EXPECT_EQ(with("/policies/0/runs/0/reward", nullptr).find("policies.runs.reward must be"), 0u);
  EXPECT_EQ(with("/policies/0/runs/0/anchors", 3), "policies.runs.anchors must have 15 entries, got 1");
  EXPECT_EQ(with("/policies/0/runs/0/log_determinant", "x").find("policies.runs.log_determinant must be"),
            0u);
  EXPECT_EQ(
      with("/policies/0/spec/bound/type", "mine").find("policies.spec: bound.type must be one of fixed, "),
      0u);
  EXPECT_EQ(with("/rounds", Json::array()), "rounds must be a list of numbers, got []");
}

TEST(Results, RoundsThatCannotBeAreRefused) {
  const Json good = parse_json(results_to_json(some()));
  for (const Json& bad : {Json(1e300), Json(-1e300), Json(1.5), Json(0), Json(-3)}) {
    Json json = good;
    json["rounds"][0] = bad;
    EXPECT_NE(reason(json.dump()), "") << bad;
  }
}

TEST(Curve, OfWhichARunHasNoneIsEmpty) {
  Trajectory with, without;
  with.ridge = {1, 2};
  EXPECT_TRUE(curve({with, without}, &Trajectory::ridge).mean.empty());
  EXPECT_TRUE(curve({without, with}, &Trajectory::ridge).mean.empty());
}

TEST(Summarise, IsTheMeanAndTheSampleDeviation) {
  const Summary summary = summarise({1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(summary.mean, 3);
  EXPECT_DOUBLE_EQ(summary.sd, std::sqrt(14.0 / 3));
  EXPECT_EQ(summarise({5}).mean, 5);
  EXPECT_EQ(summarise({5}).sd, 0);
}

TEST(Curve, SummarisesRoundByRound) {
  Trajectory one, two;
  one.regret = {1, 2};
  two.regret = {3, 8};
  const Curve result = curve({one, two}, &Trajectory::regret);
  EXPECT_EQ(result.mean, (std::vector<double>{2, 5}));
  ASSERT_EQ(result.sd.size(), 2u);
  EXPECT_DOUBLE_EQ(result.sd[0], std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(result.sd[1], std::sqrt(18.0));
  EXPECT_TRUE(curve({}, &Trajectory::regret).mean.empty());
  EXPECT_EQ(final_values({one, two}, &Trajectory::regret), (std::vector<double>{2, 8}));
}

}  // namespace
}  // namespace ridgerunner::results_test
