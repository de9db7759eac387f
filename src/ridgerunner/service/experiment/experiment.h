#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "ridgerunner/service/experiment/learner.h"
#include "ridgerunner/service/experiment/ledger.h"

namespace ridgerunner::service {

// A model as decisions see it: never changes.
struct Model {
  Policy policy;
  std::uint64_t version = 0;
  Totals totals;
  std::shared_ptr<const History> history;  // may be a little older
};
using ModelPtr = std::shared_ptr<const Model>;

// A pointer that one thread replaces and others take.
class Published {
 public:
  ModelPtr get() const {
    const std::scoped_lock lock(mutex_);
    return model_;
  }
  void set(ModelPtr model) {
    const std::scoped_lock lock(mutex_);
    model_.swap(model);
  }

 private:
  mutable std::mutex mutex_;
  ModelPtr model_;
};

struct Experiment {
  Experiment(std::uint64_t number_, std::int64_t created_at_, Created created_)
      : number(number_), created_at(created_at_), created(std::move(created_)), learner(created) {}

  const std::uint64_t number;
  const std::int64_t created_at;
  const Created created;

  mutable std::mutex
      mutex;  // guards the ledger; events are appended while it is held, so it folds in their order
  Ledger ledger;
  std::atomic<std::uint64_t> next_number = 0;

  Published published;
  std::atomic<bool> wanted = false;  // somebody waits for the newest model

  // Of the learning thread alone.
  using Clock = std::chrono::steady_clock;
  Learner learner;
  Ledger shadow{Ledger::Keep::pending};  // as of the learner: what a snapshot holds, without the lock
  std::uint64_t snapshot_version = 0;
  std::optional<Clock::time_point> stale_since;  // the published model is older than the learner
  bool urgent = false;                           // and differs in what it would choose
  Clock::time_point published_at{}, history_at{};
  double copy_seconds = 0;
};
using ExperimentPtr = std::shared_ptr<Experiment>;

}  // namespace ridgerunner::service
