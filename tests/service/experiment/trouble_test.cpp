// What goes wrong with one request, one event or one experiment, and stops nothing else.
#include <fstream>
#include <thread>

#include <malloc.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "places.h"
#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/regression/levelled.h"
#include "ridgerunner/service/experiment/learner.h"
#include "ridgerunner/service/log/event_json.h"
#include "ridgerunner/service/log/sqlite_log.h"
#include "service/service_fixture.h"

namespace ridgerunner::service::trouble_test {
namespace {

using TroubleTest = ServiceTest;

Offered points(std::initializer_list<double> values) {
  Offered offered;
  offered.actions.resize(1, static_cast<Index>(values.size()));
  Index i = 0;
  for (const double value : values) offered.actions(0, i++) = value;
  return offered;
}

Json linear_spec(const char* policy = "gp-ucb") {
  return {{"policy", policy}, {"kernel", {{"type", "linear"}}}};
}

ImportRequest history(Index count, double scale = 0.01) {
  ImportRequest request;
  request.states = Matrix::Zero(1, count);
  for (Index i = 0; i < count; ++i) request.states(0, i) = scale * static_cast<double>(i);
  request.rewards = Vector::Ones(count);
  return request;
}

// An event of the log with contents that no program wrote, and a checksum that fits.
std::string foreign_bytes(std::uint64_t kind, std::uint64_t seq, std::uint64_t experiment) {
  ByteWriter out;
  out.integer(std::uint64_t{1} << 32 | kind);
  for (const std::uint64_t number : {seq, experiment, std::uint64_t{1000}}) out.integer(number);
  std::string bytes = out.take();
  const std::uint32_t crc = crc32c(bytes);
  bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return bytes;
}

TEST_F(TroubleTest, WhateverOddSpecsDecideTheLogCanBeReadAgain) {
  const Json odd[] = {linear_spec(), linear_spec("amm-ucb"), linear_spec("ay-gp-ucb"),
                      Json{{"policy", "amm-ucb"},
                           {"kernel", {{"type", "linear"}}},
                           {"bound", {{"noise_bound", 1e-100}, {"norm_bound", 1e200}}}},
                      Json{{"policy", "ek-ucb"}, {"regression", {{"ridge", 5e-324}}}}};
  for (std::size_t k = 0; k < std::size(odd); ++k) {
    const std::string name = "odd-" + std::to_string(k);
    try {
      service->create(name, odd[k], "", {});
    } catch (const Refusal&) {
      continue;
    }
    for (const double value : {0.0, 1.0, 2.0, 9e153, 9e76}) {
      try {
        const auto ticket = service->decide(name, "", points({0, value}));
        EXPECT_FALSE(std::isnan(ticket.answer.decision.lower) || std::isnan(ticket.answer.decision.upper));
        service->reward(name, ticket.answer.event_id, 1);
        model(name.c_str());
      } catch (const NumericalError&) {  // 500, with its reason
      } catch (const Refusal& refusal) {
        EXPECT_EQ(refusal.reason, Reason::bad_request);
      }
    }
  }
  service.reset();
  for (const Record& record : contents->records) EXPECT_EQ(encode(decode(record.bytes)), record.bytes);
  std::filesystem::remove_all(folder.path());
  start();
  EXPECT_GE(service->experiments().size(), 4u);
}

// A folder of version 0.1.0 that version 0.1.0 cannot start on: tests/golden/nan_decision/generate.sh.
TEST(GoldenLog, WithDecisionsThatAreNotNumbersStartsAgain) {
  TemporaryFolder folder;
  std::filesystem::copy(std::string(RIDGERUNNER_GOLDEN) + "/nan_decision/log.db", folder.path() + "/log.db");
  for (int start = 0; start < 3; ++start) {
    Options options;
    options.folder = folder.path();
    Service service(std::make_unique<SqliteLog>(folder.path()), options);
    ASSERT_EQ(service.experiments().size(), 3u);
    const auto decided = service.decide("sound", "new-" + std::to_string(start), points({0.3, 0.7}));
    EXPECT_TRUE(service.wait_durable(service.reward("sound", decided.answer.event_id, 1).seq));
    EXPECT_FALSE(service.experiment("sound").degraded);
    EXPECT_EQ(service.experiment("h").counts.rewards, 4u);
    EXPECT_EQ(service.experiment("g").counts.decisions, 2u);
    EXPECT_TRUE(service.wait_durable(service.reward("g", "d1", 1).seq));  // of a decision with NaN
    std::string lines;
    ExportEnd end;
    service.export_log(
        "g", 1,
        [&](std::span<const Event> events) {
          for (const Event& event : events) append_event_line(lines, event, "g");
          return true;
        },
        end);
    EXPECT_NE(lines.find("\"nan\":[\"lower\",\"upper\"]"), std::string::npos) << lines;
    if (start == 1) std::filesystem::remove_all(folder.path() + "/snapshots");
  }
}

TEST_F(TroubleTest, AnEventThatCannotBeReadDegradesItsExperimentAndNoOther) {
  create();
  create("other");
  live(0, 10);
  live(0, 10, "other");
  service.reset();
  std::filesystem::remove_all(folder.path());
  contents->records[7] = {8, foreign_bytes(77, 8, 1)};
  start();
  EXPECT_EQ(service->degraded(), std::vector<std::string>{"shop"});
  const ExperimentView view = service->experiment("shop");
  ASSERT_TRUE(view.degraded);
  EXPECT_EQ(view.degraded->seq, 8u);
  EXPECT_EQ(view.degraded->message, "it cannot be read: an event of unknown kind 77");
  EXPECT_FALSE(service->experiment("other").degraded);
  EXPECT_TRUE(noticed("experiment shop is degraded since event 8"));
  live(10, 15);
  live(10, 15, "other");
  ExportEnd end;
  const auto events = exported(end);
  std::string line;
  const Event& marked = events[6];  // event 8: the other experiment's creation lies between
  append_event_line(line, marked, "shop");
  EXPECT_NE(line.find(R"("type":"unreadable","message":"an event of unknown kind 77")"), std::string::npos)
      << line;
  EventLineReader reader;
  EXPECT_EQ(reader.read(line).event.body, marked.body);
  const std::uint32_t before = model();
  start();  // from a snapshot
  EXPECT_EQ(model(), before);
  EXPECT_TRUE(service->experiment("shop").degraded);
}

TEST_F(TroubleTest, ASpecThatThisVersionRefusesDegradesItsExperimentAndNoOther) {
  create("other");
  live(0, 3, "other");
  service.reset();
  const Vector state = Vector::Constant(1, 0.5);
  const std::uint64_t number = contents->records.size() + 1;
  const auto add = [&](Body body) {
    const std::uint64_t seq = contents->records.size() + 1;
    contents->records.push_back({seq, encode({seq, number, 1'000'000, std::move(body)})});
  };
  add(Created{"future", "", R"({"policy":"from-the-future"})", {}});
  add(Decided{"a", points({0.5}), 0, number, state, {}});
  add(Decided{"b", points({0.5}), 1, number, state, {}});
  start();
  EXPECT_EQ(service->degraded(), std::vector<std::string>{"future"});
  EXPECT_EQ(refused([&] { service->decide("future", "", points({1})); }), Reason::degraded);
  EXPECT_EQ(refused([&] { service->import("future", history(2)); }), Reason::degraded);
  std::uint64_t version = 0;
  EXPECT_EQ(refused([&] { service->predict("future", Matrix::Zero(1, 1), version); }), Reason::degraded);
  EXPECT_TRUE(service->wait_durable(service->reward("future", "a", 1).seq));  // rewards are kept
  EXPECT_EQ(service->experiment("future").counts.pending, 1u);
  EXPECT_NE(service->experiment("future").degraded->message.find("its spec is refused"), std::string::npos);
  EXPECT_TRUE(service->history("future").seq.empty());
  ExportEnd end;
  EXPECT_EQ(exported(end, "future").size(), 4u);
  EXPECT_EQ(service->live("future").recent.size(), 2u);
  live(3, 10, "other");
  start();
  EXPECT_EQ(service->experiment("future").counts.rewards, 1u);
  EXPECT_EQ(service->experiment("other").counts.decisions, 10u);
}

TEST_F(TroubleTest, EventsOfAnExperimentWhoseCreationCannotBeReadHaveAPlace) {
  create("lost");
  create("other");
  live(0, 3, "lost");
  live(0, 3, "other");
  service.reset();
  std::filesystem::remove_all(folder.path());
  contents->records[0] = {1, foreign_bytes(77, 1, 1)};
  start();
  EXPECT_EQ(service->degraded(), std::vector<std::string>{"#1"});
  EXPECT_EQ(service->experiment("#1").counts.decisions, 3u);
  live(3, 6, "other");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they reserve all addresses
// In a process of its own, with little memory.
TEST(Learner, GivesItsModelUpWhenMemoryRunsOutAndNothingElse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh heap
  const auto run = [] {
    const Created created{"shop", "", spec_to_json(spec_from_json({{"policy", "k-ucb"}})).dump(), {}};
    Learner learner(created);
    learner.fold({1, 1, 0, created});
    ImportRequest few = history(20), many = history(3000);
    learner.fold({2, 1, 0, Imported{few.states, few.rewards, ""}});
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    for (int field = 0; field < 6; ++field) statm >> pages;  // the sixth is data
    malloc_trim(0);
    const rlim_t bytes = pages * 4096 + (4 << 20);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_DATA, &limit);
    learner.fold({3, 1, 0, Imported{many.states, many.rewards, ""}});
    learner.fold({4, 1, 0, Closed{}});
    const bool right = !learner.has_model() && learner.version() == 2 && learner.totals().degraded &&
                       learner.totals().degraded->message == "there is no memory for event 3";
    if (!right)
      std::fprintf(stderr, "version %llu: %s\n", static_cast<unsigned long long>(learner.version()),
                   learner.totals().degraded ? learner.totals().degraded->message.c_str() : "learnt");
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}
#endif

// Two decisions for the same state: the reward of the second goes to the second's level, and the first, which
// expired, takes nothing with it.
TEST(Learner, ARewardIsLearntAtTheLevelOfItsOwnDecision) {
  Json json = {{"policy", "supk-ucb"}, {"bound", {{"horizon", 100}}}};
  json["arms"] = {{"points", {{0.1}, {0.5}, {0.9}}}};
  const Created created{"shop", "", spec_to_json(spec_from_json(json)).dump(), {10.0, std::nullopt}};
  Learner learner(created);
  learner.fold({1, 1, 0, created});
  const Vector state = Vector::Constant(1, 0.5);
  const auto decide = [&](std::uint64_t seq, int level) {
    Decided decided{std::to_string(seq), {}, seq, 1, state, {}};
    decided.decision.index = 1;
    decided.decision.level = level;
    learner.fold({seq, 1, 0, decided});
    return Subject{seq, decided.event_id, state, 1, level};
  };
  const Subject first = decide(2, 1), second = decide(3, 2);
  learner.fold({4, 1, 0, Expired{first, true, std::nullopt}});
  learner.fold({5, 1, 0, Rewarded{second, 0.5, false}});
  ASSERT_FALSE(learner.totals().degraded) << learner.totals().degraded->message;
  const auto& levels = dynamic_cast<const LevelledRegression&>(learner.policy().regression());
  EXPECT_EQ(levels.level(1).evidence().rounds, 0);
  EXPECT_EQ(levels.level(2).evidence().rounds, 1);
  EXPECT_EQ(levels.all().evidence().rounds, 1);
  EXPECT_EQ(learner.policy().statistics().open, 0);
}

TEST_F(TroubleTest, AnExactModelTakesNoMoreStatesThanAllowed) {
  limits.rows = 10;
  start();
  service->create("exact", linear_spec("k-ucb"), "", {});
  EXPECT_EQ(refused([&] { service->import("exact", history(11)); }), Reason::too_large);
  service->import("exact", history(6));
  EXPECT_EQ(refused([&] { service->import("exact", history(5)); }), Reason::full);
  for (int i = 0; i < 4; ++i) service->decide("exact", "d" + std::to_string(i), points({100.0 + i}));
  EXPECT_EQ(refused([&] { service->decide("exact", "", points({3})); }), Reason::full);
  for (int i = 0; i < 4; ++i) service->reward("exact", "d" + std::to_string(i), 1);  // each has its place
  model("exact");
  EXPECT_EQ(service->experiment("exact").statistics.evidence.rounds, 10);
  EXPECT_EQ(refused([&] { service->decide("exact", "", points({3})); }), Reason::full);
  create("dictionary");
  live(0, 30, "dictionary");
  Json arms = linear_spec("k-ucb");
  arms["arms"] = {{"points", {{0.1}, {0.9}}}};
  service->create("arms", arms, "", {});
  for (int i = 0; i < 30; ++i)
    service->reward("arms", service->decide("arms", "", {}).answer.event_id, i % 3);
}

TEST_F(TroubleTest, NumbersTooLargeForTheKernelAreTheClientsMistake) {
  service->create("linear", linear_spec(), "", {});
  EXPECT_EQ(refused([&] { service->decide("linear", "", points({1e200})); }), Reason::bad_request);
  service->import("linear", history(3));
  EXPECT_EQ(refused([&] { service->decide("linear", "", points({1e200})); }), Reason::bad_request);
  std::uint64_t version = 0;
  EXPECT_EQ(refused([&] { service->predict("linear", Matrix::Constant(1, 1, 1e200), version); }),
            Reason::bad_request);
  ImportRequest request = history(5);
  request.states(0, 3) = 1e200;
  request.lines = {1, 2, 4, 7, 8};
  try {
    service->import("linear", request);
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.reason, Reason::bad_request);
    EXPECT_TRUE(std::string(refusal.what()).starts_with("line 7: state")) << refusal.what();
    EXPECT_EQ(refusal.field, "line 7");
  }
  model("linear");
  EXPECT_EQ(service->experiment("linear").counts.imported, 3u);
  EXPECT_FALSE(service->experiment("linear").degraded);
}

TEST_F(TroubleTest, AFailedLogTellsWhatIsDurableOfEveryExperiment) {
  create();
  create("other");
  live(0, 5);
  live(0, 5, "other");
  contents->failing = true;
  const auto lost = service->decide("shop", "lost", offer(9));
  EXPECT_FALSE(service->wait_durable(lost.seq));
  EXPECT_EQ(service->experiment("shop").counts.decisions, 5u);
  EXPECT_EQ(service->experiments().size(), 2u);
  EXPECT_EQ(service->decisions("shop", 10).size(), 5u);
  EXPECT_EQ(refused([&] { service->explain("shop", "lost"); }), Reason::unknown_event);
  ExportEnd end;
  EXPECT_EQ(exported(end).size(), 10u);
  EXPECT_EQ(exported(end, "other").size(), 10u);
}

TEST_F(TroubleTest, AnExperimentThatNeverBecameDurableIsGone) {
  create();
  contents->failing = true;
  const auto lost = service->create("lost", small_spec(), "", {});
  EXPECT_FALSE(service->wait_durable(lost.seq));
  EXPECT_EQ(refused([&] { service->experiment("lost"); }), Reason::not_found);
  EXPECT_EQ(service->experiments().size(), 1u);
}

TEST_F(TroubleTest, QuestionsAndRefusalsWaitForWhatTheyTell) {
  create();
  service->wait_durable(service->decide("shop", "a", offer(1)).seq);
  contents->holding = true;
  const auto rewarded = service->reward("shop", "a", 1);
  try {
    service->reward("shop", "a", 2);
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.reason, Reason::conflict);
    EXPECT_EQ(refusal.seq, rewarded.seq);  // to be told once that is durable
  }
  std::atomic<bool> told = false;
  std::thread asking([&] {
    EXPECT_EQ(service->experiment("shop").counts.rewards, 1u);
    EXPECT_TRUE(told.exchange(true) || service->wait_durable(rewarded.seq));
  });
  std::thread releasing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(told);
    contents->holding = false;
    contents->holding.notify_all();
  });
  releasing.join();
  asking.join();
}

