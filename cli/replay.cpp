#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/codec/fields.h>
#include <ridgerunner/error.h>
#include <ridgerunner/service/experiment/replay.h>
#include <ridgerunner/service/log/event_json.h>
#include <ridgerunner/service/log/refusal.h>

#include "files.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

using service::EventLine;
using service::Replay;
using service::ReplayReport;

// What the last line of an export says of its experiment.
struct End {
  std::uint64_t events = 0;
  std::string model;
};

struct Experiment {
  Replay replay;
  std::optional<End> end;
};

std::optional<End> end_of_export(const std::string& line) {
  if (line.find("\"end\"") == std::string::npos) return std::nullopt;
  const Json json = parse_json(line);
  if (!json.is_object() || json.value("type", "") != "end") return std::nullopt;
  return End{json.value("events", std::uint64_t{0}), json.value("model", "")};
}

std::map<std::string, Experiment> read(std::istream& in) {
  service::EventLineReader reader;
  std::map<std::string, Experiment> experiments;
  std::string line, last;
  for (std::uint64_t number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    try {
      if (auto end = end_of_export(line)) {
        if (last.empty()) throw InvalidArgument("the export ends before it begins");
        experiments[last].end = std::move(end);
        continue;
      }
      EventLine read = reader.read(line);
      last = read.experiment;
      experiments[last].replay.add(std::move(read.event));
    } catch (const std::exception& error) {
      throw Failure(fmt::format("line {}: {}", number, error.what()));
    }
  }
  return experiments;
}

// What does not agree; empty if all does.
std::string disagreement(const ReplayReport& report, const std::optional<End>& end) {
  if (report.different > 0)
    return fmt::format("{} of {} decisions differ, the first: {}", report.different, report.decisions,
                       report.first_difference);
  if (report.unchecked > 0) return fmt::format("{} decisions could not be made again", report.unchecked);
  if (end && end->events != report.events)
    return fmt::format("the export had {} events, {} are here", end->events, report.events);
  if (const std::string model = fmt::format("{:08x}", report.model); end && end->model != model)
    return fmt::format("the model's checksum was {}, replaying gives {}", end->model, model);
  return "";
}

void print(const std::string& name, const ReplayReport& report, const std::optional<End>& end,
           const std::string& trouble, bool json) {
  if (json) {
    const Json row = {{"experiment", name},
                      {"events", report.events},
                      {"decisions", report.decisions},
                      {"different", report.different},
                      {"unchecked", report.unchecked},
                      {"skipped", report.skipped},
                      {"model", fmt::format("{:08x}", report.model)},
                      {"model_checked", end.has_value()},
                      {"same", trouble.empty()}};
    fmt::print("{}\n", row.dump());
    return;
  }
  fmt::print("{}: {} events, {} decisions made again: {}\n", name, report.events, report.decisions,
             trouble.empty() ? "all the same" : trouble);
  if (end && trouble.empty()) fmt::print("{}: the model is the same, bit for bit ({})\n", name, end->model);
  if (report.skipped > 0) fmt::print("{}: degraded, {} events were skipped\n", name, report.skipped);
}

void replay(const std::string& file, bool json, bool quiet) {
  std::ifstream opened;
  if (file != "-") {
    opened.open(file);
    if (!opened) throw FileError(fmt::format("cannot read {}", file));
  }
  std::map<std::string, Experiment> experiments = read(file == "-" ? std::cin : opened);
  if (experiments.empty()) throw Failure(fmt::format("{} holds no events", file));
  std::string failed;
  for (auto& [name, experiment] : experiments) {
    const ReplayReport report = experiment.replay.finish();
    const std::string trouble = disagreement(report, experiment.end);
    if (!quiet) print(name, report, experiment.end, trouble, json);
    if (failed.empty() && !trouble.empty()) failed = fmt::format("experiment {}: {}", name, trouble);
  }
  if (!failed.empty()) throw Failure(failed);
}

}  // namespace

void add_replay(CLI::App& app) {
  struct Options {
    std::string file;
    bool json = false, quiet = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "replay", "Folds an exported log again and checks every decision and the final model");
  verb->add_option("file", options->file, "JSON lines as exported by the service, or - for standard input")
      ->required();
  verb->add_flag("--json", options->json, "Print one JSON object an experiment");
  verb->add_flag("--quiet", options->quiet, "Print nothing; the exit code says whether all agrees");
  verb->callback([options] { replay(options->file, options->json, options->quiet); });
}

}  // namespace ridgerunner::cli
