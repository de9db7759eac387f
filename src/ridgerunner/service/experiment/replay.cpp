#include "ridgerunner/service/experiment/replay.h"

#include <fmt/format.h>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"

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

}  // namespace

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
    ++report_.unchecked;
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

ReplayReport Replay::finish() {
  while (!window_.empty()) fold_next();
  for (const auto& [version, event] : decisions_) decide_again(*event);
  decisions_.clear();
  if (learner_) {
    report_.model = model_checksum(learner_->policy());
    if (const auto& degraded = learner_->totals().degraded) report_.skipped = degraded->skipped;
  }
  return report_;
}

}  // namespace ridgerunner::service
