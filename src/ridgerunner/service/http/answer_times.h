#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace ridgerunner::service {

// How long each experiment's model takes to answer, as a running average. One that takes longer than a
// millisecond is asked on a worker, so that the threads that read requests stay free.
class AnswerTimes {
 public:
  bool slow(const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto found = averages_.find(name);
    return found != averages_.end() && found->second > kSlow;
  }

  void add(const std::string& name, double seconds) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = averages_.find(name);
      if (found != averages_.end()) {
        // Two threads at once may lose one of two measurements, which does no harm.
        const double before = found->second.load(std::memory_order_relaxed);
        found->second.store(before + (seconds - before) / 16, std::memory_order_relaxed);
        return;
      }
    }
    const std::unique_lock lock(mutex_);
    averages_.try_emplace(name, seconds);
  }

 private:
  static constexpr double kSlow = 1e-3;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::atomic<double>> averages_;
};

}  // namespace ridgerunner::service
