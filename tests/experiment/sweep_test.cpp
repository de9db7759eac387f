#include "ridgerunner/experiment/sweep.h"

#include <atomic>
#include <stdexcept>
#include <stop_token>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner::sweep_test {
namespace {

ExperimentSpec small(EnvironmentType type = EnvironmentType::rkhs_sample) {
  ExperimentSpec spec;
  spec.environment = default_environment(type);
  if (type == EnvironmentType::rkhs_sample || type == EnvironmentType::gp_draw)
    spec.environment.candidates = 10;
  spec.policies = {{"gp-ucb", PartialSpec::preset("gp-ucb")},
                   {"wide", Json{{"policy", "k-ucb"}, {"bound", {{"radius", 3}}}}},
                   {"uniform", PartialSpec::preset("uniform")}};
  spec.horizon = 40;
  spec.runs = 4;
  return spec;
}

Results swept(const ExperimentSpec& spec, int threads = 1) {
  auto results = sweep(spec, {threads, {}});
  if (!results) throw std::runtime_error("stopped");
  return std::move(*results);
}

void expect_same(const Results& a, const Results& b) {
  EXPECT_EQ(a.rounds, b.rounds);
  ASSERT_EQ(a.policies.size(), b.policies.size());
  for (std::size_t i = 0; i < a.policies.size(); ++i) {
    EXPECT_EQ(a.policies[i].label, b.policies[i].label);
    EXPECT_EQ(a.policies[i].spec, b.policies[i].spec);
    ASSERT_EQ(a.policies[i].runs.size(), b.policies[i].runs.size());
    for (std::size_t r = 0; r < a.policies[i].runs.size(); ++r) {
      const Trajectory &x = a.policies[i].runs[r], &y = b.policies[i].runs[r];
      EXPECT_EQ(x.regret, y.regret);  // bit for bit
      EXPECT_EQ(x.ceiling_regret, y.ceiling_regret);
      EXPECT_EQ(x.reward, y.reward);
      EXPECT_EQ(x.anchors, y.anchors);
      EXPECT_EQ(x.clamped, y.clamped);
    }
  }
}

TEST(Sweep, ResultsDoNotDependOnTheNumberOfThreads) {
  for (const EnvironmentType type :
       {EnvironmentType::rkhs_sample, EnvironmentType::gp_draw, EnvironmentType::bump}) {
    SCOPED_TRACE(name(type));
    const Results one = swept(small(type), 1);
    expect_same(one, swept(small(type), 2));
    expect_same(one, swept(small(type), 4));
    expect_same(one, swept(small(type), 1));
  }
}

TEST(Sweep, AnotherSeedGivesOtherResults) {
  ExperimentSpec spec = small();
  const Results one = swept(spec);
  spec.seed = 8;
  const Results two = swept(spec);
  for (std::size_t i = 0; i < one.policies.size(); ++i) {
    EXPECT_NE(one.policies[i].runs[0].regret, two.policies[i].runs[0].regret);
  }
}

TEST(Sweep, RunsOfOneSweepDiffer) {
  const Results results = swept(small());
  for (const PolicyResults& policy : results.policies) {
    EXPECT_NE(policy.runs[0].regret, policy.runs[1].regret) << policy.label;
  }
}

TEST(Sweep, ARunDoesNotDependOnItsNeighbours) {
  const Results all = swept(small());
  ExperimentSpec alone = small();
  alone.policies = {alone.policies[1]};
  alone.runs = 2;
  const Results one = swept(alone);
  EXPECT_EQ(one.policies[0].runs[0].regret, all.policies[1].runs[0].regret);
  EXPECT_EQ(one.policies[0].runs[1].reward, all.policies[1].runs[1].reward);
}

TEST(Sweep, TrajectoriesHaveTheShapeOfTheExperiment) {
  const Results results = swept(small(EnvironmentType::bump), 2);
  EXPECT_EQ(results.rounds.size(), 40u);
  ASSERT_EQ(results.policies.size(), 3u);
  EXPECT_EQ(results.policies[1].label, "wide");
  for (const PolicyResults& policy : results.policies) {
    ASSERT_EQ(policy.runs.size(), 4u);
    for (const Trajectory& run : policy.runs) {
      EXPECT_EQ(run.regret.size(), 40u);
      EXPECT_EQ(run.reward.size(), 40u);
      EXPECT_EQ(run.seconds.size(), 40u);
      for (std::size_t i = 1; i < 40; ++i) {
        EXPECT_GE(run.regret[i], run.regret[i - 1]);
        EXPECT_GE(run.seconds[i], run.seconds[i - 1]);
      }
    }
  }
}

TEST(Sweep, TellsHowFarItIs) {
  for (const int threads : {1, 3}) {
    Progress last;
    std::atomic<int> inside = 0;
    const auto results = sweep(small(), {threads, [&](const Progress& progress) {
                                           EXPECT_EQ(inside++, 0);  // never on two threads at once
                                           EXPECT_GE(progress.rounds_done, last.rounds_done);
                                           EXPECT_GE(progress.runs_done, last.runs_done);
                                           last = progress;
                                           --inside;
                                           return true;
                                         }});
    ASSERT_TRUE(results);
    EXPECT_EQ(last.runs_total, 12);
    EXPECT_EQ(last.runs_done, 12);
    EXPECT_EQ(last.rounds_total, 480);
    EXPECT_EQ(last.rounds_done, 480);
  }
}

TEST(Sweep, StopsWhenToldTo) {
  for (const int threads : {1, 4}) {
    int told = 0;
    ExperimentSpec spec = small();
    spec.horizon = 100'000'000;  // would take for ever
    EXPECT_FALSE(sweep(spec, {threads, [&](const Progress&) { return ++told < 3; }}));
    EXPECT_LE(told, 3 + threads);
  }
}

TEST(Sweep, AnErrorInARunIsThrownAgainHere) {
  ExperimentSpec spec = small();
  // Points that are all alike and next to no ridge: the factor breaks down after some rounds.
  spec.policies.push_back(
      {"brittle",
       Json{{"policy", "k-ucb"}, {"kernel", {{"type", "linear"}}}, {"regression", {{"ridge", 1e-300}}}}});
  for (const int threads : {1, 4}) EXPECT_THROW(sweep(spec, {threads, {}}), NumericalError);
}

TEST(Sweep, AnErrorOfTheOnlookerIsThrownAgainHere) {
  for (const int threads : {1, 4}) {
    EXPECT_THROW(sweep(small(), {threads, [](const Progress&) -> bool { throw std::logic_error("bored"); }}),
                 std::logic_error);
  }
}

std::string reason(const ExperimentSpec& spec, int threads = 1) {
  try {
    sweep(spec, {threads, {}});
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Sweep, AnExperimentThatMakesNoSenseIsRefused) {
  const auto with = [](auto change) {
    ExperimentSpec spec = small();
    change(spec);
    return reason(spec);
  };
  EXPECT_EQ(with([](ExperimentSpec& s) { s.horizon = 0; }), "horizon must be >= 1, got 0");
  EXPECT_EQ(with([](ExperimentSpec& s) { s.runs = -3; }), "runs must be >= 1, got -3");
  EXPECT_EQ(with([](ExperimentSpec& s) { s.policies.clear(); }), "policies must name at least one policy");
  EXPECT_EQ(with([](ExperimentSpec& s) { s.policies.push_back(s.policies[0]); }),
            "policies must have different names, got \"gp-ucb\" twice");
  EXPECT_EQ(with([](ExperimentSpec& s) {
              s.policies[0].spec = Json{{"rule", 3}};
            }),
            "gp-ucb: rule must be an object, got 3");
  EXPECT_EQ(reason(small(), 0), "threads must be >= 1, got 0");
}

TEST(Sweep, StopsBeforeTheNextRoundWhenAskedTo) {
  ExperimentSpec spec = small();
  spec.horizon = 100'000'000;
  std::stop_source stop;
  SweepOptions options;
  options.threads = 2;
  options.stop = stop.get_token();
  options.on_progress = [&](const Progress&) {
    stop.request_stop();
    return true;
  };
  EXPECT_FALSE(sweep(spec, options));
}

TEST(Sweep, AProblemAndAKernelOfOnesOwnAreUsedInPlaceOfTheSpecs) {
  ExperimentSpec given = small(EnvironmentType::bump), own = small();
  own.own_environment = [](std::uint64_t seed) {
    return make_environment(default_environment(EnvironmentType::bump), seed);
  };
  expect_same(swept(given), swept(own, 2));

  ExperimentSpec narrow = small(EnvironmentType::bump);
  for (Contender& contender : narrow.policies) {
    Json spec = contender.spec.json();
    spec["kernel"] = {{"type", "gaussian"}, {"lengthscale", 0.01}};
    contender.spec = spec;
    contender.kernel = make_kernel(default_environment(EnvironmentType::bump).kernel);
  }
  const Results a = swept(given), b = swept(narrow);
  for (std::size_t i = 0; i < a.policies.size(); ++i)
    EXPECT_EQ(a.policies[i].runs[0].regret, b.policies[i].runs[0].regret);
}

}  // namespace
}  // namespace ridgerunner::sweep_test
