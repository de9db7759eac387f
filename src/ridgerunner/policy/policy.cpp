#include "ridgerunner/policy/policy.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

// No answer has a number that is none; bounds may be infinite.
void require_numbers(double mean, double sd, const Interval& at) {
  if (std::isfinite(mean) && std::isfinite(sd) && !std::isnan(at.lower) && !std::isnan(at.upper)) return;
  throw NumericalError(
      fmt::format("a prediction is {} with sd {}, between {} and {}: beyond what can be computed", mean, sd,
                  at.lower, at.upper));
}

}  // namespace

Policy::Policy(Spec spec, KernelPtr kernel)
    : spec_(std::move(spec)),
      regression_(make_regression(spec_, std::move(kernel))),
      memory_{0, 0, initial_noise(spec_.bound), std::nullopt},
      bound_(make_bound(spec_)),
      first_(spec_.rule.first == First::random ? uniform_rule() : lowest_rule()),
      rule_(make_rule(spec_)) {}

Policy::Policy(const Policy& other)
    : spec_(other.spec_),
      regression_(other.regression_->clone()),
      memory_(other.memory_),
      bound_(other.bound_),
      first_(other.first_),
      rule_(other.rule_),
      open_(other.open_) {}

Policy& Policy::operator=(const Policy& other) {
  if (this != &other) *this = Policy(other);
  return *this;
}

Decision Policy::choose(const MatrixIn& states, Stream random, Workspace& workspace, Report report) const {
  return choose(Candidates{states, false}, random, workspace, report);
}

Decision Policy::choose_arm(Stream random, Workspace& workspace, Report report) const {
  if (!spec_.arms) throw InvalidArgument("actions are needed: the spec has no arms");
  return choose(Candidates{*spec_.arms, true}, random, workspace, report);
}

Decision Policy::choose(const Candidates& candidates, Stream random, Workspace& workspace,
                        Report report) const {
  const Evidence evidence = regression_->evidence();
  if (candidates.states.size() == 0) throw InvalidArgument("actions must not be empty");
  const bool first =
      evidence.rounds == 0 && spec_.rule.type != RuleType::supkernelucb;  // it starts by itself
  const Rule& rule = first ? *first_ : *rule_;
  const Pick pick = rule.pick(candidates, *regression_, *bound_, random, workspace);
  const BestUpper& best = pick.best;
  const auto interval = [&]() -> Interval {
    if (pick.at) return *pick.at;
    const Evidence& known = pick.evidence ? *pick.evidence : evidence;
    if (const auto radius = bound_->radius(known)) return radius_interval(best.mean, best.sd, *radius);
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    if (report == Report::choice) return {-kUnknown, kUnknown};
    const auto state = candidates.states.col(best.index);
    const Band band = regression_->any_ridge()->band(state, *bound_->mixture(known), workspace);
    return {band.lower[0], band.upper[0]};
  };
  const Interval at = interval();
  require_numbers(best.mean, best.sd, at);
  return {best.index, best.mean, best.sd, at.lower, at.upper, pick.propensity, best.clamped, pick.level};
}

Forecast Policy::predict(const MatrixIn& states) const {
  Prediction prediction = ridgerunner::predict(*regression_, states);
  const Evidence evidence = regression_->evidence();
  const auto band_of = [&] {
    if (const auto radius = bound_->radius(evidence)) return radius_band(prediction, *radius);
    Workspace workspace;
    return regression_->any_ridge()->band(states, *bound_->mixture(evidence), workspace);
  };
  Band band = band_of();
  for (Index i = 0; i < states.cols(); ++i)
    require_numbers(prediction.mean[i], prediction.sd[i], {band.lower[i], band.upper[i]});
  return {std::move(prediction.mean), std::move(prediction.sd), std::move(band.lower), std::move(band.upper)};
}

Statistics Policy::statistics() const {
  const Evidence evidence = regression_->evidence();
  return {evidence,      bound_->radius(evidence), memory_.decisions, open_.size(), memory_.clamped,
          memory_.noise, memory_.empty_since};
}

void Policy::record_choice(const VectorIn& state, const Decision& decision, Pairing pairing) {
  regression_->anticipate(state, decision.level, workspace_);
  if (pairing == Pairing::by_state) open_.open(memory_.decisions, state);
  ++memory_.decisions;
  memory_.clamped += static_cast<std::uint64_t>(decision.clamped);
}

void Policy::record_reward(const MatrixIn& states, const VectorIn& rewards) {
  if (memory_.noise) {
    learn_one_by_one(states, rewards);
  } else {
    regression_->observe(states, rewards, workspace_);
  }
  look_for_emptiness();
  for (Index i = 0; i < states.cols(); ++i) open_.close_oldest(states.col(i));
}

// The ridge that an observation counts with rests on those before it, so several are taken one by one. All
// of them or none: they are tried on a copy.
void Policy::learn_one_by_one(const MatrixIn& states, const VectorIn& rewards) {
  require_rewards(states, rewards);
  auto after = regression_->clone();
  NoiseBounds noise = *memory_.noise;
  for (Index i = 0; i < states.cols(); ++i) {
    after->observe(states.col(i), rewards.segment(i, 1), workspace_);
    noise = learn_noise(noise, spec_.bound, *after);
    try {
      after->set_ridge(next_ridge(noise, spec_.bound));
    } catch (const NumericalError&) {
      // Too small for rounding. The ridge that is there is larger, and the theorem allows it.
    }
  }
  BoundPtr bound = noise_bound(noise, spec_.bound);
  regression_ = std::move(after);
  memory_.noise = noise;
  bound_ = std::move(bound);
}

void Policy::look_for_emptiness() {
  if (memory_.empty_since || !regression_->any_ridge()) return;
  const Evidence evidence = regression_->evidence();
  const auto mixture = bound_->mixture(evidence);
  if (!mixture || !is_usable(*mixture)) return;
  if (regression_->any_ridge()->least_slack(*mixture) < 0) memory_.empty_since = evidence.rounds;
}

Decision Policy::decide(const MatrixIn& states, Report report) {
  const Decision decision = choose(states, randomness(), workspace_, report);
  record_choice(states.col(decision.index), decision);
  return decision;
}

Decision Policy::decide(Report report) {
  const Decision decision = choose_arm(randomness(), workspace_, report);
  record_choice(spec_.arms->col(decision.index), decision);
  return decision;
}

void Policy::observe(const VectorIn& state, double reward) {
  record_reward(state, Eigen::Map<const Vector>(&reward, 1));
}

void Policy::restore(std::unique_ptr<Regression> regression, OpenDecisions open, const Memory& memory) {
  if (memory.noise.has_value() != memory_.noise.has_value())
    throw InvalidArgument("bounds of the noise belong to the bound that learns it, and to no other");
  if (memory.noise) bound_ = ridgerunner::noise_bound(*memory.noise, spec_.bound);
  memory_ = memory;
  regression_ = std::move(regression);
  open_ = std::move(open);
}

Matrix join(const VectorIn& context, const MatrixIn& actions) {
  Matrix states(context.size() + actions.rows(), actions.cols());
  states.topRows(context.size()).colwise() = context;
  states.bottomRows(actions.rows()) = actions;
  return states;
}

}  // namespace ridgerunner
