#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/tuning/columns.h"
#include "ridgerunner/tuning/tune_spec.h"

namespace ridgerunner {

// How length-scales are made: one for all columns in units of each column's spread, one in a common unit, or
// one for each column.
enum class Structure { column, common, each };
const Names<Structure>& names_of(Structure);

// One structure, fitted. In units of the spreads it goes on from, and in raw units to predict with.
struct Fit {
  Vector logs;                      // ln of the length-scales, then of the ridge
  double value = 0;                 // of the objective
  std::vector<double> lengthscale;  // raw, by column; empty for a kernel that was given
  double ridge = 1;
  double offset = 0;     // raw
  double noise_sd = 1;   // raw
  double signal_sd = 1;  // raw

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("logs", &Fit::logs, any_value(), "");
    visit("value", &Fit::value, any_value(), "");
    visit("lengthscale", &Fit::lengthscale, any_value(), "");
    visit("ridge", &Fit::ridge, any_value(), "");
    visit("offset", &Fit::offset, any_value(), "");
    visit("noise_sd", &Fit::noise_sd, any_value(), "");
    visit("signal_sd", &Fit::signal_sd, any_value(), "");
  }
};

// What was tuned, and what the next time goes on from.
struct Tuned {
  std::int64_t at = 0;         // observations
  std::int64_t forgotten = 0;  // the first so many count no more: what came later contradicts them
  std::int64_t retunes = 0;    // up to now
  std::int64_t next = 0;       // observations; 0: never again
  Structure structure = Structure::column;
  bool in_common_unit = false;  // the better of `column` and `common`
  std::optional<Fit> column, common, each;
  double score_ard = 0;     // how much better `each` predicted, in nats
  double score_forget = 0;  // how much better the later half of the observations predicted

  // In use, in raw units.
  std::vector<double> lengthscale;  // by column; empty for a kernel that was given
  double ridge = 1;
  double radius = 0;
  double offset = 0;
  std::optional<double> reward_low, reward_high;
  bool projected = false;  // there are too many distinct states for the exact engine

  // To tell people.
  bool two_valued = false;
  std::int64_t one_hot = 0;       // columns that say which arm
  std::vector<double> relevance;  // by column: spread / length-scale; 0 if ignored
  std::vector<double> ignored;    // columns that never moved
  double noise_sd = 0, signal_sd = 0;
  std::optional<double> held_out_r2;  // of what came since the time before
  std::optional<double> coverage90;   // share of it within ± 1.645 predicted standard deviations
  std::vector<std::string> warnings;

  template <class Visit>
  static void fields(Visit&& visit) {
    using Self = Tuned;
    visit("tuned_at", &Self::at, any_value(), "observations at the last retune");
    visit("forgotten", &Self::forgotten, any_value(), "");
    visit("score_forget", &Self::score_forget, any_value(), "");
    visit("retunes", &Self::retunes, any_value(), "");
    visit("next_at", &Self::next, any_value(), "observations at the next one; 0: none");
    visit("structure", &Self::structure, any_value(), "");
    visit("in_common_unit", &Self::in_common_unit, any_value(), "");
    visit("column", &Self::column, any_value(), "");
    visit("common", &Self::common, any_value(), "");
    visit("each", &Self::each, any_value(), "");
    visit("score_ard", &Self::score_ard, any_value(), "");
    visit("lengthscale", &Self::lengthscale, any_value(), "");
    visit("ridge", &Self::ridge, any_value(), "");
    visit("radius", &Self::radius, any_value(), "");
    visit("offset", &Self::offset, any_value(), "");
    visit("reward_low", &Self::reward_low, any_value(), "");
    visit("reward_high", &Self::reward_high, any_value(), "");
    visit("projected", &Self::projected, any_value(), "");
    visit("two_valued", &Self::two_valued, any_value(), "");
    visit("one_hot", &Self::one_hot, any_value(), "");
    visit("relevance", &Self::relevance, any_value(), "");
    visit("ignored", &Self::ignored, any_value(), "");
    visit("noise_sd", &Self::noise_sd, any_value(), "");
    visit("signal_sd", &Self::signal_sd, any_value(), "");
    visit("held_out_r2", &Self::held_out_r2, any_value(), "");
    visit("coverage90", &Self::coverage90, any_value(), "");
    visit("warnings", &Self::warnings, any_value(), "");
  }
};

struct TuneOptions {
  TuneSpec spec;
  std::uint64_t seed = 0;
  ColumnHints columns;
  KernelPtr kernel;             // given by the user: kept
  std::optional<double> ridge;  // the same
  std::optional<double> radius;
};

// Whether these rewards are enough for a first time: two of them differ.
bool can_tune(const VectorIn& rewards);

// A pure function: the same observations, however they came, give the same numbers.
// states: d x n, rewards: n, all observations in their order that were not forgotten before;
// can_tune(rewards).
// It fits at most spec.sample of them (EvidenceObjective) and judges a length-scale for each column by how
// well the fit before predicted what came since: neither evidence nor held-out density can judge that from
// data a policy has chosen. It promises nothing: the band is ± exploration posterior standard deviations.
Tuned tune(const MatrixIn& states, const VectorIn& rewards, const std::optional<Tuned>& before,
           const TuneOptions& options);

}  // namespace ridgerunner
