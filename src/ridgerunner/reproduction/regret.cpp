// Policies on a problem, panel by panel (a panel for each λ, say): regret and time, as in the figures of
// zenati2022. Values are named "PANEL / POLICY / regret", the same with "regret to ceiling", "seconds",
// "anchors", and with "regret at N", "seconds at N" for the rounds N listed in "at".

#include <algorithm>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/report/comparison.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"

namespace ridgerunner {
namespace {

struct Panel {
  std::string title;
  std::vector<PlannedPolicy> policies;
};

class RegretReproduction final : public Reproduction {
 public:
  explicit RegretReproduction(const Json& spec) {
    Fields fields(spec, "");
    plan_ = plan_from_json(fields);
    at_ = rounds_from_json(fields, "at");
    const Json* panels = fields.child("panels");
    if (!panels || !panels->is_array() || panels->empty()) throw InvalidArgument("panels must be a list");
    for (const Json& entry : *panels) panels_.push_back(panel_from_json(entry));
    fields.finish();
    for (const Panel& panel : panels_) validate(experiment(panel));
  }

  std::vector<Job> jobs() const override {
    std::vector<Job> all;
    for (const Panel& panel : panels_) {
      for (const PlannedPolicy& policy : panel.policies) {
        for (std::int64_t run = 0; run < plan_.runs; ++run)
          all.push_back(trajectory_job(plan_.setting(policy, run)));
      }
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    std::vector<Results> results;
    for (const Panel& panel : panels_) results.push_back(gather(panel, finished));
    if (panels_.size() > 1) outcome.sections.push_back(compromise(results));
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      record(panels_[i], results[i], outcome.values);
      outcome.sections.push_back(panel_section(panels_[i], results[i]));
    }
    return outcome;
  }

 private:
  static Panel panel_from_json(const Json& json) {
    Fields fields(json, "panels");
    Panel panel;
    fields.text("title", panel.title);
    const Json* policies = fields.child("policies");
    if (!policies || !policies->is_array()) throw InvalidArgument("panels.policies must be a list");
    for (const Json& entry : *policies) panel.policies.push_back(policy_from_json(entry, "panels.policies"));
    fields.finish();
    return panel;
  }

  ExperimentSpec experiment(const Panel& panel) const {
    ExperimentSpec spec{plan_.environment, {}, plan_.horizon, plan_.runs, plan_.seed};
    for (const PlannedPolicy& policy : panel.policies) spec.policies.push_back(policy.contender);
    return spec;
  }

  Results gather(const Panel& panel, const Finished& finished) const {
    Results results;
    results.spec = experiment(panel);
    results.rounds = checkpoints(plan_.horizon);
    for (const PlannedPolicy& policy : panel.policies) {
      PolicyResults one{policy.contender.label, {}, {}};
      for (std::int64_t run = 0; run < plan_.runs; ++run) {
        const Json& found = finished.of(identity("trajectory", plan_.setting(policy, run)));
        one.runs.push_back(trajectory_from_json(found, "run", results.rounds.size()));
      }
      results.policies.push_back(std::move(one));
    }
    return results;
  }

  void record(const Panel& panel, const Results& results, Values& values) const {
    for (const PolicyResults& policy : results.policies) {
      const std::string prefix = fmt::format("{} / {} / ", panel.title, policy.label);
      const auto set = [&](const std::string& name, std::vector<double> Trajectory::*which, std::size_t at) {
        const Curve line = curve(policy.runs, which);
        if (at < line.mean.size()) values.set(prefix + name, line.mean[at]);
      };
      const std::size_t last = results.rounds.size() - 1;
      set("regret", &Trajectory::regret, last);
      set("regret to ceiling", &Trajectory::ceiling_regret, last);
      set("seconds", &Trajectory::seconds, last);
      set("anchors", &Trajectory::anchors, last);
      for (const std::int64_t round : at_) {
        // A quick run does not get there: its last round has to do.
        const auto there = std::lower_bound(results.rounds.begin(), results.rounds.end(), round);
        const auto index = std::min(last, static_cast<std::size_t>(there - results.rounds.begin()));
        set(fmt::format("regret at {}", round), &Trajectory::regret, index);
        set(fmt::format("seconds at {}", round), &Trajectory::seconds, index);
        set(fmt::format("anchors at {}", round), &Trajectory::anchors, index);
      }
    }
  }

  static Section panel_section(const Panel& panel, const Results& results) {
    Section section{panel.title, {}};
    section.blocks.push_back(comparison_table(results));
    const auto show = [&](Figure figure, const std::string& caption) {
      figure.title += ", " + panel.title;
      section.blocks.push_back(PageFigure{std::move(figure), caption, 800, 400});
    };
    show(regret_figure(results),
         "Against the best action of each round; the band is one standard deviation.");
    if (!results.policies[0].runs[0].ceiling_regret.empty())
      show(ceiling_regret_figure(results), "As the authors count it: against a reward of 1 in every round.");
    show(seconds_figure(results), "Time spent deciding and learning, cumulative.");
    show(anchors_figure(results), "States that the model rests on.");
    return section;
  }

  // A line a policy through its panels.
  Section compromise(const std::vector<Results>& results) const {
    Figure figure;
    figure.title = "Regret against time";
    figure.x = {"seconds", Scale::log};
    figure.y.label = "regret";
    std::string titles;
    for (const Panel& panel : panels_) titles += (titles.empty() ? "" : ", ") + panel.title;
    for (const Results& panel : results) {
      for (const PolicyResults& policy : panel.policies) {
        auto series = std::find_if(figure.series.begin(), figure.series.end(),
                                   [&](const Series& known) { return known.label == policy.label; });
        if (series == figure.series.end()) {
          figure.series.push_back({policy.label});
          series = figure.series.end() - 1;
        }
        series->x.push_back(summarise(final_values(policy.runs, &Trajectory::seconds)).mean);
        series->y.push_back(summarise(final_values(policy.runs, &Trajectory::regret)).mean);
      }
    }
    return {"Regret for time",
            {PageFigure{std::move(figure), fmt::format("Each line runs through {}.", titles), 800, 400}}};
  }

  Plan plan_;
  std::vector<std::int64_t> at_;
  std::vector<Panel> panels_;
};

}  // namespace

std::unique_ptr<Reproduction> regret_reproduction(const Json& spec) {
  return std::make_unique<RegretReproduction>(spec);
}

}  // namespace ridgerunner
