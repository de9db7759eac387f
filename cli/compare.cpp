#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/error.h>
#include <ridgerunner/experiment/sweep.h>
#include <ridgerunner/report/comparison.h>

#include "arguments.h"
#include "files.h"
#include "interrupt.h"
#include "provenance.h"
#include "spec_source.h"
#include "terminal.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

struct CompareOptions {
  std::string environment = "rkhs_sample";
  std::vector<std::string> policies = {"ek-ucb", "k-ucb", "gp-ucb", "greedy", "uniform"};
  std::vector<std::string> settings;
  std::int64_t horizon = 1000, runs = 10;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::uint64_t seed = 7;
  std::string out = "comparison";
  bool quiet = false, json = false;
};

// A preset's name, or a file's without its folder and ending, unless that is taken.
std::string label_of(const std::string& source, const std::vector<Contender>& others) {
  const std::string stem = std::filesystem::path(source).stem();
  const bool taken =
      std::any_of(others.begin(), others.end(), [&](const Contender& c) { return c.label == stem; });
  return std::filesystem::exists(source) && !taken ? stem : source;
}

ExperimentSpec experiment(const CompareOptions& options) {
  constexpr std::string_view kEnvironment = "environment.";
  ExperimentSpec spec;
  Json problem = {{"type", options.environment}};
  std::vector<std::string> for_policies;
  for (const std::string& setting : options.settings) {
    if (setting_key(setting).starts_with(kEnvironment)) {
      apply_setting(problem, setting.substr(kEnvironment.size()));
    } else {
      for_policies.push_back(setting);
    }
  }
  spec.environment = environment_from_json(problem);
  const EnvironmentPtr environment = make_environment(spec.environment, 0);
  for (const std::string& source : options.policies) {
    spec.policies.push_back({label_of(source, spec.policies), load_spec(source, for_policies)});
    naming(source, [&] { contender_spec(spec.policies.back(), *environment, options.horizon, spec.seed); });
  }
  spec.horizon = options.horizon;
  spec.runs = options.runs;
  spec.seed = options.seed;
  return spec;
}

std::string summary_json(const Results& results) {
  Json rows = Json::array();
  for (const PolicyResults& policy : results.policies) {
    const Summary regret = summarise(final_values(policy.runs, &Trajectory::regret));
    const Summary seconds = summarise(final_values(policy.runs, &Trajectory::seconds));
    rows.push_back({{"policy", policy.label},
                    {"regret_mean", regret.mean},
                    {"regret_sd", regret.sd},
                    {"seconds_mean", seconds.mean}});
  }
  return rows.dump(2);
}

void compare(const CompareOptions& options) {
  const ExperimentSpec spec = experiment(options);
  validate(spec);
  create_folder(options.out);

  std::optional<Results> results;
  {
    const InterruptGuard guard;
    ProgressBar bar(!options.quiet);
    results = sweep(spec, {options.threads, [&](const Progress& progress) {
                             bar.show(progress);
                             return !interrupted();
                           }});
  }
  if (!results) throw Failure("interrupted; nothing was written");
  results->provenance = provenance();

  const std::string data = options.out + "/results.json", page = options.out + "/report.html",
                    picture = options.out + "/regret.svg";
  write_file(data, results_to_json(*results));
  write_file(page, to_html(comparison_page(*results)));
  write_file(picture, to_svg(regret_figure(*results)));
  if (options.json) {
    fmt::print("{}\n", summary_json(*results));
  } else if (!options.quiet) {
    fmt::print("{}\n{}\n", comparison_title(*results),
               to_text(comparison_table(*results), stdout_is_terminal()));
    for (const std::string& finding : findings(*results)) fmt::print("finding  {}\n", finding);
    fmt::print("results  {}\nreport   {}\nfigure   {}\n", data, page, picture);
  }
}

}  // namespace

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb =
      app.add_subcommand("compare", "Let policies compete on a problem: table, results file, report page");
  std::string names;
  for (const EnvironmentType type : environment_types())
    names += (names.empty() ? "" : ", ") + std::string(name(type));
  verb->add_option("--environment", options->environment, "The problem: " + names)
      ->take_last()
      ->capture_default_str();
  verb->add_option("--policies", options->policies, "Presets or spec files, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  verb->add_option(
          "--set", options->settings,
          "Override one parameter, KEY=VALUE: environment.KEY of the problem, any other of every policy")
      ->allow_extra_args(false);
  verb->add_option("--horizon", options->horizon, "Rounds of a run")
      ->check(whole_number(1, 1'000'000'000))
      ->take_last()
      ->capture_default_str();
  verb->add_option("--runs", options->runs, "Runs of each policy, each with a seed of its own")
      ->check(whole_number(1, 1'000'000))
      ->take_last()
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "Runs at the same time")
      ->check(whole_number(1, 1024))
      ->take_last()
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "Seed of everything")
      ->check(whole_number(0, kMostSeed))
      ->take_last()
      ->capture_default_str();
  verb->add_option("--out", options->out, "Folder for results.json, report.html, regret.svg")
      ->take_last()
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print a summary as JSON instead of the table");
  verb->add_flag("--quiet", options->quiet, "Print nothing but errors");
  verb->callback([options] { compare(*options); });
}

}  // namespace ridgerunner::cli
