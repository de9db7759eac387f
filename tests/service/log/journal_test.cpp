#include "ridgerunner/service/log/journal.h"

#include <thread>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/log/refusal.h"
#include "service/memory_log.h"

namespace ridgerunner::service::journal_test {
namespace {

// A log whose commits wait until they are let through.
class SlowLog : public MemoryLog {
 public:
  SlowLog(std::shared_ptr<MemoryContents> contents, std::mutex& gate)
      : MemoryLog(std::move(contents)), gate_(gate) {}
  void append(std::span<const Record> batch) override {
    const std::scoped_lock lock(gate_);
    MemoryLog::append(batch);
  }

 private:
  std::mutex& gate_;
};

TEST(Journal, NumbersEventsAndMakesThemDurable) {
  const auto contents = std::make_shared<MemoryContents>();
  MemoryLog log(contents);
  std::vector<std::uint64_t> seen;
  Journal journal(log, [&](const std::vector<EventPtr>& events, double seconds) {
    EXPECT_GE(seconds, 0);
    for (const EventPtr& event : events) seen.push_back(event->seq);
  });
  EXPECT_EQ(journal.append({0, 1, 0, Closed{}})->seq, 1u);
  EXPECT_EQ(journal.append({0, 1, 0, Closed{}})->seq, 2u);
  EXPECT_TRUE(journal.wait_durable(2));
  EXPECT_TRUE(journal.wait_durable(1));
  journal.stop();
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(decode(contents->records[1].bytes).seq, 2u);
}

TEST(Journal, AnEventThatWouldNotReadBackIsNotAppended) {
  const auto contents = std::make_shared<MemoryContents>();
  MemoryLog log(contents);
  Journal journal(log, nullptr);
  Decided decided{"x", {}, 0, 0, Vector::Ones(1), {}};
  decided.decision.upper = std::numeric_limits<double>::quiet_NaN();
  try {
    journal.append({0, 1, 0, decided});
    FAIL();
  } catch (const NumericalError& error) {
    EXPECT_STREQ(error.what(),
                 "not done, since it could not be read again: a decision's upper bound must not be nan");
  }
  EXPECT_EQ(journal.appended(), 0u);
  EXPECT_EQ(journal.append({0, 1, 0, Closed{}})->seq, 1u);
}

TEST(Journal, WhatWaitsIsCommittedTogether) {
  const auto contents = std::make_shared<MemoryContents>();
  std::mutex gate;
  SlowLog log(contents, gate);
  Journal journal(log, nullptr);
  std::unique_lock hold(gate);
  for (int i = 0; i < 100; ++i) journal.append({0, 1, 0, Closed{}});
  EXPECT_EQ(journal.durable(), 0u);
  hold.unlock();
  EXPECT_TRUE(journal.wait_durable(100));
  EXPECT_LE(contents->commits, 2);  // those that came before the first was taken, and the rest
}

TEST(Journal, AFailureIsToldToAllThatWaitAndNothingMoreIsTaken) {
  const auto contents = std::make_shared<MemoryContents>();
  std::mutex gate;
  SlowLog log(contents, gate);
  bool committed = false;
  Journal journal(log, [&](const std::vector<EventPtr>&, double) { committed = true; });
  std::unique_lock hold(gate);
  contents->failing = true;
  std::atomic<int> told = 0;
  for (std::uint64_t i = 1; i <= 10; ++i) {
    journal.append({0, 1, 0, Closed{}});
    journal.when_durable(i, [&](bool durable) { told += durable ? 1000 : 1; });
  }
  hold.unlock();
  EXPECT_FALSE(journal.wait_durable(10));
  while (told < 10) std::this_thread::yield();
  EXPECT_EQ(told, 10);
  EXPECT_FALSE(committed);
  EXPECT_EQ(journal.trouble(), "no space left on device");
  contents->failing = false;
  EXPECT_THROW(journal.append({0, 1, 0, Closed{}}), Refusal);
  EXPECT_EQ(contents->records.size(), 0u);
}

TEST(Journal, StoppingMakesDurableWhatWasTaken) {
  const auto contents = std::make_shared<MemoryContents>();
  MemoryLog log(contents);
  Journal journal(log, nullptr);
  for (int i = 0; i < 50; ++i) journal.append({0, 1, 0, Closed{}});
  journal.stop();
  EXPECT_EQ(contents->records.size(), 50u);
  EXPECT_THROW(journal.append({0, 1, 0, Closed{}}), Refusal);
  EXPECT_TRUE(journal.wait_durable(50));
}

}  // namespace
}  // namespace ridgerunner::service::journal_test
