#include "ridgerunner/tuning/tune.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/tuning/evidence_objective.h"
#include "ridgerunner/tuning/held_out.h"
#include "ridgerunner/tuning/minimize.h"
#include "ridgerunner/tuning/relevant_groups.h"
#include "ridgerunner/tuning/rewards.h"
#include "ridgerunner/tuning/sample.h"
#include "ridgerunner/tuning/warnings.h"

namespace ridgerunner {
namespace {

constexpr double kLeastRidge = 1e-3, kMostRidge = 100;
constexpr double kLeastLog = -4, kMostLog = 7;  // of a length-scale, in units of the spread
constexpr int kSeveralGroups = 4;
constexpr int kIterations = 15;
constexpr Index kFewObservations = 64;  // here a grid finds better starts than the fit before
constexpr int kEnoughForEach = 16;      // observations: the future judges whether it was too early
constexpr double kMargin = 2;           // nats by which a rival must be better
constexpr double kForgetScore = 0.5;    // of what a rival gained, at each retune
constexpr double kForgetFrom = 12;      // nats: less is paid for on data that are sound
constexpr Index kMostExact = 2000;      // distinct states

// Two values: data that a good policy chose show few of the borders, so evidence likes length-scales too
// long and noise too small.
constexpr double kTwoValuedScale = 0.5, kTwoValuedExploration = 0.5;

// Arms share nothing, so nobody's rewards put right what one bad draw says of another: with 1, a run in ten
// stays with the wrong arm.
constexpr double kArmExploration = 1.5;

class Retune {
 public:
  Retune(const MatrixIn& states, const VectorIn& rewards, const std::optional<Tuned>& before,
         const TuneOptions& options)
      : states_(states),
        options_(options),
        before_(before),
        start_(before ? before->forgotten : 0),
        columns_(look_at_columns(states, options.columns)),
        rewards_(look_at_rewards(rewards, options.spec.clip)),
        sample_(sample_observations(states, rewards, options.spec.sample, options.seed)) {}

  Tuned run() {
    Tuned out;
    out.at = start_ + states_.cols();
    out.forgotten = start_;
    out.retunes = before_ ? before_->retunes + 1 : 1;
    out.two_valued = rewards_.two_valued;
    judge(out);
    fit_all(out);
    choose_structure(out);
    put_in_use(out);
    out.warnings = tuning_warnings(out, states_.rows() - out.one_hot, rewards_);
    return out;
  }

 private:
  // What came since is predicted by the fits of the time before, from the data they had.
  void judge(Tuned& out) const {
    const Index known = before_ ? before_->at - start_ : 0;
    if (known < 1 || known >= states_.cols()) return;
    const Fit* one = opt(before_->in_common_unit ? before_->common : before_->column);
    const Fit* each = opt(before_->each);
    if (!one) return;
    const auto held_out = [&](const Fit& fit) {
      return predict_held_out(fit, states_, rewards_.clipped, known, options_);
    };
    const HeldOut by_one = held_out(*one);
    HeldOut in_use = by_one;
    out.score_ard = before_->score_ard * kForgetScore;
    if (each) {
      const HeldOut by_each = held_out(*each);
      const auto block = static_cast<double>(states_.cols() - known);
      const double least = 1e-12 * rewards_.spread * rewards_.spread;  // or a perfect fit would be infinite
      out.score_ard += block / 2 * std::log((by_one.squared_error + least) / (by_each.squared_error + least));
      if (before_->structure == Structure::each) in_use = by_each;
    }
    out.held_out_r2 = in_use.r2;
    out.coverage90 = in_use.coverage90;
    if (rewards_.two_valued) return;
    const Fit& used = before_->structure == Structure::each && each ? *each : *one;
    out.score_forget = before_->score_forget * kForgetScore +
                       gain_of_forgetting(used, in_use, states_, rewards_.clipped, known, options_);
  }

  static const Fit* opt(const std::optional<Fit>& fit) { return fit ? &*fit : nullptr; }

  void fit_all(Tuned& out) const {
    const bool given = options_.kernel != nullptr;
    out.column = fit(Structure::column, before_ ? opt(before_->column) : nullptr, nullptr);
    if (given) return;
    if (columns_.common_scale)
      out.common = fit(Structure::common, before_ ? opt(before_->common) : nullptr, nullptr);
    const bool enough =
        std::ssize(sample_) >= std::min(2 * columns_.groups, kEnoughForEach) && columns_.groups >= 2;
    if (options_.spec.ard == Ard::automatic && !rewards_.two_valued && enough)
      out.each = fit(Structure::each, before_ ? opt(before_->each) : nullptr, opt(out.column));
  }

