#include "ridgerunner/service/log/event_rules.h"

#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner::service {

void check_finite(const MatrixIn& numbers) {
  if (!numbers.allFinite()) throw InvalidArgument("a state has a number that is not finite");
}

void check_level(std::int64_t level) {
  if (level < -1 || level > 1000) throw InvalidArgument(fmt::format("a level of {}", level));
}

void check_offered(const Offered& offered) {
  const auto actions = static_cast<std::size_t>(offered.actions.cols());
  if (!offered.ids.empty() && offered.ids.size() != actions)
    throw InvalidArgument(fmt::format("{} ids for {} actions", offered.ids.size(), actions));
  for (std::size_t i = 1; i < offered.excluded.size(); ++i) {
    if (offered.excluded[i - 1] >= offered.excluded[i]) throw InvalidArgument("excluded is not ascending");
  }
}

void check_chosen(const Decided& decided) {
  const Index actions = decided.offered.actions.cols();
  if (actions > 0 && decided.decision.index >= actions)
    throw InvalidArgument(fmt::format("action {} of {} was chosen", decided.decision.index, actions));
}

void check_imported(const Imported& imported) {
  if (imported.rewards.size() != imported.states.cols())
    throw InvalidArgument(
        fmt::format("{} rewards for {} states", imported.rewards.size(), imported.states.cols()));
}

namespace {

void check_number(double value) {
  require_finite("a number of an event", value);
}

void check_number(const std::optional<double>& value) {
  if (value) check_number(*value);
}

void check_settings(const Settings& settings) {
  check_number(settings.reward_deadline_seconds);
  check_number(settings.default_reward);
}

void check_subject(const Subject& subject) {
  check_finite(subject.state);
  if (std::isnan(subject.upper)) throw InvalidArgument("the upper bound of its decision is not a number");
  check_level(subject.level);
}

// A band may be unbounded; nothing may be undefined.
void check_decision(const Decision& decision) {
  const auto refuse = [](const char* name, double value) {
    throw InvalidArgument(fmt::format("a decision's {} must not be {}", name, value));
  };
  if (!std::isfinite(decision.mean)) refuse("mean", decision.mean);
  if (!(decision.sd >= 0)) refuse("sd", decision.sd);
  if (std::isnan(decision.lower)) refuse("lower bound", decision.lower);
  if (std::isnan(decision.upper)) refuse("upper bound", decision.upper);
  if (!(decision.propensity >= 0 && decision.propensity <= 1)) refuse("propensity", decision.propensity);
  if (decision.index < 0 || decision.clamped < 0) throw InvalidArgument("a decision with a negative count");
  check_level(decision.level);
}

struct Checker {
  void operator()(const Created& event) { check_settings(event.settings); }
  void operator()(const Configured& event) { check_settings(event.settings); }
  void operator()(const Decided& event) {
    check_finite(event.offered.context);
    check_finite(event.offered.actions);
    check_offered(event.offered);
    check_finite(event.state);
    check_decision(event.decision);
    check_chosen(event);
  }
  void operator()(const Rewarded& event) {
    check_subject(event.subject);
    check_number(event.reward);
  }
  void operator()(const Activated& event) {
    check_subject(event.subject);
    check_number(event.reward);
  }
  void operator()(const Expired& event) {
    check_subject(event.subject);
    check_number(event.default_reward);
  }
  void operator()(const Imported& event) {
    check_finite(event.states);
    check_finite(event.rewards);
    check_imported(event);
  }
  void operator()(const Closed&) {}
  void operator()(const Unreadable& event) { throw InvalidArgument(event.why); }
};

}  // namespace

void require_writable(const Event& event) {
  std::visit(Checker{}, event.body);
}

}  // namespace ridgerunner::service
