#include "ridgerunner/service/http/live_feed.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/service/http/answer.h"

namespace ridgerunner::service {

std::string LiveFeed::next(std::int64_t now) {
  constexpr std::int64_t kSilence = 15'000;
  const LiveView view = service_.live(name_);
  const ExperimentView& experiment = view.experiment;
  const Counts& counts = experiment.counts;
  const Seen before = seen_;
  seen_ = {now, experiment.version, experiment.last_event, counts.decisions,
           counts.rewards + counts.defaulted};
  const bool changed =
      before.time == 0 || before.version != seen_.version || before.last_event != seen_.last_event;
  if (!changed && !moving_) {
    if (now - sent_ < kSilence) return "";
    sent_ = now;
    return ": nothing new\n\n";
  }
  Rates rates;
  if (before.time != 0 && now > before.time) {
    const double seconds = static_cast<double>(now - before.time) / 1000;
    rates.decisions = static_cast<double>(seen_.decisions - before.decisions) / seconds;
    rates.rewards = static_cast<double>(seen_.rewards - before.rewards) / seconds;
  }
  moving_ = rates.decisions > 0 || rates.rewards > 0;
  sent_ = now;
  return fmt::format("event: state\ndata: {}\n\n", dump(live_json(view, now, rates)));
}

}  // namespace ridgerunner::service
