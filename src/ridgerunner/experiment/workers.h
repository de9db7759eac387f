#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "ridgerunner/experiment/sweep.h"

namespace ridgerunner {

// Jobs on several threads that tell together how far they are.
class Workers {
 public:
  Workers(Progress progress, std::function<bool(const Progress&)> on_progress)
      : progress_(progress), on_progress_(std::move(on_progress)) {}

  // Jobs 0, 1, ... jobs - 1, begun in this order. Returns whether none was stopped. The first exception stops
  // them and is thrown again here, after all threads have ended.
  bool work_through(std::int64_t jobs, int threads, const std::function<void(std::int64_t)>& job);

  void tell(std::int64_t rounds, std::int64_t runs);  // so many more are done
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // of the rest
  Progress progress_;
  std::function<bool(const Progress&)> on_progress_;
  std::exception_ptr error_;
};

}  // namespace ridgerunner