  void choose_structure(Tuned& out) const {
    const bool was_common = before_ && before_->in_common_unit;
    if (out.common) {
      const double gain = out.column->value - out.common->value;
      out.in_common_unit = was_common ? gain > -kMargin : gain > kMargin;
    }
    out.structure = out.in_common_unit ? Structure::common : Structure::column;
    if (!out.each) return;
    const bool was_each = before_ && before_->structure == Structure::each;
    if (was_each ? out.score_ard >= -kMargin : out.score_ard >= kMargin) out.structure = Structure::each;
  }

  // Fixed columns get their place in units as well.
  FitData data_of(Structure structure) const {
    FitData data;
    const Index d = states_.rows(), n = std::ssize(sample_);
    data.points.resize(d, n);
    data.rewards.resize(n);
    const Vector scaled = rewards_.scaled();
    Vector unit(d);
    for (Index j = 0; j < d; ++j) unit[j] = options_.kernel ? 1 : unit_of(structure, j);
    for (Index i = 0; i < n; ++i) {
      const Index from = sample_[static_cast<std::size_t>(i)];
      data.points.col(i) = states_.col(from).cwiseQuotient(unit);
      data.rewards[i] = scaled[from];
    }
    data.group = columns_.group;
    data.groups = columns_.groups;
    data.offset_is_0 = rewards_.two_valued;
    return data;
  }

  // What a column is divided by before its length-scale.
  double unit_of(Structure structure, Index column) const {
    if (columns_.is_arm(column)) return kArmLengthscale;
    if (columns_.group[static_cast<std::size_t>(column)] < 0) return kIgnoredLengthscale;
    return structure == Structure::common ? *columns_.common_scale
                                          : columns_.scale[static_cast<std::size_t>(column)];
  }

  Box limits(const EvidenceObjective& objective, Structure structure, const FitData& data) const {
    const Index p = objective.lengthscales();
    Box box{Vector::Constant(p + 1, kLeastLog), Vector::Constant(p + 1, kMostLog)};
    if (structure != Structure::each && p > 0) box.lower.head(p).setConstant(least_log(data));
    box.lower[p] = std::log(options_.ridge.value_or(kLeastRidge));
    box.upper[p] = std::log(options_.ridge.value_or(kMostRidge));
    return box;
  }

  // With few observations of several columns, a length-scale shorter than the states are apart explains
  // anything by nothing: every candidate looks alike, and the run is no better than chance for a while. Not
  // for two values, whose borders are sharp, nor for few columns, where a function may be rough.
  double least_log(const FitData& data) const {
    if (rewards_.two_valued || data.groups < kSeveralGroups || data.size() > kFewObservations)
      return kLeastLog;
    const double apart = typical_distance(data.points.topRows(data.points.rows() - columns_.arm_columns),
                                          data.points.bottomRows(columns_.arm_columns));
    if (!(apart > 0)) return kLeastLog;
    return std::clamp(std::log(apart), kLeastLog, kMostLog);
  }

  // Short length-scales for the columns that seem to matter, long ones for the rest.
  Vector from_relevant(const FitData& data, Index p) const {
    Vector at = Vector::Constant(p + 1, 0.5 * std::log(static_cast<double>(columns_.groups)) + 2);
    for (const int group : relevant_groups(data)) at[group] = 0;
    at[p] = std::log(0.3);
    return at;
  }

  // Where the search may begin.
  std::vector<Vector> starts(const EvidenceObjective& objective, const FitData& data, Structure structure,
                             const Fit* last, const Fit* isotropic) const {
    const Index p = objective.lengthscales();
    std::vector<Vector> all;
    if (structure == Structure::each) {
      Vector at(p + 1);
      at.head(p).setConstant(isotropic->logs[0]);
      at[p] = isotropic->logs[isotropic->logs.size() - 1];
      all.push_back(at);
      if (last && last->logs.size() == p + 1) all.push_back(last->logs);
      if (columns_.groups >= kSeveralGroups) all.push_back(from_relevant(data, p));
      return all;
    }
    if (last && last->logs.size() == p + 1 && states_.cols() > kFewObservations) {
      for (const double shift : {0.0, 1.0, -1.0}) {
        Vector at = last->logs;
        at.head(p).array() += shift;
        all.push_back(at);
        if (p == 0) break;
      }
      return all;
    }
    const double usual = 0.5 * std::log(std::max(1.0, static_cast<double>(columns_.groups)));
    for (const double log_ridge : {-6.0, -4.0, -2.0, 0.0}) {
      for (const double shift : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
        Vector at(p + 1);
        at.head(p).setConstant(usual + shift);
        at[p] = log_ridge;
        all.push_back(at);
        if (p == 0) break;
      }
    }
    return all;
  }

