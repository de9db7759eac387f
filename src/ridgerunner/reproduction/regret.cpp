// Policies on a problem, panel by panel (a panel for each λ, say): regret and time, as in the figures of
// zenati2022. A panel may have a problem of its own. Values are named "PANEL / POLICY / regret", the same
// with "standard error", "regret to ceiling", "seconds", "anchors", and for the rounds N listed in "at" with
// "regret at N", "regret after N" (what comes after it), "seconds at N", "anchors at N". Where the paper
// reports a mean and a standard deviation over runs, "standard errors from the paper" is the difference of
// the two means over that of its standard errors.

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/report/comparison.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"

namespace ridgerunner {
namespace {

// Regret as a paper reports it.
struct Reported {
  double mean = 0, sd = 0, runs = 1;
};

struct Entry {
  PlannedPolicy policy;
  std::optional<Reported> reported;
};

struct Panel {
  std::string title;
  Plan plan;
  bool own_problem = false;
  std::vector<Entry> entries;
};

Reported reported_from_json(const Json& json) {
  Fields fields(json, "panels.policies.reported");
  Reported reported;
  fields.number("mean", reported.mean);
  fields.number("sd", reported.sd);
  fields.number("runs", reported.runs);
  fields.finish();
  if (!(reported.sd > 0 && reported.runs >= 1))
    throw InvalidArgument("panels.policies.reported must have sd > 0 and runs >= 1");
  return reported;
}

Entry entry_from_json(const Json& json) {
  Json rest = json;
  Entry entry;
  if (json.is_object() && json.contains("reported")) {
    entry.reported = reported_from_json(json["reported"]);
    rest.erase("reported");
  }
  entry.policy = policy_from_json(rest, "panels.policies");
  return entry;
}

double standard_error(const Summary& regret, std::size_t runs) {
  return regret.sd / std::sqrt(static_cast<double>(runs));
}

double distance(const Summary& regret, std::size_t runs, const Reported& reported) {
  return (regret.mean - reported.mean) /
         std::hypot(standard_error(regret, runs), reported.sd / std::sqrt(reported.runs));
}

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
      for (const Entry& entry : panel.entries) {
        for (std::int64_t run = 0; run < panel.plan.runs; ++run)
          all.push_back(trajectory_job(panel.plan.setting(entry.policy, run)));
      }
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    std::vector<Results> results;
    for (const Panel& panel : panels_) results.push_back(gather(panel, finished));
    if (anything_reported()) outcome.sections.push_back(beside_reported(results));
    if (panels_.size() > 1 && !panels_[0].own_problem) outcome.sections.push_back(compromise(results));
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      record(panels_[i], results[i], outcome.values);
      outcome.sections.push_back(panel_section(panels_[i], results[i]));
    }
    return outcome;
  }

 private:
  Panel panel_from_json(const Json& json) const {
    Fields fields(json, "panels");
    Panel panel;
    panel.plan = plan_;
    fields.text("title", panel.title);
    if (const Json* environment = fields.child("environment")) {
      panel.plan.environment = environment_from_json(*environment, "panels.environment");
      panel.own_problem = true;
    }
    const Json* policies = fields.child("policies");
    if (!policies || !policies->is_array()) throw InvalidArgument("panels.policies must be a list");
    for (const Json& entry : *policies) panel.entries.push_back(entry_from_json(entry));
    fields.finish();
    return panel;
  }

  static ExperimentSpec experiment(const Panel& panel) {
    const Plan& plan = panel.plan;
    ExperimentSpec spec{plan.environment, {}, plan.horizon, plan.runs, plan.seed};
    for (const Entry& entry : panel.entries) spec.policies.push_back(entry.policy.contender);
    return spec;
  }

  static Results gather(const Panel& panel, const Finished& finished) {
    Results results;
    results.spec = experiment(panel);
    results.rounds = checkpoints(panel.plan.horizon);
    for (const Entry& entry : panel.entries) {
      PolicyResults one{entry.policy.contender.label, {}, {}};
      for (std::int64_t run = 0; run < panel.plan.runs; ++run) {
        const Json& found = finished.of(identity("trajectory", panel.plan.setting(entry.policy, run)));
        one.runs.push_back(trajectory_from_json(found, "run", results.rounds.size()));
      }
      results.policies.push_back(std::move(one));
    }
    return results;
  }

  void record(const Panel& panel, const Results& results, Values& values) const {
    for (std::size_t i = 0; i < panel.entries.size(); ++i) {
      const PolicyResults& policy = results.policies[i];
      const std::string prefix = fmt::format("{} / {} / ", panel.title, policy.label);
      const auto set = [&](const std::string& name, std::vector<double> Trajectory::*which, std::size_t at) {
        const Curve line = curve(policy.runs, which);
        if (at < line.mean.size()) values.set(prefix + name, line.mean[at]);
      };
      const std::size_t last = results.rounds.size() - 1;
      const Summary regret = summarise(final_values(policy.runs, &Trajectory::regret));
      set("regret", &Trajectory::regret, last);
      values.set(prefix + "standard error", standard_error(regret, policy.runs.size()));
      if (const auto& reported = panel.entries[i].reported)
        values.set(prefix + "standard errors from the paper",
                   distance(regret, policy.runs.size(), *reported));
      set("regret to ceiling", &Trajectory::ceiling_regret, last);
      set("seconds", &Trajectory::seconds, last);
      set("anchors", &Trajectory::anchors, last);
      for (const std::int64_t round : at_) {
        // A quick run does not get there: its last round has to do.
        const auto there = std::lower_bound(results.rounds.begin(), results.rounds.end(), round);
        const auto index = std::min(last, static_cast<std::size_t>(there - results.rounds.begin()));
        set(fmt::format("regret at {}", round), &Trajectory::regret, index);
        values.set(fmt::format("{}regret after {}", prefix, round),
                   regret.mean - curve(policy.runs, &Trajectory::regret).mean[index]);
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

  bool anything_reported() const {
    return std::any_of(panels_.begin(), panels_.end(), [](const Panel& panel) {
      return std::any_of(panel.entries.begin(), panel.entries.end(),
                         [](const Entry& entry) { return entry.reported.has_value(); });
    });
  }

  Section beside_reported(const std::vector<Results>& results) const {
    Table table;
    table.columns = {{"panel", Align::left},
                     {"policy", Align::left},
                     {"paper", Align::right},
                     {"ours", Align::right},
                     {"standard errors apart", Align::right}};
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      for (std::size_t j = 0; j < panels_[i].entries.size(); ++j) {
        const auto& reported = panels_[i].entries[j].reported;
        if (!reported) continue;
        const PolicyResults& policy = results[i].policies[j];
        const Summary regret = summarise(final_values(policy.runs, &Trajectory::regret));
        table.rows.push_back(
            {{panels_[i].title, policy.label, fmt::format("{:.1f} ± {:.1f}", reported->mean, reported->sd),
              fmt::format("{:.1f} ± {:.1f}", regret.mean, regret.sd),
              fmt::format("{:.1f}", distance(regret, policy.runs.size(), *reported))}});
      }
    }
    return {"Beside what the paper reports",
            {Paragraph{"Cumulative regret, mean ± standard deviation over runs."}, std::move(table)}};
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
