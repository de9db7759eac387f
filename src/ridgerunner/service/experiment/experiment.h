#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "ridgerunner/features/encoder.h"
#include "ridgerunner/service/experiment/learner.h"
#include "ridgerunner/service/experiment/ledger.h"
#include "ridgerunner/service/experiment/model.h"

namespace ridgerunner::service {

// How good a model is; dear to compute, so it is known of some models only.
struct Diagnosis {
  std::uint64_t version = 0;  // of the model
  Diagnostics diagnostics;
};

struct Experiment {
  Experiment(std::uint64_t number_, std::int64_t created_at_, Created created_, Learner learner_);

  const std::uint64_t number;
  const std::int64_t created_at;
  const Created created;
  const KernelPtr kernel;  // null if there is no model
  const Index arms;        // of its spec; 0: actions come with the requests
  const bool keeps_every_state;
  const std::optional<Encoder> encoder;  // if its spec has features

  mutable std::mutex
      mutex;  // guards the ledger; events are appended while it is held, so it folds in their order
  Ledger ledger;
  std::optional<Degraded> given_up;  // why nothing is learnt any more; guarded by the mutex, too
  std::atomic<std::uint64_t> next_number = 0;

  Published<Model> published;  // null: there is none to decide with
  Published<Diagnosis> diagnosis;
  std::atomic<bool> wanted = false;   // somebody waits for the newest model
  std::atomic<bool> stopped = false;  // learning has been given up

  // Of the training thread alone.
  using Clock = std::chrono::steady_clock;
  Learner learner;
  Ledger shadow{
      Ledger::Keep::pending};  // of all events that were folded: what a snapshot holds, without the lock
  std::uint64_t snapshot_version = 0;
  std::optional<Clock::time_point> stale_since;  // the published model is older than the learner
  bool urgent = false;                           // and differs in what it would choose
  Clock::time_point published_at{}, history_at{};
  double copy_seconds = 0;
};
using ExperimentPtr = std::shared_ptr<Experiment>;

// Publishes a copy of the learner's policy. Throws std::bad_alloc if there is no room for one.
void publish_model(Experiment& experiment, Experiment::Clock::time_point now);

// Takes note of a learner that has given up.
void note_giving_up(Experiment& experiment);

}  // namespace ridgerunner::service
