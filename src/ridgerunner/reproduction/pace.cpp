// The time of a round over rounds, as in figure 4 of flynn2024, from the same runs as regrets. Values are
// named "POLICY / seconds a round at N" for the rounds N of "at": the mean over runs and over the fifth of
// the rounds up to N.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/experiment/results.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"

namespace ridgerunner {
namespace {

class PaceReproduction final : public Reproduction {
 public:
  explicit PaceReproduction(const Json& spec) {
    Fields fields(spec, "");
    plan_ = plan_from_json(fields);
    at_ = rounds_from_json(fields, "at");
    const Json* policies = fields.child("policies");
    if (!policies || !policies->is_array()) throw InvalidArgument("policies must be a list");
    for (const Json& entry : *policies) policies_.push_back(policy_from_json(entry, "policies"));
    fields.finish();
    for (const PlannedPolicy& policy : policies_) identity("trajectory", plan_.setting(policy, 0));
  }

  std::vector<Job> jobs() const override {
    std::vector<Job> all;
    for (const PlannedPolicy& policy : policies_) {
      for (std::int64_t run = 0; run < plan_.runs; ++run)
        all.push_back(trajectory_job(plan_.setting(policy, run)));
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    Figure figure{"Time of a round", {"round"}, {"seconds", Scale::log}};
    Table table;
    table.columns = {{"policy", Align::left}};
    for (const std::int64_t round : at_)
      table.columns.push_back({fmt::format("seconds a round at {}", round), Align::right});
    for (const PlannedPolicy& policy : policies_) {
      const std::vector<double> seconds = cumulative(policy, finished);
      Row row{{policy.contender.label}};
      for (const std::int64_t round : at_) {
        const double pace = pace_at(seconds, std::min(round, plan_.horizon));
        outcome.values.set(fmt::format("{} / seconds a round at {}", policy.contender.label, round), pace);
        row.cells.emplace_back(number(pace));
      }
      table.rows.push_back(std::move(row));
      figure.series.push_back(paces(policy, seconds));
    }
    outcome.sections.push_back(
        {"Time",
         {table, PageFigure{std::move(figure),
                            "Choosing and learning; means over runs and the fifth of the "
                            "rounds up to each."}}});
    return outcome;
  }

 private:
  // Mean over runs, at the checkpoints.
  std::vector<double> cumulative(const PlannedPolicy& policy, const Finished& finished) const {
    const std::size_t size = checkpoints(plan_.horizon).size();
    std::vector<Trajectory> runs;
    for (std::int64_t run = 0; run < plan_.runs; ++run) {
      const Json& found = finished.of(identity("trajectory", plan_.setting(policy, run)));
      runs.push_back(trajectory_from_json(found, "run", size));
    }
    return curve(runs, &Trajectory::seconds).mean;
  }

  double pace_at(const std::vector<double>& seconds, std::int64_t round) const {
    const std::vector<std::int64_t> marks = checkpoints(plan_.horizon);
    const auto index = [&](std::int64_t wanted) {
      const auto there = std::lower_bound(marks.begin(), marks.end() - 1, wanted);
      return static_cast<std::size_t>(there - marks.begin());
    };
    const std::size_t last = index(round), first = index(round - std::max<std::int64_t>(round / 5, 1));
    if (last == first) return seconds[last] / static_cast<double>(marks[last]);
    return (seconds[last] - seconds[first]) / static_cast<double>(marks[last] - marks[first]);
  }

  Series paces(const PlannedPolicy& policy, const std::vector<double>& seconds) const {
    Series series{policy.contender.label};
    for (const std::int64_t round : checkpoints(plan_.horizon)) {
      series.x.push_back(static_cast<double>(round));
      series.y.push_back(pace_at(seconds, round));
    }
    return series;
  }

  Plan plan_;
  std::vector<std::int64_t> at_;
  std::vector<PlannedPolicy> policies_;
};

}  // namespace

std::unique_ptr<Reproduction> pace_reproduction(const Json& spec) {
  return std::make_unique<PaceReproduction>(spec);
}

}  // namespace ridgerunner
