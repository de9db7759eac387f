#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "ridgerunner/service/experiment/experiment.h"

namespace ridgerunner::service {

// The thread that computes the diagnostics of published models, which may take as long as learning did: of
// those that somebody looks at, each once, and for at most a twentieth of the time.
class Diagnoser {
 public:
  Diagnoser();
  ~Diagnoser();
  Diagnoser(const Diagnoser&) = delete;
  Diagnoser& operator=(const Diagnoser&) = delete;

  // Somebody looks at this experiment: unless its published model is known, it will be.
  void want(const ExperimentPtr& experiment);
  void stop();
  std::uint64_t done() const { return done_; }

 private:
  void run();

  std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  std::set<ExperimentPtr> wanted_;
  bool stopping_ = false;
  std::atomic<std::uint64_t> done_ = 0;
  std::thread thread_;
};

}  // namespace ridgerunner::service
