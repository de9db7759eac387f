#include "ridgerunner/service/experiment/service.h"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/service/experiment/learner.h"
#include "ridgerunner/service/experiment/model.h"
#include "service/service_fixture.h"

namespace ridgerunner::service::service_test {
namespace {

TEST_F(ServiceTest, LearnsAndCounts) {
  create();
  live(0, 70);
  ExportEnd end;
  exported(end);
  const ExperimentView view = service->experiment("shop");
  EXPECT_EQ(view.counts.decisions, 70u);
  EXPECT_EQ(view.counts.rewards, 60u);
  EXPECT_EQ(view.counts.pending, 10u);
  EXPECT_EQ(view.statistics.evidence.rounds, 60);
  EXPECT_EQ(view.version, 131u);
  EXPECT_EQ(end.events, 131u);
  EXPECT_FALSE(view.degraded);
  EXPECT_EQ(view.dimension, 3);
}

TEST_F(ServiceTest, TheModelIsTheOneThatASimulatorHas) {
  create();
  Policy policy(spec_from_json(small_spec()));
  for (std::uint64_t round = 0; round < 40; ++round) {
    const Offered offered = offer(round);
    const Matrix states = join(offered.context, offered.actions);
    const Decision made = policy.decide(states);
    Decision expected = made;
    expected.number = 0;  // the service counts by events
    ExportEnd end;
    exported(end);  // waits for what has been learnt
    const auto ticket = service->decide("shop", "", offered);
    ASSERT_EQ(ticket.answer.decision, expected) << round;
    const double reward = reward_of(offered, expected.index, round);
    service->reward("shop", ticket.answer.event_id, reward);
    policy.observe(made, reward);
  }
  EXPECT_EQ(model(), model_checksum(policy));
}

TEST_F(ServiceTest, TheChecksumTellsModelsApart) {
  create();
  const std::uint32_t empty = model();
  live(0, 5);
  EXPECT_NE(model(), empty);
}

TEST_F(ServiceTest, ARestartContinuesBitForBitWithAndWithoutSnapshots) {
  create();
  create("other");
  live(0, 40);
  live(0, 5, "other");
  const std::uint32_t before = model();
  start();
  EXPECT_EQ(model(), before);
  EXPECT_EQ(service->experiment("shop").counts.pending, 6u);
  live(40, 60);
  const std::uint32_t later = model();
  service.reset();
  std::filesystem::remove_all(folder.path());
  start();
  EXPECT_EQ(model(), later);
  EXPECT_EQ(service->decisions("shop", 100).size(), 60u);
  EXPECT_EQ(service->history("shop").seq.size(), 1u + 60u + 51u);  // every event: there are few
}

TEST_F(ServiceTest, ADamagedSnapshotIsReportedAndFoldedAgain) {
  create();
  live(0, 30);
  const std::uint32_t before = model();
  service.reset();
  int damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/snapshots")) {
    if (entry.path().filename().string().starts_with("manifest")) continue;
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 100);
    ++damaged;
  }
  ASSERT_EQ(damaged, 1);
  start();
  EXPECT_NE(notices.find("cannot be used: the file is truncated: 100 bytes"), std::string::npos) << notices;
  EXPECT_EQ(model(), before);
}

TEST_F(ServiceTest, ADamagedEventStopsTheStartAndIsNamed) {
  create();
  live(0, 10);
  service.reset();
  std::filesystem::remove_all(folder.path() + "/snapshots");
  contents->records[7].bytes[50] ^= 1;
  try {
    start();
    FAIL();
  } catch (const LogError& error) {
    EXPECT_STREQ(error.what(), "event 8 of the log is damaged: its checksum is wrong");
  }
}

TEST_F(ServiceTest, ALogThatEndsBeforeItsSnapshotIsRefused) {
  create();
  live(0, 10);
  service.reset();
  contents->records.resize(5);
  EXPECT_THROW(start(), LogError);
}

