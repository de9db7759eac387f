#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "ridgerunner/service/experiment/experiment.h"
#include "ridgerunner/service/experiment/options.h"

namespace ridgerunner::service {

// The thread that folds durable events into the learners, in order, and publishes models: each at most once
// in `publish_milliseconds`, and so that copying takes at most a tenth of the time. Whatever goes wrong with
// one experiment is told and stops no other.
class Trainer {
 public:
  using Find = std::function<ExperimentPtr(std::uint64_t number)>;
  using Snapshot = std::function<void(std::uint64_t through)>;  // called between two events

  Trainer(const Options& options, std::uint64_t folded, Find find, Snapshot snapshot);
  ~Trainer();

  void add(std::vector<EventPtr> events);
  std::uint64_t folded() const { return folded_; }
  std::size_t backlog() const;

  // Waits until the experiment's published model has all events up to `seq`, which is durable, or has stopped
  // learning. Null if it has no model.
  ModelPtr wait_for(Experiment& experiment, std::uint64_t seq);

  // After folding what can be folded in `seconds`; the next start folds the rest.
  void stop(double seconds);

  std::uint64_t published() const { return published_; }
  double publish_seconds() const { return publish_seconds_; }

 private:
  void run();
  void wait(std::unique_lock<std::mutex>& lock);
  void fold(const Event& event);
  void note_trouble(Experiment& experiment, bool was_degraded);
  void tell(Severity severity, const std::string& message) const;
  bool try_to_publish(Experiment& experiment);
  bool is_due(const Experiment& experiment, Experiment::Clock::time_point now) const;
  void publish_due(bool all);
  void snapshot_if_due();

  const Options& options_;
  Find find_;
  Snapshot snapshot_;
  mutable std::mutex mutex_;  // guards the queue and stopping_
  std::condition_variable work_, progress_;
  std::deque<EventPtr> queue_;
  bool stopping_ = false;
  Experiment::Clock::time_point stop_at_{};
  bool wanted_ = false;   // somebody waits for a model
  bool hurry_ = false;    // there are events that should not wait
  bool napping_ = false;  // and will look by itself soon
  std::atomic<std::uint64_t> folded_, published_ = 0;
  std::atomic<double> publish_seconds_ = 0;

  // Of the thread alone.
  std::vector<ExperimentPtr> stale_;
  std::uint64_t snapshot_at_ = 0;
  Experiment::Clock::time_point next_snapshot_{};
  std::thread thread_;
};

}  // namespace ridgerunner::service
