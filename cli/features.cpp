#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/codec/csv.h>
#include <ridgerunner/codec/text.h>
#include <ridgerunner/error.h>
#include <ridgerunner/features/infer.h>

#include "files.h"
#include "spec_source.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

struct FeaturesOptions {
  std::string file, reward;
  std::vector<std::string> context, action;
  bool json = false;
};

// What becomes of a column.
enum class Use { context, action, none };

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void require_column(const char* option, const std::string& name, const std::vector<std::string>& header) {
  if (!contains(header, name))
    throw InvalidArgument(fmt::format("{} must name columns of the table, got \"{}\"; {}", option, name,
                                      suggestion(name, header)));
}

// Columns that no option names belong to the context, unless --context names some.
std::vector<Use> uses_of(const FeaturesOptions& options, const std::vector<std::string>& header) {
  for (const std::string& name : options.context) require_column("--context", name, header);
  for (const std::string& name : options.action) require_column("--action", name, header);
  if (!options.reward.empty()) require_column("--reward", options.reward, header);
  std::vector<Use> uses;
  for (const std::string& name : header) {
    const bool context = contains(options.context, name), action = contains(options.action, name),
               reward = name == options.reward;
    if (context + action + reward > 1)
      throw InvalidArgument(fmt::format("the column {} has more than one use", name));
    const bool by_default = options.context.empty() && !action && !reward;
    uses.push_back(action ? Use::action : context || by_default ? Use::context : Use::none);
  }
  return uses;
}

std::int64_t profile_rows(CsvReader& table, std::vector<ColumnProfile>& profiles) {
  std::int64_t rows = 0;
  for (std::vector<std::string> cells; table.next(cells); ++rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) profiles[i].add(cells[i]);
  }
  if (rows == 0) throw InvalidArgument("the table has no rows below its header");
  return rows;
}

void print_features(std::istream& in, const FeaturesOptions& options) {
  CsvReader table(in);
  const std::vector<std::string>& header = table.header();
  const std::vector<Use> uses = uses_of(options, header);
  std::vector<ColumnProfile> profiles(header.size());
  const std::int64_t rows = profile_rows(table, profiles);
  Schema schema;
  std::string text = fmt::format("# {} rows of {}\n[features]\n", rows, printable(options.file));
  for (const Use use : {Use::context, Use::action}) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (uses[i] != use) continue;
      const auto inferred = infer_feature(header[i], profiles[i]);
      if (!inferred) {
        text += fmt::format("\n# {}: left out, every cell is missing\n", printable(header[i]));
        continue;
      }
      (use == Use::action ? schema.action : schema.context).push_back(inferred->feature);
      text += inferred_to_toml(*inferred, use == Use::action ? "action" : "context");
    }
  }
  check_schema(schema);
  fmt::print("{}", options.json ? schema_to_json(schema).dump(2) + "\n" : text);
}

void infer(const FeaturesOptions& options) {
  naming(options.file, [&] {
    if (options.file == "-") return print_features(std::cin, options);
    std::ifstream file(options.file, std::ios::binary);
    if (!file || file.peek() == std::ifstream::traits_type::eof()) read_file(options.file);  // says why
    file.clear();
    print_features(file, options);
  });
}

}  // namespace

void add_features(CLI::App& app) {
  auto options = std::make_shared<FeaturesOptions>();
  CLI::App* verb =
      app.add_subcommand("features", "Infer the features of a spec from a table, with the reasons");
  verb->add_option("--infer", options->file,
                   "A CSV file whose first line names its columns, or - for standard input")
      ->required();
  verb->add_option("--context", options->context, "Columns of the context (default: all that are left)")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--action", options->action, "Columns of the action (default: none, an action is its id)")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--reward", options->reward, "The column of the reward, which is no feature");
  verb->add_flag("--json", options->json, "Print JSON instead of TOML");
  verb->callback([options] { infer(*options); });
}

}  // namespace ridgerunner::cli
