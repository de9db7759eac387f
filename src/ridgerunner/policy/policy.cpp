#include "ridgerunner/policy/policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/trials.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/regression/mixture.h"
#include "ridgerunner/selection/best_of_mixture.h"

namespace ridgerunner {
namespace {

// No answer has a number that is none; bounds may be infinite.
void require_numbers(double mean, double sd, const Interval& at) {
  if (std::isfinite(mean) && std::isfinite(sd) && !std::isnan(at.lower) && !std::isnan(at.upper)) return;
  throw NumericalError(
      fmt::format("a prediction is {} with sd {}, between {} and {}: beyond what can be computed", mean, sd,
                  at.lower, at.upper));
}

// With several columns to learn about, a few choices at random before a fit is believed.
Index random_start(const Tuned& tuned) {
  constexpr Index kSeveral = 4, kMost = 12;
  const Index moved =
      std::count_if(tuned.relevance.begin(), tuned.relevance.end(), [](double one) { return one > 0; });
  return moved >= kSeveral ? std::min(moved / 2, kMost) : 0;
}

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

Policy::Policy(Spec spec, KernelPtr kernel)
    : spec_(std::move(spec)),
      kernel_(std::move(kernel)),
      tuning_(spec_.tune.on() ? std::optional<SelfTuning>(std::in_place, spec_, kernel_) : std::nullopt),
      in_use_(tuning_ ? tuning_->spec_in_use() : Spec{}),
      regression_(make_regression(spec_, kernel_)),
      memory_{0, 0, initial_noise(spec_.bound), std::nullopt},
      bound_(make_bound(spec_)),
      first_(spec_.rule.first == First::random ? uniform_rule() : lowest_rule()),
      rule_(make_rule(spec_)) {}

Policy::Policy(const Policy& other)
    : spec_(other.spec_),
      kernel_(other.kernel_),
      tuning_(other.tuning_),
      in_use_(other.in_use_),
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
  return choose(Candidates{states, false}, random, workspace, report).decision;
}

Decision Policy::choose_arm(Stream random, Workspace& workspace, Report report) const {
  if (!spec_.arms) throw InvalidArgument("actions are needed: the spec has no arms");
  return choose(Candidates{*spec_.arms, true}, random, workspace, report).decision;
}

Pick Policy::choose(const Candidates& candidates, Stream random, Workspace& workspace, Report report) const {
  const Evidence evidence = regression_->evidence();
  if (candidates.states.size() == 0) throw InvalidArgument("actions must not be empty");
  const bool first = is_untuned() || (evidence.rounds == 0 &&
                                      !spec_.rule.type.is<rules::SupKernelUcb>());  // it starts by itself
  const Rule& rule = first ? *first_ : *rule_;
  Pick pick = rule.pick({candidates, *regression_, *bound_, evidence, report}, random, workspace);
  Decision& made = pick.decision;
  const double offset = tuned_spec().regression.offset;
  made.mean += offset;
  made.lower = is_untuned() ? -kUnbounded : made.lower + offset;
  made.upper = is_untuned() ? kUnbounded : made.upper + offset;
  require_numbers(made.mean, made.sd, {made.lower, made.upper});
  return pick;
}

Forecast Policy::predict(const MatrixIn& states) const {
  Prediction prediction = ridgerunner::predict(*regression_, states);
  const Evidence evidence = regression_->evidence();
  const auto band_of = [&] {
    if (const auto radius = bound_->radius(evidence)) return radius_band(prediction, *radius);
    Workspace workspace;
    return mixture_band(*regression_, states, *bound_->mixture(evidence), workspace);
  };
  Band band = band_of();
  const double offset = tuned_spec().regression.offset;
  prediction.mean.array() += offset;
  band.lower.array() += is_untuned() ? -kUnbounded : offset;
  band.upper.array() += is_untuned() ? kUnbounded : offset;
  for (Index i = 0; i < states.cols(); ++i)
    require_numbers(prediction.mean[i], prediction.sd[i], {band.lower[i], band.upper[i]});
  return {std::move(prediction.mean), std::move(prediction.sd), std::move(band.lower), std::move(band.upper)};
}

Statistics Policy::statistics() const {
  const Evidence evidence = regression_->evidence();
  const auto mixture = bound_->mixture(evidence);
  return {evidence,
          is_untuned() ? std::nullopt : bound_->radius(evidence),
          memory_.decisions,
          open_.size(),
          memory_.clamped,
          memory_.noise,
          memory_.empty_since,
          mixture ? ridgerunner::norm_at_least(*regression_, *mixture) : std::nullopt,
          tuning_ ? tuning_->tuned() : nullptr,
          {}};
}

std::uint64_t Policy::record_choice(const VectorIn& state, const Decision& decision) {
  record_untracked_choice(state, decision);
  open_.open(memory_.decisions, state, decision.level);
  return memory_.decisions;
}

void Policy::record_untracked_choice(const VectorIn& state, const Decision& decision) {
  if (auto* choices = capability<TracksChoices>(*regression_)) choices->chosen(state, decision.level);
  ++memory_.decisions;
  memory_.clamped += static_cast<std::uint64_t>(decision.clamped);
}

const Policy::Entry& Policy::entry(std::uint64_t number) const {
  const Entry* found = open_.find(number);
  if (found) return *found;
  throw InvalidArgument(fmt::format("decision {} is not open: {}", number,
                                    number >= 1 && number <= memory_.decisions
                                        ? "its reward came, or it was withdrawn"
                                        : fmt::format("there were {} decisions", memory_.decisions)));
}

void Policy::record_reward(std::uint64_t number, double reward) {
  const Entry& open = entry(number);
  learn(open.state, reward, open.level);
  open_.close(number);
}

void Policy::record_withdrawal(std::uint64_t number) {
  const Entry& open = entry(number);
  record_withdrawal(open.state, open.level);
  open_.close(number);
}

void Policy::record_withdrawal(const VectorIn& state, int level) {
  auto* choices = capability<TracksChoices>(*regression_);
  if (!choices) return;
  choices->withdrawn(state, level);
  solved_ = false;
}

void Policy::record_reward(const VectorIn& state, int level, double reward) {
  learn(state, reward, level);
}

void Policy::record_reward(const MatrixIn& states, const VectorIn& rewards) {
  if (states.cols() == 1 && rewards.size() == 1) {
    const Entry* oldest = open_.find_oldest(states.col(0));
    const std::uint64_t number = oldest ? oldest->number : 0;
    learn(states.col(0), rewards[0], oldest ? std::optional(oldest->level) : std::nullopt);
    if (oldest) open_.close(number);
    return;
  }
  std::vector<Entry> taken;
  std::vector<std::optional<int>> levels;
  for (Index i = 0; i < states.cols(); ++i) {
    const Entry* oldest = open_.find_oldest(states.col(i));
    levels.push_back(oldest ? std::optional(oldest->level) : std::nullopt);
    if (!oldest) continue;
    taken.push_back(*oldest);
    open_.close(taken.back().number);
  }
  try {
    learn(states, rewards, levels);
  } catch (...) {
    for (const Entry& entry : taken) open_.open(entry.number, entry.state, entry.level);
    throw;
  }
}

// level: of the decision that it is the reward of, if it is one's.
void Policy::learn(const VectorIn& state, double given, std::optional<int> level) {
  if (tuning_) {
    learn_and_tune(state, Eigen::Map<const Vector>(&given, 1));
    return;
  }
  const double reward = as_learnt(given);
  const Eigen::Map<const Vector> rewards(&reward, 1);
  auto* choices = capability<TracksChoices>(*regression_);
  auto* reuses = capability<ReusesSolves>(*regression_);
  const bool solved =
      std::exchange(solved_, false) && solved_state_.size() == state.size() && solved_state_ == state;
  if (memory_.noise) {
    learn_with_moving_ridge(state, rewards);
  } else if (choices && level) {
    choices->rewarded(state, *level, reward, workspace_);
  } else if (reuses && solved) {
    reuses->observe_solved(state, reward, workspace_);
  } else {
    regression_->observe(state, rewards, workspace_);
  }
  look_for_emptiness();
}

// All of them or none. Where some belong to decisions that the model was told of, they are tried one by one
// on a copy. levels: as in learn() of one.
void Policy::learn(const MatrixIn& states, const VectorIn& given,
                   const std::vector<std::optional<int>>& levels) {
  if (tuning_) {
    learn_and_tune(states, given);
    return;
  }
  const Vector rewards = given.unaryExpr([&](double reward) { return as_learnt(reward); });
  const bool told =
      std::any_of(levels.begin(), levels.end(), [](const auto& level) { return level.has_value(); });
  solved_ = false;
  if (memory_.noise) {
    learn_with_moving_ridge(states, rewards);
  } else if (told && capability<TracksChoices>(*regression_)) {
    require_rewards(states, rewards);
    auto after = regression_->clone();
    for (Index i = 0; i < states.cols(); ++i) {
      if (const auto level = levels[static_cast<std::size_t>(i)]) {
        capability<TracksChoices>(*after)->rewarded(states.col(i), *level, rewards[i], workspace_);
      } else {
        after->observe(states.col(i), rewards.segment(i, 1), workspace_);
      }
    }
    regression_ = std::move(after);
  } else {
    regression_->observe(states, rewards, workspace_);
  }
  look_for_emptiness();
}

// The ridge that an observation counts with rests on those before it, so several are taken one by one. All
// of them or none: they are tried on a copy.
void Policy::learn_with_moving_ridge(const MatrixIn& states, const VectorIn& rewards) {
  require_states(states, states.rows());
  require_rewards(states, rewards);
  auto after = regression_->clone();
  NoiseBounds noise = *memory_.noise;
  for (Index i = 0; i < states.cols(); ++i) {
    after->observe(states.col(i), rewards.segment(i, 1), workspace_);
    noise = learn_noise(noise, spec_.bound, *after);
    try {
      set_ridge(*after, next_ridge(noise, spec_.bound));
    } catch (const NumericalError&) {
      // Too small for rounding. The ridge that is there is larger, and the theorem allows it.
    }
  }
  BoundPtr bound = noise_bound(noise, spec_.bound);
  regression_ = std::move(after);
  memory_.noise = noise;
  bound_ = std::move(bound);
}

// As the spec in use says; what is not a number stays so, and is refused.
double Policy::as_learnt(double reward) const {
  const RegressionSpec& spec = tuned_spec().regression;
  if (spec.reward_low && reward < *spec.reward_low) reward = *spec.reward_low;
  if (spec.reward_high && reward > *spec.reward_high) reward = *spec.reward_high;
  return reward - spec.offset;
}

// One by one, since each may be the one to tune at; a retune builds the model anew from all observations. All
// of them or none: several are tried on a copy.
void Policy::learn_and_tune(const MatrixIn& states, const VectorIn& rewards) {
  if (states.cols() != 1) {
    require_states(states, states.rows());
    require_rewards(states, rewards);
    Policy after(*this);
    for (Index i = 0; i < states.cols(); ++i) after.learn_and_tune(states.col(i), rewards.segment(i, 1));
    after.open_ = std::move(open_);
    *this = std::move(after);
    return;
  }
  check_states(*regression_, states);
  require_rewards(states, rewards);
  const bool solved = std::exchange(solved_, false) && solved_state_.size() == states.rows() &&
                      solved_state_ == states.col(0);
  const SelfTuning::Kept before = tuning_->keep();
  const bool due = tuning_->append(states.col(0), rewards[0]);
  try {
    if (due) {
      tuning_->retune();
      use(tuning_->spec_in_use(), nullptr);
      tuning_->release();
      return;
    }
    if (is_untuned()) in_use_ = tuning_->spec_in_use();
    const double reward = as_learnt(rewards[0]);
    auto* reuses = capability<ReusesSolves>(*regression_);
    if (reuses && solved) {
      reuses->observe_solved(states.col(0), reward, workspace_);
    } else {
      regression_->observe(states, Eigen::Map<const Vector>(&reward, 1), workspace_);
    }
  } catch (...) {
    tuning_->restore(before);
    throw;
  }
}

// Another spec from now on. regression: of that spec; null: it is made from the observations.
void Policy::use(Spec in_use, std::unique_ptr<Regression> regression) {
  const bool made = regression != nullptr;
  if (!made) regression = make_regression(in_use, tuning_->tuned()->lengthscale.empty() ? kernel_ : nullptr);
  BoundPtr bound = make_bound(in_use);
  RulePtr rule = make_rule(in_use);
  const auto& tuned = tuning_->tuned();
  // Rewards of two values are told apart soon enough without.
  if (tuned && !tuned->two_valued) rule = now_and_then_anyone(std::move(rule), random_start(*tuned));
  std::swap(in_use_, in_use);
  if (!made) {
    try {
      const Vector rewards =
          tuning_->rewards().entries().unaryExpr([&](double reward) { return as_learnt(reward); });
      regression->observe(tuning_->states().view(), rewards, workspace_);
    } catch (...) {
      std::swap(in_use_, in_use);
      throw;
    }
  }
  regression_ = std::move(regression);
  bound_ = std::move(bound);
  rule_ = std::move(rule);
}

void Policy::look_for_emptiness() {
  if (memory_.empty_since) return;
  const Evidence evidence = regression_->evidence();
  const auto mixture = bound_->mixture(evidence);
  if (!mixture || !is_usable(*mixture)) return;
  if (const auto slack = least_slack(*regression_, *mixture); slack && *slack < 0)
    memory_.empty_since = evidence.rounds;
}

Decision Policy::decide(const Candidates& candidates, Report report) {
  solved_ = false;
  const Pick pick = choose(candidates, randomness(), workspace_, report);
  Decision decision = pick.decision;
  const auto state = candidates.states.col(decision.index);
  decision.number = record_choice(state, decision);
  solved_state_ = state;
  solved_ = pick.solved;
  return decision;
}

Decision Policy::decide(const MatrixIn& states, Report report) {
  return decide(Candidates{states, false}, report);
}

Decision Policy::decide(Report report) {
  if (!spec_.arms) throw InvalidArgument("actions are needed: the spec has no arms");
  return decide(Candidates{*spec_.arms, true}, report);
}

void Policy::observe(const VectorIn& state, double reward) {
  record_reward(state, Eigen::Map<const Vector>(&reward, 1));
}

void Policy::restore(std::unique_ptr<Regression> regression, OpenDecisions open, const Memory& memory,
                     std::optional<SelfTuning> tuning) {
  if (tuning.has_value() != tuning_.has_value())
    throw InvalidArgument("what was tuned belongs to a policy that tunes itself, and to no other");
  if (memory.noise.has_value() != memory_.noise.has_value())
    throw InvalidArgument("bounds of the noise belong to the bound that learns it, and to no other");
  if (memory.noise) bound_ = ridgerunner::noise_bound(*memory.noise, spec_.bound);
  memory_ = memory;
  if (tuning) {
    tuning_ = std::move(tuning);
    use(tuning_->spec_in_use(), std::move(regression));
  } else {
    regression_ = std::move(regression);
  }
  open_ = std::move(open);
  solved_ = false;
}

Matrix join(const VectorIn& context, const MatrixIn& actions) {
  Matrix states(context.size() + actions.rows(), actions.cols());
  states.topRows(context.size()).colwise() = context;
  states.bottomRows(actions.rows()) = actions;
  return states;
}

}  // namespace ridgerunner
