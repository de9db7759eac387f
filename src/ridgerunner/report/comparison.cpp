#include "ridgerunner/report/comparison.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/policy/spec_toml.h"

namespace ridgerunner {
namespace {

bool has_ceiling(const Results& results) {
  return !results.policies.empty() && !results.policies[0].runs.empty() &&
         !results.policies[0].runs[0].ceiling_regret.empty();
}

bool has_noise(const PolicyResults& policy) {
  return !policy.runs.empty() && !policy.runs[0].noise_upper.empty();
}

std::string spread(const std::vector<double>& values) {
  const Summary summary = summarise(values);
  return with_sd(summary.mean, values.size() > 1 ? summary.sd : std::nan(""));
}

Figure curve_figure(const Results& results, std::vector<double> Trajectory::*which, const std::string& title,
                    const std::string& label) {
  Figure figure;
  figure.title = title;
  figure.x.label = "round";
  figure.y.label = label;
  const std::vector<double> rounds(results.rounds.begin(), results.rounds.end());
  for (const PolicyResults& policy : results.policies) {
    const Curve line = curve(policy.runs, which);
    if (line.mean.empty()) continue;
    Series series{policy.label, rounds, line.mean};
    for (std::size_t i = 0; policy.runs.size() > 1 && i < line.mean.size(); ++i) {
      series.lower.push_back(line.mean[i] - line.sd[i]);
      series.upper.push_back(line.mean[i] + line.sd[i]);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

// Mean over the runs that have the value; absent where none has.
std::string mean_of(const std::vector<Trajectory>& runs, std::optional<double> Trajectory::*which) {
  std::vector<double> values;
  for (const Trajectory& run : runs) {
    if (run.*which) values.push_back(*(run.*which));
  }
  return values.empty() ? "" : number(summarise(values).mean);
}

bool any_has(const Results& results, std::optional<double> Trajectory::*which) {
  return std::any_of(results.policies.begin(), results.policies.end(),
                     [&](const PolicyResults& policy) { return !mean_of(policy.runs, which).empty(); });
}

// Columns that not every comparison has.
struct OptionalColumns {
  bool ceiling = false, dimension = false, error = false;
};

Row comparison_row(const PolicyResults& policy, const OptionalColumns& shown, double least_regret,
                   double horizon) {
  const auto mean = [&](std::vector<double> Trajectory::*which) {
    return summarise(final_values(policy.runs, which)).mean;
  };
  Row row;
  row.cells.push_back(policy.label);
  row.cells.push_back(
      {spread(final_values(policy.runs, &Trajectory::regret)), mean(&Trajectory::regret) == least_regret});
  if (shown.ceiling) row.cells.push_back(spread(final_values(policy.runs, &Trajectory::ceiling_regret)));
  row.cells.push_back(number(mean(&Trajectory::reward) / horizon));
  row.cells.push_back(number(mean(&Trajectory::anchors)));
  if (shown.dimension) row.cells.push_back(mean_of(policy.runs, &Trajectory::effective_dimension));
  if (shown.error) row.cells.push_back(mean_of(policy.runs, &Trajectory::projection_error));
  row.cells.push_back(number(1000 * mean(&Trajectory::seconds) / horizon));
  return row;
}

Section specs_section(const Results& results) {
  Section section{"Policies", {}};
  for (const PolicyResults& policy : results.policies) {
    Spec spec = policy.spec;
    spec.arms.reset();  // the problem's own, and long
    section.blocks.push_back(Preformatted{fmt::format("# {}\n{}", policy.label, spec_to_toml(spec))});
  }
  return section;
}

}  // namespace

std::string comparison_title(const Results& results) {
  return fmt::format("{}, {} rounds, {} {}", name(results.spec.environment.type), results.spec.horizon,
                     results.spec.runs, results.spec.runs == 1 ? "run" : "runs");
}

Table comparison_table(const Results& results) {
  const OptionalColumns shown{has_ceiling(results), any_has(results, &Trajectory::effective_dimension),
                              any_has(results, &Trajectory::projection_error)};
  Table table;
  table.columns = {{"policy", Align::left}, {"regret", Align::right}};
  const auto column = [&](const char* heading) { table.columns.push_back({heading, Align::right}); };
  if (shown.ceiling) column("regret to ceiling");
  column("reward a round");
  column("anchors");
  if (shown.dimension) column("effective dimension");
  if (shown.error) column("projection error");
  column("ms a round");
  double least = std::numeric_limits<double>::infinity();
  for (const PolicyResults& policy : results.policies)
    least = std::min(least, summarise(final_values(policy.runs, &Trajectory::regret)).mean);
  for (const PolicyResults& policy : results.policies)
    table.rows.push_back(comparison_row(policy, shown, least, static_cast<double>(results.spec.horizon)));
  return table;
}

Figure regret_figure(const Results& results) {
  return curve_figure(results, &Trajectory::regret,
                      fmt::format("Regret on {}", name(results.spec.environment.type)), "cumulative regret");
}

Figure ceiling_regret_figure(const Results& results) {
  return curve_figure(results, &Trajectory::ceiling_regret, "Regret to the ceiling", "cumulative regret");
}

Figure seconds_figure(const Results& results) {
  return curve_figure(results, &Trajectory::seconds, "Time", "seconds");
}

Figure anchors_figure(const Results& results) {
  return curve_figure(results, &Trajectory::anchors, "Size of the model", "anchors");
}

Figure noise_figure(const Results& results) {
  Figure lower = curve_figure(results, &Trajectory::noise_lower, "", "");
  Figure figure = curve_figure(results, &Trajectory::noise_upper, "Noise", "standard deviation");
  figure.y.scale = Scale::log;
  for (Series& series : figure.series) series.label += ", at most";
  for (Series& series : lower.series) {
    series.label += ", at least";
    series.dashed = true;
    figure.series.push_back(std::move(series));
  }
  if (results.spec.environment.noise_sd > 0)
    figure.markers.push_back({{}, results.spec.environment.noise_sd, "the truth"});
  return figure;
}

Figure ridge_figure(const Results& results) {
  Figure figure = curve_figure(results, &Trajectory::ridge, "Ridge", "ridge");
  figure.y.scale = Scale::log;
  return figure;
}

std::vector<std::string> findings(const Results& results) {
  std::vector<std::string> found;
  for (const PolicyResults& policy : results.policies) {
    std::int64_t empty = 0, first = results.spec.horizon;
    for (const Trajectory& run : policy.runs) {
      if (!run.empty_since) continue;
      ++empty;
      first = std::min(first, *run.empty_since);
    }
    if (empty == 0) continue;
    found.push_back(fmt::format(
        "{}: in {} of {} runs, from round {} on at the earliest, no function meets the assumptions of "
        "its bound. The norm bound or the noise bound is too small, or the kernel is wrong.",
        policy.label, empty, policy.runs.size(), first));
  }
  return found;
}

Page comparison_page(const Results& results) {
  Page page;
  page.title = fmt::format("Policies on {}", name(results.spec.environment.type));
  page.subtitle = comparison_title(results);
  Section outcome{"Outcome", {}};
  outcome.blocks.push_back(
      Paragraph{"Regret is what a policy missed: the expected reward of the best candidate of each round "
                "minus that of the one "
                "it chose, summed. Mean ± standard deviation over runs; every policy meets the same rounds "
                "with the same noise."});
  outcome.blocks.push_back(comparison_table(results));
  for (const std::string& finding : findings(results)) outcome.blocks.push_back(Paragraph{finding});
  outcome.blocks.push_back(
      PageFigure{regret_figure(results), "Mean over runs; the band is one standard deviation."});
  if (has_ceiling(results)) {
    outcome.blocks.push_back(PageFigure{
        ceiling_regret_figure(results),
        "As the problem's authors count it: against a reward of 1 in every round, which no action attains in "
        "some."});
  }
  outcome.blocks.push_back(
      PageFigure{seconds_figure(results), "Time spent deciding and learning, cumulative."});
  outcome.blocks.push_back(PageFigure{anchors_figure(results),
                                      "States that the model rests on: all distinct ones of an exact "
                                      "model, the dictionary of a projected one."});
  if (std::any_of(results.policies.begin(), results.policies.end(), has_noise)) {
    outcome.blocks.push_back(
        PageFigure{noise_figure(results),
                   "Between which bounds the policies that learn the noise have found it to be."});
    outcome.blocks.push_back(PageFigure{ridge_figure(results),
                                        "The ridge that these policies choose with: it follows the noise."});
  }
  page.sections.push_back(std::move(outcome));

  const Provenance& from = results.provenance;
  Section origin{"Provenance", {}};
  origin.blocks.push_back(KeyValues{{{"ridgerunner", from.version},
                                     {"seed", fmt::format("{}", results.spec.seed)},
                                     {"horizon", fmt::format("{}", results.spec.horizon)},
                                     {"runs", fmt::format("{}", results.spec.runs)},
                                     {"time", from.time},
                                     {"machine", from.machine},
                                     {"compiler", from.compiler}}});
  origin.blocks.push_back(Preformatted{environment_to_json(results.spec.environment).dump(2)});
  page.sections.push_back(std::move(origin));
  page.sections.push_back(specs_section(results));
  return page;
}

}  // namespace ridgerunner
