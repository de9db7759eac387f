#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reproduction/concluded.h"
#include "ridgerunner/experiment/results.h"

namespace ridgerunner::pace_test {
namespace {

constexpr const char* kPace = R"({
  "paper": "p", "title": "t", "shows": "s", "kind": "pace", "horizon": 50, "runs": 2, "seed": 3, "at": [20, 50],
  "environment": {"type": "rkhs_sample"}, "policies": [{"label": "AMM-UCB", "spec": {"policy": "amm-ucb"}}]})";

TEST(PaceReproduction, IsTheMeanOfTheFifthOfTheRoundsUpToARound) {
  test::MemoryStore store;
  const Definition definition = test::defined(kPace);
  const auto reproduction = make_reproduction(definition, Size::full);
  const std::vector<Job> jobs = reproduction->jobs();
  const Finished finished = *perform(jobs, store, {1, "build", {}});
  const Outcome outcome = reproduction->conclude(finished);
  double expected = 0;
  for (const Job& job : jobs) {
    const Trajectory run = trajectory_from_json(finished.of(job.identity), "run", 50);
    expected += (run.seconds[49] - run.seconds[39]) / 10 / 2;
  }
  EXPECT_NEAR(outcome.values.get("AMM-UCB / seconds a round at 50"), expected, 1e-12);
  EXPECT_GT(outcome.values.get("AMM-UCB / seconds a round at 20"), 0);
}

TEST(PaceReproduction, TakesTheRunsOfAComparisonOfRegrets) {
  test::MemoryStore store;
  test::concluded(test::defined(R"({"paper": "p", "title": "t", "shows": "s", "kind": "regret", "horizon": 50,
    "runs": 2, "seed": 3, "environment": {"type": "rkhs_sample"},
    "panels": [{"title": "x", "policies": [{"label": "AMM-UCB", "spec": {"policy": "amm-ucb"}}]}]})"),
                  store);
  EXPECT_EQ(store.writes, 2);
  test::concluded(test::defined(kPace), store);
  EXPECT_EQ(store.writes, 2);
}

}  // namespace
}  // namespace ridgerunner::pace_test
