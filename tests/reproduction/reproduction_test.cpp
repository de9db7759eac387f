#include "ridgerunner/reproduction/reproduction.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reproduction/concluded.h"
#include "ridgerunner/error.h"

namespace ridgerunner::reproduction_test {
namespace {

using test::concluded;
using test::defined;
using test::MemoryStore;

constexpr const char* kRegret = R"({
  "paper": "p", "title": "Figure 0", "shows": "what it shows", "kind": "regret",
  "environment": {"type": "chessboard", "draw": "paper"}, "horizon": 60, "runs": 2, "seed": 3, "at": [30],
  "quick": {"horizon": 10, "runs": 1},
  "panels": [
    {"title": "λ = 1", "policies": [
      {"label": "K-UCB", "seconds": 2, "spec": {"policy": "k-ucb", "regression": {"ridge": 1}}},
      {"label": "uniform", "spec": {"policy": "uniform"}}]},
    {"title": "λ = 10", "policies": [
      {"label": "K-UCB", "spec": {"policy": "k-ucb", "regression": {"ridge": 10}}},
      {"label": "uniform", "spec": {"policy": "uniform"}}]}]})";

std::vector<std::pair<std::string, double>> without_times(const Values& values) {
  std::vector<std::pair<std::string, double>> rest;
  for (const auto& [name, value] : values.entries()) {
    if (name.find("seconds") == std::string::npos) rest.emplace_back(name, value);
  }
  return rest;
}

TEST(RegretReproduction, ValuesAreThoseOfASweep) {
  MemoryStore store;
  const Outcome outcome = concluded(defined(kRegret), store);
  ExperimentSpec spec;
  spec.environment = default_environment(EnvironmentType::chessboard);
  spec.environment.draw = Draw::paper;
  spec.policies = {{"K-UCB", parse_json(R"({"policy":"k-ucb","regression":{"ridge":10}})")}};
  spec.horizon = 60;
  spec.runs = 2;
  spec.seed = 3;
  const Results results = *sweep(spec, {});
  const std::vector<Trajectory>& runs = results.policies[0].runs;
  EXPECT_EQ(outcome.values.get("λ = 10 / K-UCB / regret"), curve(runs, &Trajectory::regret).mean[59]);
  EXPECT_EQ(outcome.values.get("λ = 10 / K-UCB / regret at 30"), curve(runs, &Trajectory::regret).mean[29]);
  EXPECT_EQ(outcome.values.get("λ = 10 / K-UCB / anchors"), 60);
  EXPECT_GT(outcome.values.get("λ = 1 / K-UCB / regret to ceiling"),
            outcome.values.get("λ = 1 / K-UCB / regret"));
}

TEST(RegretReproduction, PanelsShareRunsOfTheSamePolicy) {
  MemoryStore store;
  concluded(defined(kRegret), store);
  EXPECT_EQ(store.kept.size(), 6u);  // of 8: uniform's two serve both panels
}

TEST(RegretReproduction, ResumedIsTheSameAsInOneGo) {
  MemoryStore whole, parts;
  const Definition definition = defined(kRegret);
  const auto expected = without_times(concluded(definition, whole).values);
  const auto reproduction = make_reproduction(definition, Size::full);
  EXPECT_FALSE(perform(reproduction->jobs(), parts,
                       {1, "build", [](const Progress& progress) { return progress.runs_done < 2; }}));
  EXPECT_EQ(parts.kept.size(), 2u);
  EXPECT_EQ(without_times(concluded(definition, parts, Size::full, 2).values), expected);
  EXPECT_EQ(parts.writes, 6);
}

TEST(RegretReproduction, ADamagedRunIsDoneAgain) {
  MemoryStore store;
  const Definition definition = defined(kRegret);
  const auto expected = without_times(concluded(definition, store).values);
  store.kept.begin()->second[40] ^= 1;
  EXPECT_EQ(without_times(concluded(definition, store).values), expected);
  EXPECT_EQ(store.writes, 7);
}

TEST(RegretReproduction, QuickIsSmaller) {
  MemoryStore store;
  const Outcome outcome = concluded(defined(kRegret), store, Size::quick);
  EXPECT_EQ(store.kept.size(), 3u);
  EXPECT_EQ(outcome.values.get("λ = 1 / K-UCB / anchors"), 10);
  EXPECT_EQ(outcome.values.get("λ = 1 / K-UCB / regret at 30"), outcome.values.get("λ = 1 / K-UCB / regret"));
}