TEST_F(ServiceTest, TheSameDecisionAgainIsTheSameAnswer) {
  create();
  const auto first = service->decide("shop", "mine", offer(1));
  const auto again = service->decide("shop", "mine", offer(1));
  EXPECT_EQ(first.seq, again.seq);
  EXPECT_EQ(first.answer.decision, again.answer.decision);
  EXPECT_EQ(refused([&] { service->decide("shop", "mine", offer(2)); }), Reason::conflict);
  service->reward("shop", "mine", 1);
  EXPECT_EQ(service->decide("shop", "mine", offer(1)).seq, first.seq);
  start();  // from the index
  EXPECT_EQ(service->decide("shop", "mine", offer(1)).seq, first.seq);
  EXPECT_EQ(refused([&] { service->decide("shop", "mine", offer(2)); }), Reason::conflict);
  EXPECT_EQ(service->experiment("shop").counts.decisions, 1u);
}

TEST_F(ServiceTest, ManyThreadsWithOneIdGetOneDecision) {
  create();
  std::vector<std::uint64_t> seqs(16);
  std::vector<std::thread> threads;
  for (auto& seq : seqs) {
    threads.emplace_back([&] { seq = service->decide("shop", "one", offer(1)).seq; });
  }
  for (auto& thread : threads) thread.join();
  for (const auto seq : seqs) EXPECT_EQ(seq, seqs.front());
  EXPECT_EQ(service->experiment("shop").counts.decisions, 1u);
}

TEST_F(ServiceTest, EveryWayARewardCanArrive) {
  create("shop", {10.0, -1.0});
  const auto a = service->decide("shop", "a", offer(1));
  EXPECT_EQ(refused([&] { service->reward("shop", "nobody", 1); }), Reason::unknown_event);
  const auto accepted = service->reward("shop", "a", 0.5);
  EXPECT_EQ(service->reward("shop", "a", 0.5).seq, accepted.seq);
  EXPECT_EQ(refused([&] { service->reward("shop", "a", 0.6); }), Reason::conflict);
  EXPECT_EQ(refused([&] { service->reward("shop", "a", NAN); }), Reason::bad_request);
  service->decide("shop", "b", offer(2));
  *clock.now += 10'001;
  EXPECT_EQ(refused([&] { service->reward("shop", "b", 1); }), Reason::expired);
  EXPECT_EQ(refused([&] { service->reward("shop", "b", 1); }), Reason::expired);
  model();
  const ExperimentView view = service->experiment("shop");
  EXPECT_EQ(view.counts.defaulted, 1u);
  EXPECT_EQ(view.counts.pending, 0u);
  EXPECT_EQ(view.total_reward, -0.5);
  EXPECT_EQ(view.statistics.evidence.rounds, 2);
  start();
  EXPECT_EQ(refused([&] { service->reward("shop", "a", 0.6); }), Reason::conflict);
  EXPECT_EQ(refused([&] { service->reward("shop", "b", 1); }), Reason::expired);
}

