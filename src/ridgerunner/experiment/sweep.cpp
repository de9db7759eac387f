#include "ridgerunner/experiment/sweep.h"

#include <chrono>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/experiment/workers.h"

namespace ridgerunner {
namespace {

constexpr std::int64_t kTellEvery = 20;  // rounds

Results empty_results(const ExperimentSpec& spec) {
  Results results;
  results.spec = spec;
  results.rounds = checkpoints(spec.horizon);
  for (const Contender& contender : spec.policies) {
    PolicyResults policy{contender.label, {}, {}};
    policy.runs.resize(static_cast<std::size_t>(spec.runs));
    results.policies.push_back(std::move(policy));
  }
  return results;
}

}  // namespace

double monotone_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<Results> sweep(const ExperimentSpec& spec, const SweepOptions& options) {
  validate(spec);
  if (options.threads < 1)
    throw InvalidArgument(fmt::format("threads must be >= 1, got {}", options.threads));
  const auto policies = std::ssize(spec.policies);
  const auto jobs = policies * spec.runs;
  Workers workers({0, jobs * spec.horizon, 0, jobs}, options.on_progress);
  Results results = empty_results(spec);
  // Run by run, all policies of a run together: an early stop, or a look at the progress, sees whole
  // comparisons.
  const auto one = [&](std::int64_t job) {
    const auto number = job / policies, policy = job % policies;
    const std::uint64_t seed = run_seed(spec.seed, static_cast<std::uint64_t>(number));
    const EnvironmentPtr environment = environment_of(spec, seed);
    const Contender& contender = spec.policies[static_cast<std::size_t>(policy)];
    const Spec own = contender_spec(contender, *environment, spec.horizon, seed);
    std::int64_t untold = 0;
    auto trajectory = run(Policy(own, contender.kernel), *environment, spec.horizon, monotone_seconds, [&] {
      if (++untold == kTellEvery) {
        workers.tell(untold, 0);
        untold = 0;
      }
      if (options.stop.stop_requested()) workers.stop();
      return !workers.stopped();
    });
    if (!trajectory) return;
    PolicyResults& out = results.policies[static_cast<std::size_t>(policy)];
    out.runs[static_cast<std::size_t>(number)] = std::move(*trajectory);
    if (number == 0) out.spec = own;
    workers.tell(untold, 1);
  };
  if (!workers.work_through(jobs, options.threads, one)) return std::nullopt;
  return results;
}

}  // namespace ridgerunner