TEST(RegretReproduction, ThePageHasFiguresTableAndNotes) {
  MemoryStore store;
  const Definition definition = defined(kRegret, R"({"checks":[
    {"quantity":"a ratio","value":"λ = 1 / K-UCB / regret","over":"λ = 1 / uniform / regret",
     "paper":{"says":"K-UCB learns.","most":1}}]})");
  const Outcome outcome = concluded(definition, store);
  const auto verdicts = judge(definition.checks, outcome.values);
  const std::string html = to_html(
      reproduction_page(definition, Size::quick, outcome, verdicts, {"1.2.3", "machine", "g++", "now"}));
  for (const char* part : {"p, Figure 0", "what it shows", "a ratio", "K-UCB learns.", "Regret against time",
                           "Time, λ = 10", "Size of the model, λ = 1", "# A page", "1.2.3", "A quick run"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

constexpr const char* kPanels = R"({
  "paper": "p", "title": "Table 0", "shows": "s", "kind": "regret", "horizon": 40, "runs": 4, "seed": 3,
  "at": [10], "environment": {"type": "rkhs_sample", "dimension": 2},
  "panels": [
    {"title": "narrow", "environment": {"type": "rkhs_sample", "dimension": 2, "kernel": {"lengthscale": 0.1}},
     "policies": [
      {"label": "AMM-UCB", "spec": {"policy": "amm-ucb"}, "reported": {"mean": 100, "sd": 20, "runs": 16}}]},
    {"title": "wide", "policies": [{"label": "AMM-UCB", "spec": {"policy": "amm-ucb"}}]}]})";

TEST(RegretReproduction, APanelMayHaveAProblemOfItsOwn) {
  const Outcome outcome = concluded(kPanels);
  ExperimentSpec spec;
  spec.environment = default_environment(EnvironmentType::rkhs_sample);
  spec.environment.dimension = 2;
  spec.policies = {{"AMM-UCB", parse_json(R"({"policy":"amm-ucb"})")}};
  spec.horizon = 40;
  spec.runs = 4;
  spec.seed = 3;
  const auto regret = [&] {
    return summarise(final_values(sweep(spec, {})->policies[0].runs, &Trajectory::regret)).mean;
  };
  EXPECT_EQ(outcome.values.get("wide / AMM-UCB / regret"), regret());
  spec.environment.kernel.lengthscale = {0.1};
  EXPECT_EQ(outcome.values.get("narrow / AMM-UCB / regret"), regret());
}

TEST(RegretReproduction, DistanceFromThePaperIsInStandardErrorsOfTheDifference) {
  const Outcome outcome = concluded(kPanels);
  const double mean = outcome.values.get("narrow / AMM-UCB / regret");
  const double error = outcome.values.get("narrow / AMM-UCB / standard error");
  EXPECT_GT(error, 0);
  EXPECT_NEAR(outcome.values.get("narrow / AMM-UCB / standard errors from the paper"),
              (mean - 100) / std::sqrt(error * error + 20 * 20 / 16.0), 1e-12);
  EXPECT_THROW(outcome.values.get("wide / AMM-UCB / standard errors from the paper"), InvalidArgument);
  EXPECT_EQ(outcome.sections[0].heading, "Beside what the paper reports");
}

TEST(RegretReproduction, RegretBeforeAndAfterARoundAddUp) {
  const Outcome outcome = concluded(kPanels);
  EXPECT_NEAR(outcome.values.get("wide / AMM-UCB / regret at 10") +
                  outcome.values.get("wide / AMM-UCB / regret after 10"),
              outcome.values.get("wide / AMM-UCB / regret"), 1e-9);
}