TEST_F(ServiceTest, TheDeadlinePassesByItself) {
  create("shop", {10.0, std::nullopt});
  service->decide("shop", "a", offer(1));
  *clock.now += 10'001;
  for (int i = 0; i < 6000 && service->experiment("shop").counts.expired == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  model();
  const ExperimentView view = service->experiment("shop");
  EXPECT_EQ(view.counts.expired, 1u);
  EXPECT_EQ(view.counts.pending, 0u);
  EXPECT_EQ(view.statistics.evidence.rounds, 0);
}

TEST_F(ServiceTest, ADeferredDecisionCountsFromItsActivationOn) {
  create("shop", {10.0, -1.0});
  Offered offered = offer(1);
  offered.deferred = true;
  service->decide("shop", "a", offered);
  service->reward("shop", "a", 2);  // before it was shown: kept
  EXPECT_EQ(refused([&] { service->reward("shop", "a", 3); }), Reason::conflict);
  model();
  EXPECT_EQ(service->experiment("shop").statistics.evidence.rounds, 0);
  EXPECT_EQ(service->experiment("shop").counts.deferred, 1u);
  service->activate("shop", "a");
  service->activate("shop", "a");
  model();
  EXPECT_EQ(service->experiment("shop").statistics.evidence.rounds, 1);
  EXPECT_EQ(service->experiment("shop").counts.rewards, 1u);

  service->decide("shop", "b", offered);  // never shown: no default reward
  *clock.now += 10'001;
  EXPECT_EQ(refused([&] { service->activate("shop", "b"); }), Reason::expired);
  model();
  EXPECT_EQ(service->experiment("shop").counts.expired, 1u);
  EXPECT_EQ(service->experiment("shop").statistics.evidence.rounds, 1);
  EXPECT_EQ(refused([&] { service->activate("shop", "nobody"); }), Reason::unknown_event);
}

TEST_F(ServiceTest, ExcludedActionsAreNeverChosen) {
  create();
  for (std::uint64_t round = 0; round < 20; ++round) {
    Offered offered = offer(round);
    offered.excluded = {0, 2, 4};
    const auto ticket = service->decide("shop", "", offered);
    const Index chosen = ticket.answer.decision.index;
    EXPECT_TRUE(chosen == 1 || chosen == 3);
    service->reward("shop", ticket.answer.event_id, reward_of(offered, chosen, round));
  }
  Offered offered = offer(1);
  offered.excluded = {0, 1, 2, 3, 4};
  EXPECT_EQ(refused([&] { service->decide("shop", "", offered); }), Reason::bad_request);
  offered.excluded = {5};
  EXPECT_EQ(refused([&] { service->decide("shop", "", offered); }), Reason::bad_request);
}

TEST_F(ServiceTest, AFailingLogMakesItReadOnlyAndAcknowledgesNothing) {
  create();
  live(0, 5);
  contents->failing = true;
  const auto ticket = service->decide("shop", "", offer(9));
  EXPECT_FALSE(service->wait_durable(ticket.seq));
  EXPECT_EQ(service->trouble(), "no space left on device");
  EXPECT_EQ(refused([&] { service->decide("shop", "", offer(9)); }), Reason::read_only);
  EXPECT_EQ(refused([&] { service->reward("shop", ticket.answer.event_id, 1); }), Reason::read_only);
  std::uint64_t version = 0;
  EXPECT_EQ(service->predict("shop", Matrix::Zero(3, 2), version).mean.size(), 2);
  ExportEnd end;
  EXPECT_EQ(exported(end).size(), 10u);  // all that is durable
  contents->failing = false;
  start();
  EXPECT_EQ(service->experiment("shop").counts.decisions, 5u);
}

TEST_F(ServiceTest, AClosedExperimentTakesRewardsButDecidesNoMore) {
  create();
  service->decide("shop", "a", offer(1));
  service->close("shop");
  service->close("shop");
  EXPECT_EQ(refused([&] { service->decide("shop", "", offer(1)); }), Reason::closed);
  EXPECT_EQ(service->decide("shop", "a", offer(1)).seq, 2u);  // asked before
  service->reward("shop", "a", 1);
  EXPECT_TRUE(service->experiment("shop").closed);
}

TEST_F(ServiceTest, CreatingTwiceIsFineIfItIsTheSame) {
  create();
  EXPECT_FALSE(service->create("shop", small_spec(), "", {}).answer.fresh);
  EXPECT_EQ(refused([&] { service->create("shop", small_spec("greedy"), "", {}); }), Reason::exists);
  EXPECT_EQ(refused([&] { service->create("a b", small_spec(), "", {}); }), Reason::bad_request);
  EXPECT_EQ(refused([&] { service->create("b", {{"policy", "nonsense"}}, "", {}); }), Reason::bad_request);
  EXPECT_EQ(refused([&] {
              service->create("b", small_spec(), "", {std::nullopt, 1.0});
            }),
            Reason::bad_request);
  EXPECT_EQ(refused([&] { service->experiment("b"); }), Reason::not_found);
}

TEST_F(ServiceTest, ImportedHistoryIsAWarmStart) {
  create();
  Matrix states(3, 20);
  Vector rewards(20);
  for (Index i = 0; i < 20; ++i) {
    const Offered offered = offer(static_cast<std::uint64_t>(i), 1);
    states.col(i) << offered.context, offered.actions.col(0);
    rewards[i] = reward_of(offered, 0, static_cast<std::uint64_t>(i));
  }
  EXPECT_EQ(service->import("shop", {states, rewards, {}, ""}).answer, 20);
  model();
  EXPECT_EQ(service->experiment("shop").statistics.evidence.rounds, 20);
  EXPECT_EQ(refused([&] {
              service->import("shop", {Matrix::Zero(2, 1), Vector::Zero(1), {}, ""});
            }),
            Reason::bad_request);
  EXPECT_EQ(refused([&] {
              service->import("shop", {Matrix::Zero(3, 2), Vector::Zero(1), {}, ""});
            }),
            Reason::bad_request);
}

TEST_F(ServiceTest, AbsurdRewardsAreRefused) {
  create();
  service->decide("shop", "a", offer(1));
  EXPECT_EQ(refused([&] { service->reward("shop", "a", 1e101); }), Reason::bad_request);
  EXPECT_EQ(refused([&] { service->configure("shop", {{1.0}, {-1e101}}); }), Reason::bad_request);
  EXPECT_EQ(service->experiment("shop").counts.pending, 1u);
}

TEST_F(ServiceTest, PredictingKnowsTheDimensionBeforeTheModelDoes) {
  create();
  service->decide("shop", "a", offer(1));
  std::uint64_t version = 0;
  EXPECT_EQ(refused([&] { service->predict("shop", Matrix::Zero(2, 1), version); }), Reason::bad_request);
}

TEST(Learner, AnEventThatArithmeticCannotTakeIsSkippedTheSameWayEveryTime) {
  const Created created{"shop", "", spec_to_json(spec_from_json(small_spec())).dump(), {}};
  const auto folded = [&] {
    Learner learner(created);
    learner.fold({1, 1, 0, created});
    const auto reward = [&](std::uint64_t seq, double value) {
      learner.fold(
          {seq, 1, 0,
           Rewarded{{seq, "a", Vector::Constant(2, 0.1 * static_cast<double>(seq)), 1, 0}, value, false}});
    };
    reward(2, 1);
    reward(3, 1e300);
    reward(4, 2);
    return learner;
  };
  const Learner one = folded(), other = folded();
  ASSERT_TRUE(one.totals().degraded);
  EXPECT_EQ(one.totals().degraded->skipped, 1u);
  EXPECT_EQ(one.totals().degraded->seq, 3u);
  EXPECT_EQ(one.policy().statistics().evidence.rounds, 2);
  EXPECT_EQ(model_checksum(one.policy()), model_checksum(other.policy()));
}

TEST_F(ServiceTest, ExplainsADecision) {
  create();
  live(0, 20);
  model();  // waits for what has been learnt
  const auto ticket = service->decide("shop", "why", offer(50));
  const Explanation why = service->explain("shop", "why");
  EXPECT_EQ(why.chosen.index, ticket.answer.decision.index);
  EXPECT_EQ(why.candidates.size(), 5u);
  ASSERT_TRUE(why.runner_up);
  EXPECT_NE(why.runner_up->index, why.chosen.index);
  EXPECT_GE(why.chosen.upper, why.runner_up->upper);
  EXPECT_EQ(why.decision.outcome, Outcome::pending);
  EXPECT_EQ(refused([&] { service->explain("shop", "nobody"); }), Reason::unknown_event);
}

TEST_F(ServiceTest, ManyThreadsDecideAndRewardAndAskAtOnce) {
  create();
  create("other", {}, "gp-ucb");
  std::vector<std::thread> threads;
  for (std::uint64_t worker = 0; worker < 4; ++worker) {
    threads.emplace_back([this, worker] {
      for (std::uint64_t round = 0; round < 60; ++round) {
        const char* name = round % 2 ? "shop" : "other";
        const Offered offered = offer(1000 * worker + round);
        const auto ticket = service->decide(name, "", offered);
        service->wait_durable(ticket.seq);
        service->reward(name, ticket.answer.event_id,
                        reward_of(offered, ticket.answer.decision.index, round));
        if (round % 10 == 0) {
          service->live(name);
          service->history(name);
          service->figures();
          service->explain(name, ticket.answer.event_id);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const std::uint32_t shop = model("shop"), other = model("other");
  EXPECT_EQ(service->experiment("shop").counts.rewards, 120u);
  service.reset();
  std::filesystem::remove_all(folder.path());
  start();
  EXPECT_EQ(model("shop"), shop);
  EXPECT_EQ(model("other"), other);
}

}  // namespace
}  // namespace ridgerunner::service::service_test
