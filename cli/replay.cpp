#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

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

// An experiment of the file. It is read twice: first to see how far learning lagged behind deciding.
struct Experiment {
  service::Lag lag;
  std::optional<Replay> replay;
  std::optional<End> end;
};
using Experiments = std::map<std::string, Experiment>;

std::optional<End> end_of_export(const std::string& line) {
  if (line.find("\"end\"") == std::string::npos) return std::nullopt;
  const Json json = parse_json(line);
  if (!json.is_object() || json.value("type", "") != "end") return std::nullopt;
  return End{json.value("events", std::uint64_t{0}), json.value("model", "")};
}

// Calls `take` with every event and its experiment.
void read(std::istream& in, Experiments& experiments,
          const std::function<void(Experiment&, service::Event)>& take) {
  service::EventLineReader reader;
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
      take(experiments[last], std::move(read.event));
    } catch (const std::exception& error) {
      throw Failure(fmt::format("line {}: {}", number, error.what()));
    }
  }
}

// The same text again and again: standard input is kept in a file for that.
std::fstream reopenable(std::istream& in) {
  const std::string name =
      (std::filesystem::temp_directory_path() / fmt::format("ridgerunner-replay-{}", getpid())).string();
  std::fstream kept(name, std::ios::in | std::ios::out | std::ios::trunc | std::ios::binary);
  std::filesystem::remove(name);  // it lives as long as it is open
  kept << in.rdbuf();
  kept.clear();
  if (!kept.flush()) throw FileError(fmt::format("cannot write {}", name));
  return kept;
}

Experiments read_twice(std::istream& in) {
  Experiments experiments;
  in.seekg(0);
  read(in, experiments,
       [](Experiment& experiment, const service::Event& event) { experiment.lag.add(event); });
  in.clear();
  in.seekg(0);
  for (auto& [name, experiment] : experiments) experiment.replay.emplace(experiment.lag.most() + 1);
  read(in, experiments,
       [](Experiment& experiment, service::Event event) { experiment.replay->add(std::move(event)); });
  return experiments;
}

// What does not agree; empty if all does.
std::string disagreement(const ReplayReport& report, const std::optional<End>& end) {
  if (report.different > 0)
    return fmt::format("{} of {} decisions differ, the first: {}", report.different, report.decisions,
                       report.first_difference);
  if (end && end->events != report.events)
    return fmt::format("the export had {} events, {} are here", end->events, report.events);
  if (const std::string model = fmt::format("{:08x}", report.model); end && end->model != model)
    return fmt::format("the model's checksum was {}, replaying gives {}", end->model, model);
  if (report.unchecked > 0)
    return fmt::format("none differs, but {} could not be checked, the first: {}", report.unchecked,
                       report.first_unchecked);
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
  std::fstream kept;
  if (file == "-") kept = reopenable(std::cin);
  Experiments experiments = read_twice(file == "-" ? static_cast<std::istream&>(kept) : opened);
  if (experiments.empty()) throw Failure(fmt::format("{} holds no events", file));
  std::string failed;
  for (auto& [name, experiment] : experiments) {
    const ReplayReport report = experiment.replay->finish();
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
