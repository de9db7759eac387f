#include "ridgerunner/service/experiment/replay.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/experiment/choosing.h"
#include "ridgerunner/service/experiment/model.h"

namespace ridgerunner::service {
namespace {

std::string difference(const Decision& logged, const Decision& made) {
  if (logged.index != made.index)
    return fmt::format("action {} was chosen, replaying chooses {}", logged.index, made.index);
  const auto number = [](const char* name, double before, double now) {
    return fmt::format("{} was {}, replaying gives {}", name, shortest(before), shortest(now));
  };
  if (logged.mean != made.mean) return number("mean", logged.mean, made.mean);
  if (logged.sd != made.sd) return number("sd", logged.sd, made.sd);
  if (logged.lower != made.lower) return number("lower", logged.lower, made.lower);
  if (logged.upper != made.upper) return number("upper", logged.upper, made.upper);
  if (logged.propensity != made.propensity) return number("propensity", logged.propensity, made.propensity);
  return logged == made ? "" : "its level or its clamped variances differ";
}

// Only version 0.1.0 wrote such decisions; they are not made any more.
bool is_undefined(const Decision& decision) {
  return !std::isfinite(decision.mean) || !std::isfinite(decision.sd) || std::isnan(decision.lower) ||
         std::isnan(decision.upper) || std::isnan(decision.propensity);
}

}  // namespace

void Lag::add(const Event& event) {
  if (const auto* decided = std::get_if<Decided>(&event.body)) {
    const auto unknown = std::upper_bound(seqs_.begin(), seqs_.end(), decided->version);
    most_ = std::max(most_, static_cast<std::size_t>(seqs_.end() - unknown));
  }
  seqs_.push_back(event.seq);
}

void Replay::add(Event event) {
  if (event.seq <= last_)
    throw InvalidArgument(fmt::format("event {} comes after event {}", event.seq, last_));
  if (!learner_) {
    const auto* created = std::get_if<Created>(&event.body);
    if (!created)
      throw InvalidArgument(fmt::format("event {} comes before the creation of its experiment", event.seq));
    learner_.emplace(*created);
  }
  last_ = event.seq;
  ++report_.events;
  const auto shared = std::make_shared<const Event>(std::move(event));
  if (const auto* decided = std::get_if<Decided>(&shared->body)) decisions_.emplace(decided->version, shared);
  window_.push_back(shared);
  if (window_.size() > lookahead_) fold_next();
}

// First the decisions that were made before this event was known.
void Replay::fold_next() {
  const EventPtr event = window_.front();
  window_.pop_front();
  while (!decisions_.empty() && decisions_.begin()->first < event->seq) {
    decide_again(*decisions_.begin()->second);
    decisions_.erase(decisions_.begin());
  }
  learner_->fold(*event);
}

void Replay::decide_again(const Event& event) {
  const auto& decided = std::get<Decided>(event.body);
  if (decided.version != learner_->version()) {
    leave_unchecked(event, fmt::format("it was made by the model of event {}, which cannot be had here",
                                       decided.version));
    return;
  }
  if (is_undefined(decided.decision)) {
    leave_unchecked(event, "an earlier version of the program made it with numbers that this one refuses");
    return;
  }
  if (!learner_->has_model()) {
    leave_unchecked(event, learner_->totals().degraded->message);
    return;
  }
  ++report_.decisions;
  std::string differs;
  try {
    differs =
        difference(decided.decision, choose(learner_->policy(), decided.offered, decided.number, workspace_));
  } catch (const std::exception& error) {
    differs = error.what();
  }
  if (differs.empty()) return;
  if (++report_.different == 1) report_.first_difference = fmt::format("event {}: {}", event.seq, differs);
}

void Replay::leave_unchecked(const Event& event, const std::string& why) {
  if (++report_.unchecked == 1) report_.first_unchecked = fmt::format("event {}: {}", event.seq, why);
}

ReplayReport Replay::finish() {
  while (!window_.empty()) fold_next();
  for (const auto& [version, event] : decisions_) decide_again(*event);
  decisions_.clear();
  if (learner_) {
    if (learner_->has_model()) report_.model = model_checksum(learner_->policy());
    if (const auto& degraded = learner_->totals().degraded) report_.skipped = degraded->skipped;
  }
  return report_;
}

}  // namespace ridgerunner::service