  Fit fit(Structure structure, const Fit* last, const Fit* isotropic) const {
    const FitData data = data_of(structure);
    const EvidenceObjective objective(data, structure == Structure::each ? Scales::each : Scales::one,
                                      options_.kernel);
    const Box box = limits(objective, structure, data);
    Vector start;
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vector& candidate : starts(objective, data, structure, last, isotropic)) {
      const Vector at = candidate.cwiseMax(box.lower).cwiseMin(box.upper);
      const double value = objective.value(at);
      if (start.size() == 0 || value < lowest) {
        start = at;
        lowest = value;
      }
    }
    const Minimum found =
        minimize([&](const Vector& at, Vector& gradient) { return objective.value(at, gradient); }, start,
                 box, kIterations);
    return in_raw_units(structure, found, objective);
  }

  Fit in_raw_units(Structure structure, const Minimum& found, const EvidenceObjective& objective) const {
    Fit out;
    out.logs = found.at;
    out.value = found.value;
    const Index p = objective.lengthscales();
    const auto eliminated = objective.eliminated(found.at);
    out.ridge = options_.ridge.value_or(std::exp(found.at[p]));
    out.offset = rewards_.centre + rewards_.spread * eliminated.offset;
    out.signal_sd = rewards_.spread * std::sqrt(eliminated.signal_variance);
    out.noise_sd = out.signal_sd * std::sqrt(out.ridge);
    if (options_.kernel) return out;
    for (Index j = 0; j < states_.rows(); ++j) {
      const int group = columns_.group[static_cast<std::size_t>(j)];
      const double log = group < 0 ? 0 : found.at[p == 1 ? 0 : group];
      out.lengthscale.push_back(unit_of(structure, j) * std::exp(log));
    }
    return out;
  }

  double usual_exploration() const {
    if (rewards_.two_valued) return kTwoValuedExploration;
    return columns_.arm_columns > 0 ? kArmExploration : 1;
  }

  void put_in_use(Tuned& out) const {
    const Fit& fit = out.structure == Structure::each     ? *out.each
                     : out.structure == Structure::common ? *out.common
                                                          : *out.column;
    out.lengthscale = fit.lengthscale;
    out.ridge = fit.ridge;
    out.offset = fit.offset;
    out.noise_sd = fit.noise_sd;
    out.signal_sd = fit.signal_sd;
    out.one_hot = columns_.arm_columns;
    for (std::size_t j = 0; j < out.lengthscale.size(); ++j) {
      if (columns_.group[j] < 0) continue;
      if (rewards_.two_valued) out.lengthscale[j] *= kTwoValuedScale;
    }
    out.radius = options_.radius.value_or(options_.spec.exploration * usual_exploration() * out.noise_sd);
    out.reward_low = rewards_.low;
    out.reward_high = rewards_.high;
    out.projected = states_.cols() > kMostExact && distinct_states(states_) > kMostExact;
    for (const Index j : columns_.never_moved) out.ignored.push_back(static_cast<double>(j));
    for (std::size_t j = 0; j < out.lengthscale.size(); ++j)
      out.relevance.push_back(columns_.group[j] < 0 ? 0 : columns_.scale[j] / out.lengthscale[j]);
    const auto grown =
        static_cast<std::int64_t>(std::ceil(options_.spec.growth * static_cast<double>(out.at)));
    out.next = std::max(out.at + 1, grown);
    if (out.next > options_.spec.until) out.next = 0;
  }

  MatrixIn states_;
  const TuneOptions& options_;
  const std::optional<Tuned>& before_;
  Index start_;  // how many are forgotten
  Columns columns_;
  Rewards rewards_;
  std::vector<Index> sample_;
};

}  // namespace

const Names<Structure>& names_of(Structure) {
  static const Names<Structure> names = {
      {Structure::column, "column"}, {Structure::common, "common"}, {Structure::each, "each"}};
  return names;
}

namespace {

std::size_t distinct(const Vector& values) {
  return std::set<double>(values.begin(), values.end()).size();
}

}  // namespace

bool can_tune(const VectorIn& rewards) {
  return rewards.size() >= 2 && differ(rewards);
}

Tuned tune(const MatrixIn& states, const VectorIn& rewards, const std::optional<Tuned>& before,
           const TuneOptions& options) {
  const Tuned all = Retune(states, rewards, before, options).run();
  if (!before || !(all.score_forget > kForgetFrom)) return all;
  const Index drop = (before->at - before->forgotten) / 2, kept = states.cols() - drop;
  const Vector recent = rewards.tail(kept);
  if (distinct(recent) <= 2) return all;
  // A new beginning with what is left.
  std::optional<Tuned> fresh(std::in_place);
  fresh->forgotten = before->forgotten + drop;
  fresh->retunes = before->retunes;
  fresh->at = fresh->forgotten;
  return Retune(states.rightCols(kept), recent, fresh, options).run();
}

}  // namespace ridgerunner
