#include "ridgerunner/reproduction/job.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reproduction/memory_store.h"
#include "ridgerunner/error.h"

namespace ridgerunner::job_test {
namespace {

using test::MemoryStore;

// Squares its number, and counts how often it is asked to.
struct Squares {
  std::atomic<int> done = 0;

  Job job(int number, double seconds = 1) {
    return {{{"square", number}}, 3, seconds, [this, number](const auto& proceed) -> std::optional<Json> {
              for (int i = 0; i < 3; ++i) {
                if (!proceed()) return std::nullopt;
              }
              ++done;
              return Json(number * number);
            }};
  }
  std::vector<Job> jobs(int count) {
    std::vector<Job> all;
    for (int i = 0; i < count; ++i) all.push_back(job(i));
    return all;
  }
};

TEST(Perform, GivesEveryResultOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    Squares squares;
    MemoryStore store;
    const auto finished = perform(squares.jobs(20), store, {threads, "b", {}});
    ASSERT_TRUE(finished);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(finished->of({{"square", i}}), i * i);
    EXPECT_EQ(squares.done, 20);
    EXPECT_EQ(store.kept.size(), 20u);
  }
}

TEST(Perform, DoesWhatSeveralWantOnce) {
  Squares squares;
  MemoryStore store;
  const auto finished = perform({squares.job(3), squares.job(4), squares.job(3)}, store, {2, "b", {}});
  ASSERT_TRUE(finished);
  EXPECT_EQ(squares.done, 2);
  EXPECT_EQ(store.writes, 2);
}

TEST(Perform, DoesNothingThatIsKept) {
  Squares squares;
  MemoryStore store;
  perform(squares.jobs(4), store, {1, "b", {}});
  const auto again = perform(squares.jobs(6), store, {1, "b", {}});
  ASSERT_TRUE(again);
  EXPECT_EQ(squares.done, 6);
  EXPECT_EQ(again->of({{"square", 3}}), 9);
}

TEST(Perform, DoesAgainWhatIsDamagedOrForeign) {
  Squares squares;
  MemoryStore store;
  perform(squares.jobs(5), store, {1, "b", {}});
  const auto name = [](int i) { return result_name({{"square", i}}, "b"); };
  store.kept[name(0)].pop_back();
  store.kept[name(1)][store.kept[name(1)].size() / 2] ^= 1;
  store.kept[name(2)] = "";
  store.kept[name(3)] = store.kept[name(4)];  // good, but of another job
  const auto again = perform(squares.jobs(5), store, {1, "b", {}});
  ASSERT_TRUE(again);
  EXPECT_EQ(squares.done, 5 + 4);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(again->of({{"square", i}}), i * i);
  perform(squares.jobs(5), store, {1, "b", {}});
  EXPECT_EQ(squares.done, 9) << "repaired";
}

TEST(Perform, ResultsOfAnotherBuildAreNotTakenForOurs) {
  Squares squares;
  MemoryStore store;
  perform(squares.jobs(2), store, {1, "one", {}});
  perform(squares.jobs(2), store, {1, "two", {}});
  EXPECT_EQ(squares.done, 4);
  EXPECT_FALSE(open_result({{"square", 1}}, "two", store.kept[result_name({{"square", 1}}, "one")]));
}

TEST(Perform, StopsWhenToldAndGoesOnFromThere) {
  Squares squares;
  MemoryStore store;
  const auto stopped =
      perform(squares.jobs(10), store, {1, "b", [](const Progress& at) { return at.runs_done < 4; }});
  EXPECT_FALSE(stopped);
  EXPECT_EQ(store.kept.size(), 4u);
  const auto finished = perform(squares.jobs(10), store, {1, "b", {}});
  ASSERT_TRUE(finished);
  EXPECT_EQ(squares.done, 10);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(finished->of({{"square", i}}), i * i);
}

TEST(Perform, StartsTheLongestFirst) {
  std::vector<double> order;
  std::vector<Job> jobs;
  for (const double seconds : {2.0, 9.0, 4.0}) {
    jobs.push_back({{{"s", seconds}}, 1, seconds, [&order, seconds](const auto&) -> std::optional<Json> {
                      order.push_back(seconds);
                      return Json(0);
                    }});
  }
  MemoryStore store;
  perform(jobs, store, {1, "b", {}});
  EXPECT_EQ(order, (std::vector<double>{9, 4, 2}));
}

TEST(Perform, ProgressRisesToTheEndAndCountsWhatWasKept) {
  Squares squares;
  MemoryStore store;
  perform(squares.jobs(2), store, {1, "b", {}});
  Progress last;
  const auto watch = [&](const Progress& at) {
    EXPECT_GE(at.rounds_done, last.rounds_done);
    EXPECT_GE(at.runs_done, 2);
    last = at;
    return true;
  };
  perform(squares.jobs(7), store, {2, "b", watch});
  EXPECT_EQ(last.runs_done, 7);
  EXPECT_EQ(last.runs_total, 7);
  EXPECT_EQ(last.rounds_done, last.rounds_total);
}

TEST(Perform, AnErrorIsThrownAgainAndTheRestIsKept) {
  Squares squares;
  std::vector<Job> jobs = squares.jobs(2);
  jobs.push_back({{{"bad", 1}}, 1, 0.5, [](const auto&) -> std::optional<Json> {
                    throw std::runtime_error("no luck");
                  }});
  MemoryStore store;
  EXPECT_THROW(perform(jobs, store, {1, "b", {}}), std::runtime_error);
  EXPECT_EQ(store.kept.size(), 2u);
  EXPECT_THROW(perform({}, store, {0, "b", {}}), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::job_test
