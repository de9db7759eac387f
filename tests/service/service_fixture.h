#pragma once

#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/random/stream.h"
#include "ridgerunner/service/experiment/service.h"
#include "ridgerunner/service/log/refusal.h"
#include "service/memory_log.h"
#include "service/temporary_folder.h"

namespace ridgerunner::service {

struct Clock {
  std::shared_ptr<std::atomic<std::int64_t>> now = std::make_shared<std::atomic<std::int64_t>>(1'000'000);
  std::function<std::int64_t()> function() const {
    return [now = now] { return now->load(); };
  }
};

inline Json small_spec(const char* policy = "ek-ucb") {
  return {{"policy", policy}, {"kernel", {{"type", "gaussian"}, {"lengthscale", 0.3}}}};
}

inline Offered offer(std::uint64_t round, Index actions = 5) {
  Stream random(3, Purpose::test, round);
  Offered offered;
  offered.context = Vector::Constant(1, random.uniform());
  offered.actions.resize(2, actions);
  for (Index i = 0; i < actions; ++i) offered.actions.col(i) << random.uniform(), random.uniform();
  return offered;
}

inline double reward_of(const Offered& offered, Index index, std::uint64_t round) {
  return std::sin(5 * offered.context[0]) * offered.actions(0, index) + offered.actions(1, index) / 2 +
         0.1 * Stream(4, Purpose::noise, round).normal();
}

template <class Call>
std::optional<Reason> refused(const Call& call) {
  try {
    call();
  } catch (const Refusal& refusal) {
    return refusal.reason;
  }
  return std::nullopt;
}

// A service on a log that outlives it.
class ServiceTest : public testing::Test {
 protected:
  void SetUp() override { start(); }

  void start() {
    service.reset();
    Options options;
    options.folder = folder.path();
    options.clock = clock.function();
    options.publish_milliseconds = 0;
    options.limits = limits;
    options.notice = [this](Severity, const std::string& message) {
      const std::scoped_lock lock(noticing);
      notices += message + "\n";
    };
    service = std::make_unique<Service>(std::make_unique<MemoryLog>(contents), options);
  }

  void create(const char* name = "shop", const Settings& settings = {}, const char* policy = "ek-ucb") {
    const auto ticket = service->create(name, small_spec(policy), "", settings);
    ASSERT_TRUE(service->wait_durable(ticket.seq));
  }

  // Decides and rewards; every seventh decision gets no reward.
  void live(std::uint64_t from, std::uint64_t to, const char* name = "shop") {
    for (std::uint64_t round = from; round < to; ++round) {
      const Offered offered = offer(round);
      const auto ticket = service->decide(name, "", offered);
      ASSERT_TRUE(service->wait_durable(ticket.seq));
      if (round % 7 == 3) continue;
      const auto rewarded = service->reward(name, ticket.answer.event_id,
                                            reward_of(offered, ticket.answer.decision.index, round));
      ASSERT_TRUE(service->wait_durable(rewarded.seq));
    }
  }

  std::vector<Event> exported(ExportEnd& end, const char* name = "shop") {
    std::vector<Event> events;
    service->export_log(
        name, 1,
        [&](std::span<const Event> some) {
          events.insert(events.end(), some.begin(), some.end());
          return true;
        },
        end);
    return events;
  }

  bool noticed(const std::string& words) {
    const std::scoped_lock lock(noticing);
    return notices.find(words) != std::string::npos;
  }

  std::uint32_t model(const char* name = "shop") {
    ExportEnd end;
    exported(end, name);
    return end.model;
  }

  TemporaryFolder folder;
  Clock clock;
  Limits limits;
  std::mutex noticing;
  std::string notices;
  std::shared_ptr<MemoryContents> contents = std::make_shared<MemoryContents>();
  std::unique_ptr<Service> service;
};

}  // namespace ridgerunner::service
