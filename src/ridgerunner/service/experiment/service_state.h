#pragma once

#include <condition_variable>
#include <map>
#include <shared_mutex>
#include <thread>

#include "ridgerunner/service/experiment/diagnoser.h"
#include "ridgerunner/service/experiment/event_index.h"
#include "ridgerunner/service/experiment/service.h"
#include "ridgerunner/service/experiment/snapshot.h"
#include "ridgerunner/service/experiment/steady_time.h"
#include "ridgerunner/service/experiment/trainer.h"
#include "ridgerunner/service/experiment/workspaces.h"
#include "ridgerunner/service/log/journal.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {

// The event of a record, marked if its contents cannot be read. Throws LogError, naming it, if its bytes are
// damaged: then it is not known whose it is.
Event decode_record(const Record& record);

// Where an event id stands.
struct Standing {
  const Pending* pending = nullptr;  // at most one of the two
  std::optional<Resolved> resolved;
};

struct Service::State {
  State(std::unique_ptr<EventLog> log_, Options options_);
  ~State();

  ExperimentPtr find(const std::string& name) const;      // Refusal: not_found
  ExperimentPtr find_number(std::uint64_t number) const;  // null if there is none
  std::vector<ExperimentPtr> all() const;
  ModelPtr model_of(const Experiment& experiment) const;                         // Refusal: degraded
  Standing standing(const Experiment& experiment, const std::string& event_id);  // the mutex is held
  EventPtr append(Experiment& experiment, Body body);                            // the mutex is held
  EventPtr expire(Experiment& experiment, const Pending& pending);               // the mutex is held
  Event read_event(std::uint64_t seq) const;                                     // which is durable
  void require_durable(std::uint64_t seq) const;                                 // Refusal: read_only
  void require_capacity() const;
  void require_open(const Experiment& experiment) const;  // the mutex is held
  // That so many more states fit in its model, beside those that are on their way. The mutex is held.
  void require_room(const Experiment& experiment, Index more) const;
  ExperimentView view(const Experiment& experiment) const;          // of the ledger as it is
  ExperimentView durable_view(const Experiment& experiment) const;  // of what is durable
  void tell(Severity severity, const std::string& message) const;

  // What `look` sees in the ledger, once all of it is durable.
  template <class Look>
  auto durable_look(const Experiment& experiment, const Look& look) const {
    for (bool again : {true, false}) {
      std::uint64_t seq = 0;
      auto seen = [&] {
        const std::scoped_lock lock(experiment.mutex);
        seq = experiment.ledger.last_event();
        return look(experiment.ledger);
      }();
      if (journal->wait_durable(seq)) return seen;
      if (again) wait_for_fall_back();
    }
    throw Refusal(Reason::not_found, "there is no experiment \"" + experiment.created.name + "\"");
  }

  // Start and end: service_restore.cpp.
  void restore();
  void take_up(SnapshotStore::Restored restored);
  void read_log(std::uint64_t from, std::uint64_t indexed);
  void fold_again(const Event& event);
  void revive(const Event& event);
  void save_snapshot(std::uint64_t through);

  // The housekeeping thread: deadlines, the index, and what a failed log leaves: housekeeping.cpp.
  void keep_house();
  void expire_overdue();
  void index_resolved();
  void fall_back();
  void wait_for_fall_back() const;
  void stop_house();

  Options options;
  SteadyTime time;
  std::unique_ptr<EventLog> log;
  std::unique_ptr<SnapshotStore> store;  // with the index null if there is no folder
  std::unique_ptr<EventIndex> index;

  mutable std::shared_mutex registry;  // guards the two maps
  std::map<std::string, ExperimentPtr> by_name;
  std::map<std::uint64_t, ExperimentPtr> by_number;

  Workspaces workspaces;
  Diagnoser diagnoser;
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<Journal> journal;
  std::atomic<std::uint64_t> snapshots = 0;
  std::atomic<double> snapshot_seconds = 0;

  mutable std::mutex house;  // guards the two flags
  mutable std::condition_variable house_bell;
  bool house_closing = false;
  bool fallen_back = false;  // the log failed, and the ledgers hold what is durable
  std::thread housekeeper;
  std::once_flag finished;
};

}  // namespace ridgerunner::service
