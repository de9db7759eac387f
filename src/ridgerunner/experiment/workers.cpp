#include "ridgerunner/experiment/workers.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace ridgerunner {

bool Workers::work_through(std::int64_t jobs, int threads, const std::function<void(std::int64_t)>& job) {
  const auto work = [&] {
    for (std::int64_t next = next_++; next < jobs && !stopped_; next = next_++) {
      try {
        job(next);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        stopped_ = true;
      }
    }
  };
  {
    std::vector<std::jthread> running;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(threads, jobs); ++i) running.emplace_back(work);
  }
  if (error_) std::rethrow_exception(error_);
  return !stopped_;
}

void Workers::tell(std::int64_t rounds, std::int64_t runs) {
  const std::lock_guard lock(mutex_);
  progress_.rounds_done += rounds;
  progress_.runs_done += runs;
  if (on_progress_ && !on_progress_(progress_)) stopped_ = true;
}

}  // namespace ridgerunner
