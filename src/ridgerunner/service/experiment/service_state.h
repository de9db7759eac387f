#pragma once

#include <condition_variable>
#include <map>
#include <shared_mutex>
#include <thread>

#include "ridgerunner/service/experiment/event_index.h"
#include "ridgerunner/service/experiment/learning.h"
#include "ridgerunner/service/experiment/service.h"
#include "ridgerunner/service/experiment/snapshot.h"
#include "ridgerunner/service/log/journal.h"

namespace ridgerunner::service {

// Memory for choosing, one for each choice that is being made.
class Workspaces {
 public:
  class Lease {
   public:
    explicit Lease(Workspaces& owner) : owner_(owner), workspace_(owner.take()) {}
    ~Lease() { owner_.give_back(std::move(workspace_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Workspace& operator*() { return *workspace_; }

   private:
    Workspaces& owner_;
    std::unique_ptr<Workspace> workspace_;
  };

 private:
  std::unique_ptr<Workspace> take();
  void give_back(std::unique_ptr<Workspace> workspace);
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

// The event of a record. Throws LogError, naming it, if it is damaged.
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
  Standing standing(const Experiment& experiment, const std::string& event_id);  // the mutex is held
  EventPtr append(Experiment& experiment, Body body);                            // the mutex is held
  EventPtr expire(Experiment& experiment, const Pending& pending);               // the mutex is held
  Event read_event(std::uint64_t seq) const;                                     // which is durable
  void require_capacity() const;
  ExperimentView view(const Experiment& experiment) const;
  void tell(Severity severity, const std::string& message) const;

  // Start and end.
  void restore();
  void fold_again(const Event& event);
  void save_snapshot(std::uint64_t through);

  // The housekeeping thread: deadlines and the index.
  void keep_house();
  void expire_overdue();
  void index_resolved();

  Options options;
  std::unique_ptr<EventLog> log;
  std::unique_ptr<SnapshotStore> store;  // with the index null if there is no folder
  std::unique_ptr<EventIndex> index;

  mutable std::shared_mutex registry;  // guards the two maps
  std::map<std::string, ExperimentPtr> by_name;
  std::map<std::uint64_t, ExperimentPtr> by_number;

  Workspaces workspaces;
  std::unique_ptr<Learning> learning;
  std::unique_ptr<Journal> journal;
  std::atomic<std::uint64_t> snapshots = 0;
  std::atomic<double> snapshot_seconds = 0;

  std::mutex house;
  std::condition_variable house_bell;
  bool house_closing = false;
  std::thread housekeeper;
  std::once_flag finished;
};

}  // namespace ridgerunner::service
