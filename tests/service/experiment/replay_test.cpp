#include "ridgerunner/service/experiment/replay.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/service/experiment/choosing.h"

namespace ridgerunner::service::replay_test {
namespace {

// A log of decisions made `lag` events behind, with their rewards.
std::vector<Event> made_log(const char* policy, std::uint64_t rounds, std::uint64_t lag) {
  std::vector<Event> log;
  const Created created{"shop", "", spec_to_json(spec_from_json({{"policy", policy}})).dump(), {}};
  log.push_back({1, 1, 0, created});
  std::vector<Learner> versions = {Learner(created)};
  const auto add = [&](Body body) {
    log.push_back({log.size() + 1, 1, 0, std::move(body)});
    Learner next = versions.back();
    next.fold(log.back());
    versions.push_back(std::move(next));
  };
  versions.back().fold(log.back());
  Workspace workspace;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Decided decided;
    Stream random(1, Purpose::test, round);
    decided.event_id = std::to_string(round);
    decided.offered.actions.resize(1, 6);
    for (Index i = 0; i < 6; ++i) decided.offered.actions(0, i) = random.uniform();
    const std::size_t age = std::min<std::size_t>(versions.size() - 1, lag * (round % 3));
    const Learner& model = versions[versions.size() - 1 - age];
    decided.number = round;
    decided.version = model.version();
    decided.decision = choose(model.policy(), decided.offered, decided.number, workspace);
    decided.state = decided.offered.actions.col(decided.decision.index);
    const Subject subject{log.size() + 1, decided.event_id, decided.state, decided.decision.upper,
                          decided.decision.level};
    add(decided);
    add(Rewarded{subject, std::sin(6 * subject.state[0]), false});
  }
  return log;
}

ReplayReport replayed(const std::vector<Event>& log, std::size_t lookahead = 10'000) {
  Replay replay(lookahead);
  for (const Event& event : log) replay.add(event);
  return replay.finish();
}

TEST(Replay, MakesEveryDecisionAgainOnTheModelThatMadeIt) {
  for (const char* policy : {"ek-ucb", "kernel-ts", "bbkb", "supk-ucb", "adaptive-ucb"}) {
    for (const std::uint64_t lag : {0, 1, 5}) {
      const auto log = made_log(policy, 40, lag);
      const ReplayReport report = replayed(log);
      EXPECT_EQ(report.decisions, 40u) << policy;
      EXPECT_EQ(report.different, 0u) << policy << ": " << report.first_difference;
      EXPECT_EQ(report.unchecked, 0u) << policy;
      EXPECT_EQ(replayed(log, 15).decisions, 40u) << policy;
      EXPECT_EQ(replayed(log, 15).model, report.model) << policy;
    }
  }
}

TEST(Replay, ADecisionThatWasAlteredIsFound) {
  auto log = made_log("ek-ucb", 20, 1);
  auto& decided = std::get<Decided>(log[31].body);
  decided.decision.mean += 1e-12;
  const ReplayReport report = replayed(log);
  EXPECT_EQ(report.different, 1u);
  EXPECT_TRUE(report.first_difference.starts_with("event 32: mean was")) << report.first_difference;
}

TEST(Replay, ARewardThatWasAlteredIsFound) {
  auto log = made_log("ek-ucb", 20, 0);
  std::get<Rewarded>(log[20].body).reward += 0.5;
  EXPECT_GT(replayed(log).different, 0u);
}

TEST(Replay, ADecisionOfAModelLongGoneIsNotCheckedAndSaysSo) {
  auto log = made_log("ek-ucb", 20, 0);
  std::get<Decided>(log[35].body).version = 2;
  EXPECT_EQ(replayed(log).different, 1u);
  EXPECT_EQ(replayed(log, 5).unchecked, 1u);
}

TEST(Replay, ReadingTwiceChecksEveryDecisionHoweverFarLearningLagged) {
  auto log = made_log("ek-ucb", 20, 0);
  // Three thousand decisions on the first model, while twenty rewards were learnt.
  const std::uint64_t before = log.size();
  Decided late = std::get<Decided>(log[1].body);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    late.event_id = "late-" + std::to_string(i);
    log.push_back({log.size() + 1, 1, 0, late});
  }
  Lag lag;
  for (const Event& event : log) lag.add(event);
  EXPECT_EQ(lag.most(), before + 2999 - 1);  // all events but the creation, which the model knew
  const ReplayReport report = replayed(log, lag.most() + 1);
  EXPECT_EQ(report.decisions, 3020u);
  EXPECT_EQ(report.different, 0u) << report.first_difference;
  EXPECT_EQ(report.unchecked, 0u) << report.first_unchecked;
  EXPECT_GT(replayed(log, 100).unchecked, 0u);
  EXPECT_EQ(replayed(log, 100).different, 0u);
}

TEST(Replay, AnUndefinedDecisionOfAnEarlierVersionIsNotCheckedAndSaysSo) {
  auto log = made_log("ek-ucb", 20, 0);
  std::get<Decided>(log[7].body).decision.upper = NAN;
  const ReplayReport report = replayed(log);
  EXPECT_EQ(report.different, 0u);
  EXPECT_EQ(report.unchecked, 1u);
  EXPECT_EQ(report.first_unchecked,
            "event 8: an earlier version of the program made it with numbers that this one refuses");
}

TEST(Replay, ALogMustBeginWithItsExperimentAndBeInOrder) {
  const auto log = made_log("ek-ucb", 3, 0);
  Replay replay(10);
  EXPECT_THROW(replay.add(log[1]), InvalidArgument);
  replay.add(log[0]);
  replay.add(log[2]);
  EXPECT_THROW(replay.add(log[1]), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::service::replay_test