TEST_F(TroubleTest, IdsAreKnownAfterAnIndexThatCouldNotBeWrittenOnce) {
  create();
  const auto end = [&](const char* id) {
    const auto ticket = service->decide("shop", id, offer(1));
    service->wait_durable(service->reward("shop", id, 1).seq);
    return ticket.seq;
  };
  const auto until = [](const auto& holds) {
    for (int i = 0; i < 1000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return holds();
  };
  const std::string file = folder.path() + "/index.db";
  {
    Database other(file);
    other.execute(
        "CREATE TRIGGER fault BEFORE INSERT ON resolved BEGIN SELECT RAISE(ABORT, 'worn out'); END");
    end("a");
    ASSERT_TRUE(until([&] { return noticed("worn out"); }));
    end("b");
    other.execute("DROP TRIGGER fault");
  }
  end("c");
  ASSERT_TRUE(until([&] {
    Database reader(file, Database::Mode::read_only);
    return reader.number("SELECT through FROM progress") == 7;
  }));
  Database reader(file, Database::Mode::read_only);
  EXPECT_EQ(reader.number("SELECT count(*) FROM resolved"), 3);
}

TEST_F(TroubleTest, ConfiguringOneSettingLeavesTheOther) {
  create();
  std::thread one([&] {
    for (int i = 1; i <= 40; ++i) service->configure("shop", {std::optional<double>(i), std::nullopt});
  });
  service->configure("shop", {std::optional<double>(0.5), std::nullopt});
  std::thread other([&] {
    for (int i = 1; i <= 40; ++i) service->configure("shop", {std::nullopt, std::optional<double>(i)});
  });
  one.join();
  other.join();
  const Settings settings = service->experiment("shop").settings;
  EXPECT_EQ(settings.default_reward, 40.0);
  EXPECT_TRUE(settings.reward_deadline_seconds == 40.0 || settings.reward_deadline_seconds == 0.5);
  EXPECT_EQ(refused([&] {
              service->configure("shop", {std::optional<double>(), std::nullopt});
            }),
            Reason::bad_request);  // a default without a deadline
}

TEST_F(TroubleTest, AskingAgainLaterHelpsOnlyIfDecisionsExpire) {
  limits.pending = 2;
  start();
  create("shop", {10.0, std::nullopt});
  create("for-ever");
  for (const char* name : {"shop", "for-ever"}) {
    for (int i = 0; i < 2; ++i) service->decide(name, "", offer(1));
  }
  EXPECT_EQ(refused([&] { service->decide("shop", "", offer(1)); }), Reason::too_many);
  EXPECT_EQ(refused([&] { service->decide("for-ever", "", offer(1)); }), Reason::full);
}

TEST_F(TroubleTest, TheTermsOfADecisionAreThoseItWasMadeUnder) {
  create("shop", {1000.0, 0.5});
  Offered deferred = offer(1);
  deferred.deferred = true;
  service->decide("shop", "deferred", deferred);
  service->decide("shop", "shown", offer(2));
  service->configure("shop", {std::optional<double>(1.0), std::optional<double>()});
  service->activate("shop", "deferred");
  *clock.now += 1'600;
  service->reward("shop", "deferred", 1);
  start();
  *clock.now += 1'000'000;
  EXPECT_EQ(refused([&] { service->reward("shop", "shown", 1); }), Reason::expired);
  model();
  EXPECT_EQ(service->experiment("shop").counts.defaulted, 1u);
  EXPECT_EQ(service->experiment("shop").counts.expired, 0u);
}

TEST_F(TroubleTest, CheckingSaysWhatDecidingWould) {
  create();
  EXPECT_EQ(service->check("shop", "", offer(1)).candidates, 5);
  EXPECT_EQ(service->check("shop", "", offer(1)).dimension, 3);
  service->create("wide", {{"policy", "gp-ucb"}, {"kernel", {{"type", "gaussian"}, {"lengthscale", {1, 1}}}}},
                  "", {});
  EXPECT_EQ(refused([&] { service->check("wide", "", points({1})); }), Reason::bad_request);
  EXPECT_EQ(refused([&] { service->decide("wide", "", points({1})); }), Reason::bad_request);
  EXPECT_EQ(refused([&] { service->check("shop", "..", offer(1)); }), Reason::bad_request);
  EXPECT_EQ(refused([&] { service->check("shop", "rr-1", offer(1)); }), Reason::bad_request);
  service->decide("shop", "used", offer(1));
  EXPECT_EQ(refused([&] { service->check("shop", "used", offer(2)); }), Reason::conflict);
  service->close("shop");
  EXPECT_EQ(refused([&] { service->check("shop", "", offer(1)); }), Reason::closed);
  EXPECT_EQ(service->experiment("shop").counts.decisions, 1u);

  Json arms = small_spec("bkb");
  arms["arms"] = {{"points", {{0.1}, {0.5}, {0.9}}}};
  service->create("arms", arms, "", {});
  EXPECT_EQ(service->check("arms", "", {}).candidates, 3);
  service->decide("arms", "a", {});
  EXPECT_EQ(service->decisions("arms", 1).front().candidates, 3);
  std::uint64_t version = 0;
  EXPECT_EQ(refused([&] { service->predict("wide", Matrix::Zero(2000, 1), version); }), Reason::too_large);
}

TEST_F(TroubleTest, CheckingWhileTheModelIsReplaced) {
  Json arms = small_spec("ek-ucb");
  arms["arms"] = {{"points", {{0.1}, {0.5}, {0.9}}}};
  service->create("arms", arms, "", {});
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!done) EXPECT_EQ(service->check("arms", "", {}).candidates, 3);
    });
  }
  for (int i = 0; i < 100; ++i)
    service->reward("arms", service->decide("arms", "", {}).answer.event_id, i % 2);
  done = true;
  for (auto& thread : threads) thread.join();
}

