#include "ridgerunner/experiment/sweep.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

class Sweep {
 public:
  Sweep(const ExperimentSpec& spec, const SweepOptions& options) : spec_(spec), options_(options) {
    progress_.runs_total = std::ssize(spec.policies) * spec.runs;
    progress_.rounds_total = progress_.runs_total * spec.horizon;
    results_.spec = spec;
    results_.rounds = checkpoints(spec.horizon);
    for (const Contender& contender : spec.policies) {
      PolicyResults policy{contender.label, {}, {}};
      policy.runs.resize(static_cast<std::size_t>(spec.runs));
      results_.policies.push_back(std::move(policy));
    }
  }

  std::optional<Results> go() {
    {
      std::vector<std::jthread> threads;
      const auto count = std::min<std::int64_t>(options_.threads, progress_.runs_total);
      for (std::int64_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    }
    if (error_) std::rethrow_exception(error_);
    if (stopped_) return std::nullopt;
    return std::move(results_);
  }

 private:
  void work() {
    // Run by run, all policies of a run together: an early stop, or a look at the progress, sees whole
    // comparisons.
    for (std::int64_t job = next_++; job < progress_.runs_total && !stopped_; job = next_++) {
      try {
        one(job / std::ssize(spec_.policies), static_cast<std::size_t>(job % std::ssize(spec_.policies)));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        stopped_ = true;
      }
    }
  }

  void one(std::int64_t number, std::size_t policy) {
    const std::uint64_t seed = run_seed(spec_.seed, static_cast<std::uint64_t>(number));
    const EnvironmentPtr environment = environment_of(spec_, seed);
    const Contender& contender = spec_.policies[policy];
    const Spec spec = contender_spec(contender, *environment, spec_.horizon, seed);
    std::int64_t untold = 0;
    auto trajectory = run(Policy(spec, contender.kernel), *environment, spec_.horizon, monotone_seconds, [&] {
      if (++untold == kTellEvery) {
        tell(untold, 0);
        untold = 0;
      }
      if (options_.stop.stop_requested()) stopped_ = true;
      return !stopped_.load(std::memory_order_relaxed);
    });
    if (!trajectory) return;
    results_.policies[policy].runs[static_cast<std::size_t>(number)] = std::move(*trajectory);
    if (number == 0) results_.policies[policy].spec = spec;
    tell(untold, 1);
  }

  void tell(std::int64_t rounds, std::int64_t runs) {
    const std::lock_guard lock(mutex_);
    progress_.rounds_done += rounds;
    progress_.runs_done += runs;
    if (options_.on_progress && !options_.on_progress(progress_)) stopped_ = true;
  }

  static constexpr std::int64_t kTellEvery = 20;

  const ExperimentSpec& spec_;
  const SweepOptions& options_;
  Results results_;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // of the rest
  Progress progress_;
  std::exception_ptr error_;
};

}  // namespace

double monotone_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<Results> sweep(const ExperimentSpec& spec, const SweepOptions& options) {
  validate(spec);
  if (options.threads < 1)
    throw InvalidArgument(fmt::format("threads must be >= 1, got {}", options.threads));
  return Sweep(spec, options).go();
}

}  // namespace ridgerunner
