#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/codec/fields.h>
#include <ridgerunner/error.h>
#include <ridgerunner/service/log/event_json.h>
#include <ridgerunner/service/log/sqlite_log.h>

#include "files.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

using service::Event;
using service::RescueLog;

struct ExportOptions {
  std::string data, experiment, out = "-";
};

// The lines of a log, damaged events included: each is told on standard error and has a line of its own.
class Exporter {
 public:
  Exporter(std::ostream& out, std::string only) : out_(out), only_(std::move(only)) {}

  void add(const RescueLog::Found& found) {
    std::string trouble = found.trouble;
    if (trouble.empty()) {
      try {
        const Event event = service::decode_or_mark(found.record.bytes);
        if (event.seq != found.record.seq)
          throw InvalidArgument(fmt::format("it says that it is event {}", event.seq));
        write(event);
        const auto* unreadable = std::get_if<service::Unreadable>(&event.body);
        if (!unreadable) return;
        ++damaged_;
        fmt::print(stderr, "unreadable: event {}: {}\n", event.seq, unreadable->why);
        return;
      } catch (const InvalidArgument& error) {
        trouble = error.what();
      }
    }
    ++damaged_;
    fmt::print(stderr, "damaged: event {}: {}\n", found.record.seq, trouble);
    out_ << Json{{"seq", found.record.seq}, {"type", "damaged"}, {"message", trouble}}.dump() << '\n';
  }

  std::uint64_t damaged() const { return damaged_; }

 private:
  void write(const Event& event) {
    if (const auto* created = std::get_if<service::Created>(&event.body)) names_[event.seq] = created->name;
    const auto name = names_.find(event.experiment);
    const std::string known = name == names_.end() ? fmt::format("#{}", event.experiment) : name->second;
    if (!only_.empty() && known != only_) return;
    line_.clear();
    service::append_event_line(line_, event, known);
    out_ << line_;
  }

  std::ostream& out_;
  std::string only_, line_;
  std::map<std::uint64_t, std::string> names_;
  std::uint64_t damaged_ = 0;
};

void export_log(const ExportOptions& options) {
  std::ofstream file;
  if (options.out != "-") {
    file.open(options.out, std::ios::binary);
    if (!file) throw FileError(fmt::format("cannot write {}", options.out));
  }
  std::ostream& out = options.out == "-" ? std::cout : file;
  RescueLog log(options.data);
  Exporter exporter(out, options.experiment);
  log.each([&](const RescueLog::Found& found) { exporter.add(found); });
  out.flush();
  if (!out)
    throw FileError(fmt::format("cannot write {}", options.out == "-" ? "to standard output" : options.out));
  if (exporter.damaged() > 0)
    throw Failure(fmt::format("{} events cannot be read; all others were exported", exporter.damaged()));
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand(
      "export", "Writes the log of a data folder as JSON lines, without a server: all that can be read");
  verb->add_option("--data", options->data, "The data folder of the service")->required();
  verb->add_option("--experiment", options->experiment, "Only this one");
  verb->add_option("--out", options->out, "A file instead of standard output")->capture_default_str();
  verb->callback([options] { export_log(*options); });
}

}  // namespace ridgerunner::cli
