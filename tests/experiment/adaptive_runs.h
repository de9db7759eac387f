#pragma once

#include <nlohmann/json.hpp>

#include "ridgerunner/experiment/sweep.h"

namespace ridgerunner::adaptive_runs {

// Section 6.4 of Durand et al. 2018 with functions drawn at random: noise of sd 0.1, of which the adaptive
// policy knows that it is between 0.01 and 1, the fixed one that it is at most 1, and the oracle that it is
// 0.1. With 20 features: those beyond vanish on the arms, and share the norm.
inline Results compared(std::int64_t horizon, std::int64_t runs) {
  const auto fixed = [](double noise) {
    return Json{
        {"policy", "k-ucb"},
        {"regression", {{"ridge", noise * noise / 25}}},
        {"bound", {{"type", "self_normalized"}, {"norm_bound", 5}, {"noise_bound", noise}, {"delta", 0.1}}}};
  };
  ExperimentSpec spec;
  spec.environment = default_environment(EnvironmentType::taylor_function);
  spec.environment.features = 20;
  spec.policies = {
      {"oracle", fixed(0.1)},
      {"fixed", fixed(1)},
      {"adaptive",
       Json{{"policy", "adaptive-ucb"},
            {"bound", {{"norm_bound", 5}, {"noise_lower", 0.01}, {"noise_upper", 1}, {"delta", 0.1}}}}}};
  spec.horizon = horizon;
  spec.runs = runs;
  spec.seed = 1;
  return *sweep(spec, {2, {}});
}

// The mean regret of a policy at the recorded round nearest to one.
inline double regret(const Results& results, std::size_t policy, double round) {
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < results.rounds.size(); ++i) {
    const auto off = [&](std::size_t k) { return std::abs(static_cast<double>(results.rounds[k]) - round); };
    if (off(i) < off(nearest)) nearest = i;
  }
  return curve(results.policies[policy].runs, &Trajectory::regret).mean[nearest];
}

inline double slope(const Results& results, std::size_t policy, double from, double to) {
  return (regret(results, policy, to) - regret(results, policy, from)) / (to - from);
}

constexpr std::size_t kOracle = 0, kFixed = 1, kAdaptive = 2;

}  // namespace ridgerunner::adaptive_runs
