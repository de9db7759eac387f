#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/policy/spec_toml.h>

#include "spec_source.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

void print_presets_and_parameters() {
  fmt::print("presets\n");
  std::size_t width = 0;
  for (const Preset& known : presets()) width = std::max(width, known.name.size());
  for (const Preset& known : presets()) fmt::print("  {:<{}} {}\n", known.name, width, known.summary);
  fmt::print("\nparameters, with their defaults\n");
  for (const Parameter& parameter : parameters()) {
    const std::string initial = parameter.initial.empty() ? "" : " = " + parameter.initial;
    fmt::print("  {}{}\n      {}\n      allowed: {}\n", parameter.path, initial, parameter.meaning,
               parameter.range);
  }
}

}  // namespace

void add_spec(CLI::App& app) {
  struct Options {
    std::string source = Spec{}.policy;
    std::vector<std::string> settings;
    bool list = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("spec", "Print a spec in full, explained and checked");
  verb->add_option("source", options->source, "A preset, a TOML or JSON file, or - for standard input");
  verb->add_option("--set", options->settings,
                   "Override one parameter, KEY=VALUE (e.g. regression.ridge=0.5)")
      ->allow_extra_args(false);
  verb->add_flag("--list", options->list, "Show all presets and parameters");
  verb->add_flag("--json", options->json, "Print JSON instead of TOML");
  verb->callback([options] {
    if (options->list) return print_presets_and_parameters();
    const Spec spec = load_whole_spec(options->source, options->settings);
    fmt::print("{}", options->json ? spec_to_json(spec).dump(2) + "\n" : spec_to_toml(spec));
  });
}

}  // namespace ridgerunner::cli
