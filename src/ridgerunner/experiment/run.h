#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ridgerunner/codec/range.h"
#include "ridgerunner/environment/environment.h"
#include "ridgerunner/policy/policy.h"

namespace ridgerunner {

// What happened in one run, at the rounds of checkpoints(): enough for any figure, small however long the
// run.
struct Trajectory {
  std::vector<double> regret;  // cumulative: the best candidate's expected reward minus the chosen one's
  std::vector<double>
      ceiling_regret;          // the same against the authors' ceiling, where the problem has one; else empty
  std::vector<double> reward;  // cumulative, as received
  std::vector<double> seconds;  // cumulative, spent deciding and learning
  std::vector<double> anchors;  // states that the model rests on

  // Of policies that learn the noise; else empty.
  std::vector<double> noise_lower, noise_upper;  // between which it is
  std::vector<double> ridge;                     // that choices are made with

  // At the end.
  double log_determinant = 0;
  std::optional<double> effective_dimension;
  std::optional<double> projection_error;
  std::uint64_t clamped = 0;
  std::optional<std::int64_t> empty_since;  // as in Statistics

  template <class Visit>
  static void fields(Visit&& visit) {
    using Self = Trajectory;
    // A curve has an entry for every checkpoint, or, where it may be missing, none.
    visit("regret", &Self::regret, any_value(), "");
    visit("reward", &Self::reward, any_value(), "");
    visit("seconds", &Self::seconds, any_value(), "");
    visit("anchors", &Self::anchors, any_value(), "");
    visit("ceiling_regret", &Self::ceiling_regret, any_value(kOptional), "");
    visit("noise_lower", &Self::noise_lower, any_value(kOptional), "");
    visit("noise_upper", &Self::noise_upper, any_value(kOptional), "");
    visit("ridge", &Self::ridge, any_value(kOptional), "");
    visit("log_determinant", &Self::log_determinant, any_value(), "");
    visit("effective_dimension", &Self::effective_dimension, any_value(), "");
    visit("projection_error", &Self::projection_error, any_value(), "");
    visit("clamped", &Self::clamped, any_value(), "");
    visit("empty_since", &Self::empty_since, integer_from(1), "");
  }
  static constexpr const char* kOptional = "may be missing";
};

// Rounds (1 .. horizon) at which a trajectory is recorded: all of them up to a few hundred, then evenly
// spaced.
std::vector<std::int64_t> checkpoints(std::int64_t horizon);

// The clock is handed in, so that a run can be had without one; seconds, monotone.
using Clock = std::function<double()>;

// Runs the policy on the environment. `proceed` is asked before every round; when it says no, the run ends
// early and nothing is returned.
std::optional<Trajectory> run(Policy policy, const Environment& environment, std::int64_t horizon,
                              const Clock& clock, const std::function<bool()>& proceed = {});

}  // namespace ridgerunner
