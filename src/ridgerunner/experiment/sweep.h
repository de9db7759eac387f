#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "ridgerunner/experiment/results.h"

namespace ridgerunner {

struct Progress {
  std::int64_t rounds_done = 0, rounds_total = 0;
  std::int64_t runs_done = 0, runs_total = 0;
};

struct SweepOptions {
  int threads = 1;
  // Told now and then, never on two threads at once; when it says no, everything stops.
  std::function<bool(const Progress&)> on_progress = nullptr;
  // Asked before every round of every run: stops everything as well.
  std::stop_token stop = {};
};

// The clock of sweeps.
double monotone_seconds();

// Runs every policy on the same problems with the same noise. Each run depends on its own seed alone, so the
// results (times aside) do not depend on the number of threads or on who finished first. Nothing is returned
// if stopped. The first error of a run is thrown again here, after the others have ended.
std::optional<Results> sweep(const ExperimentSpec& spec, const SweepOptions& options);

}  // namespace ridgerunner