TEST_F(TroubleTest, AnImportWithAnIdIsTakenOnce) {
  create("shop", {}, "k-ucb");
  ImportRequest request = history(4);
  request.id = "january";
  const auto first = service->import("shop", request);
  EXPECT_EQ(service->import("shop", request).seq, first.seq);
  ImportRequest other = history(5);
  other.id = "january";
  EXPECT_EQ(refused([&] { service->import("shop", other); }), Reason::conflict);
  start();  // from a snapshot
  EXPECT_EQ(service->import("shop", request).seq, first.seq);
  service.reset();
  std::filesystem::remove_all(folder.path());
  start();  // from the log
  EXPECT_EQ(service->import("shop", request).answer, 4);
  EXPECT_EQ(refused([&] { service->import("shop", other); }), Reason::conflict);
  EXPECT_EQ(service->experiment("shop").counts.imported, 4u);
  service->import("shop", history(4));  // without an id it is taken again
  EXPECT_EQ(service->experiment("shop").counts.imported, 8u);
  request.id = "a b";
  EXPECT_EQ(refused([&] { service->import("shop", request); }), Reason::bad_request);
}

TEST_F(TroubleTest, DiagnosticsAreComputedOnceAModelAndOnlyForThoseWhoLook) {
  create("shop", {}, "k-ucb");
  service->import("shop", history(200));
  model();
  for (int i = 0; i < 20; ++i) service->experiments();
  EXPECT_EQ(service->figures().diagnosed, 0u);
  EXPECT_FALSE(service->experiments().front().diagnostics.effective_dimension);
  ExperimentView view;
  for (int i = 0; i < 1000 && view.diagnosed == 0; ++i) {
    view = service->experiment("shop");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(view.diagnosed, view.version);
  ASSERT_TRUE(view.diagnostics.effective_dimension);
  EXPECT_GT(*view.diagnostics.effective_dimension, 1);
  for (int i = 0; i < 50; ++i) {
    service->experiment("shop");
    service->live("shop");
  }
  EXPECT_EQ(service->figures().diagnosed, 1u);
}

}  // namespace
}  // namespace ridgerunner::service::trouble_test
