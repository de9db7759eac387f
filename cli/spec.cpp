#include <memory>

#include <fmt/format.h>

#include <ridgerunner/policy/spec_toml.h>
#include <ridgerunner/report/table.h>

#include "spec_source.h"
#include "terminal.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

void print_list() {
  const bool colour = stdout_is_terminal();
  Table table{{{"preset", Align::left}, {"what it is", Align::left}}, {}, ""};
  for (const Preset& known : presets())
    table.rows.push_back({{std::string(known.name), std::string(known.summary)}});
  fmt::print("{}\n", to_text(table, colour));
  Table reference{{{"parameter", Align::left},
                   {"default", Align::left},
                   {"allowed", Align::left},
                   {"meaning", Align::left}},
                  {},
                  ""};
  for (const Parameter& parameter : parameters()) {
    reference.rows.push_back({{parameter.path, parameter.initial, parameter.range, parameter.meaning}});
  }
  fmt::print("{}", to_text(reference, colour));
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
    if (options->list) return print_list();
    const Spec spec = load_whole_spec(options->source, options->settings);
    fmt::print("{}", options->json ? spec_to_json(spec).dump(2) + "\n" : spec_to_toml(spec));
  });
}

}  // namespace ridgerunner::cli