TEST(GrowthReproduction, MemoryOfTheExactEngineGrowsWithTheSquare) {
  MemoryStore store;
  const Outcome outcome = concluded(defined(R"({
    "paper": "p", "title": "Table 0", "shows": "growth", "kind": "growth",
    "environment": {"type": "bump"}, "horizons": [200, 400, 800], "runs": 2, "seed": 3,
    "policies": [
      {"label": "K-UCB", "spec": {"policy": "k-ucb"}, "time": {"printed": "T³", "rounds": 3},
       "memory": {"printed": "T²", "rounds": 2}},
      {"label": "other", "spec": {"policy": "greedy"}, "time": {"printed": "T d²", "rounds": 1, "anchors": 2},
       "memory": {"printed": "T d", "rounds": 1, "anchors": 1}}]})"),
                                    store);
  EXPECT_NEAR(outcome.values.get("K-UCB / memory exponent"), 2, 0.1);
  EXPECT_EQ(outcome.values.get("K-UCB / memory exponent, theory"), 2);
  EXPECT_NEAR(outcome.values.get("K-UCB / anchors exponent"), 1, 1e-9);
  EXPECT_NEAR(outcome.values.get("other / time exponent, theory"), 3, 1e-9);
  EXPECT_NEAR(outcome.values.get("K-UCB / megabytes"), 800 * 800 / 2 * 8e-6, 0.5);
  EXPECT_GT(outcome.values.get("K-UCB / seconds"), 0);
  EXPECT_EQ(store.kept.size(), 4u);
}

TEST(MapReproduction, SharesAreThoseOfTheSquare) {
  MemoryStore store;
  const Outcome outcome = concluded(defined(R"({"paper": "p", "title": "t", "shows": "s", "kind": "map",
    "problems": ["chessboard", "step_diagonal"], "rounds": 5000})"),
                                    store);
  EXPECT_EQ(outcome.values.get("chessboard / share of 1"), 3.0 / 16);
  EXPECT_EQ(outcome.values.get("chessboard / share of 0.5"), 3.0 / 16);
  // Strips of x - a in (0.05, 0.25): (0.95^2 - 0.75^2) / 2.
  EXPECT_NEAR(outcome.values.get("step_diagonal / share of 1"), 0.17, 0.002);
  // The best is 0.5 in half of the contexts and 1 in the others.
  EXPECT_NEAR(outcome.values.get("chessboard / out of reach"), 0.25, 0.02);
  EXPECT_EQ(outcome.sections.size(), 2u);
}

TEST(StarvationReproduction, AnExactModelIsItsOwnMeasureAndRegressorsStarve) {
  MemoryStore store;
  const Outcome outcome =
      concluded(defined(R"({"paper": "p", "title": "t", "shows": "s", "kind": "starvation",
    "environment": {"type": "gp_draw", "candidates": 101, "kernel": {"lengthscale": 0.1}},
    "evaluations": [6, 40], "edge": 0.5, "runs": 3, "seed": 5,
    "policy": {"label": "exact", "spec": {"policy": "k-ucb", "regression": {"ridge": 0.01}}}})"),
                store);
  for (const std::string t : {"t = 6", "t = 40"}) {
    EXPECT_NEAR(outcome.values.get(t + " / variance over exact, least"), 1, 1e-9);
    EXPECT_NEAR(outcome.values.get(t + " / variance over exact, most"), 1, 1e-9);
    EXPECT_LT(outcome.values.get(t + " / subset of regressors over exact, least"), 1e-6);
    EXPECT_LT(outcome.values.get(t + " / missed by exact"), 0.05);
    EXPECT_EQ(outcome.values.get(t + " / missed"), outcome.values.get(t + " / missed by exact"));
    EXPECT_GT(outcome.values.get(t + " / missed by subset of regressors"), 0.1);
  }
  EXPECT_LE(outcome.values.get("t = 6 / anchors"), 6);
}

TEST(AccuracyReproduction, WithTheTheorysOversamplingTheTheoremHolds) {
  MemoryStore store;
  const Outcome outcome = concluded(defined(R"({"paper": "p", "title": "t", "shows": "s", "kind": "accuracy",
    "environment": {"type": "rkhs_sample", "dimension": 2, "candidates": 60, "fixed_arms": true,
                    "kernel": {"type": "gaussian", "lengthscale": 0.3}},
    "horizon": 120, "runs": 2, "seed": 5, "accuracy": 0.5, "delta": 0.1, "oversampling": ["theory", 1],
    "policy": {"label": "BKB", "spec": {"policy": "bkb", "regression": {"ridge": 1}}}})"),
                                    store);
  EXPECT_GE(outcome.values.get("qbar = theory / variance over exact, least"), 1.0 / 3);
  EXPECT_LE(outcome.values.get("qbar = theory / variance over exact, most"), 3);
  EXPECT_LE(outcome.values.get("qbar = theory / anchors over bound"), 1);
  EXPECT_LE(outcome.values.get("qbar = 1 / anchors"), outcome.values.get("qbar = 1 / states"));
}

}  // namespace
}  // namespace ridgerunner::reproduction_test
