#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include <ridgerunner/service/experiment/service.h>
#include <ridgerunner/service/experiment/snapshot.h>
#include <ridgerunner/service/log/sqlite_log.h>

#include "verbs.h"

namespace ridgerunner::cli {
namespace {

// A log may begin where snapshots end, so there must be one of every experiment.
void require_snapshots(const std::string& data, std::uint64_t last) {
  service::SnapshotStore store(data);
  const auto kept = store.load(nullptr);
  if (kept.through != last || !kept.lost.empty())
    throw Failure(kept.lost.empty()
                      ? fmt::format("the log ends with event {}, its snapshot with {}", last, kept.through)
                      : fmt::format("experiment {} has no model that could be kept: its events are needed",
                                    kept.lost.front()));
}

void archive_log(const std::string& data) {
  {
    service::Options options;
    options.folder = data;
    service::Service service(std::make_unique<service::SqliteLog>(data), options);
    service.finish();
  }
  service::SqliteLog log(data);
  require_snapshots(data, log.last());
  sync();  // snapshots and index are written without
  const std::uint64_t last = log.last();
  fmt::print("events up to {} are in {}\n", last, log.archive());
}

}  // namespace

void add_archive(CLI::App& app) {
  auto data = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand(
      "archive",
      "Moves all events of a data folder's log into a file of their own; the service must be stopped");
  verb->add_option("--data", *data, "The data folder of the service")->required();
  verb->callback([data] { archive_log(*data); });
}

}  // namespace ridgerunner::cli
