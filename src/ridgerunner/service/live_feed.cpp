#include "ridgerunner/service/live_feed.h"

#include <fmt/format.h>

#include "ridgerunner/service/answer.h"

namespace ridgerunner::service {

std::string LiveFeed::next(std::int64_t now) {
  constexpr std::int64_t kSilence = 15'000;
  const bool first = told_ == 0;
  const LiveView view = service_.live(name_);
  const ExperimentView& experiment = view.experiment;
  const Counts& counts = experiment.counts;
  if (!first && experiment.version == version_ && experiment.last_event == last_event_) {
    if (now - said_ < kSilence) return "";
    said_ = now;
    return ": nothing new\n\n";
  }
  Rates rates;
  if (!first && now > told_) {
    const double seconds = static_cast<double>(now - told_) / 1000;
    rates.decisions = static_cast<double>(counts.decisions - decisions_) / seconds;
    rates.rewards = static_cast<double>(counts.rewards - rewards_) / seconds;
  }
  said_ = told_ = now;
  version_ = experiment.version;
  last_event_ = experiment.last_event;
  decisions_ = counts.decisions;
  rewards_ = counts.rewards;
  return fmt::format("event: state\ndata: {}\n\n", dump(live_json(view, now, rates)));
}

}  // namespace ridgerunner::service
