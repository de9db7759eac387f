#include "ridgerunner/reproduction/job.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/error.h"
#include "ridgerunner/experiment/workers.h"

namespace ridgerunner {
namespace {

constexpr const char* kKind = "result";
constexpr std::uint32_t kFormatVersion = 1;

std::string full_identity(const Json& identity, const std::string& build) {
  return Json{{"build", build}, {"identity", identity}}.dump();
}

constexpr std::int64_t kTellEvery = 20;  // questions whether to go on

std::int64_t weight(const Job& job) {
  return std::max<std::int64_t>(1, std::llround(1000 * job.seconds));
}

}  // namespace

// A name, not a proof: the whole identity is in the bytes and compared.
std::string result_name(const Json& identity, const std::string& build) {
  return fmt::format("{:016x}.run", fnv1a(full_identity(identity, build)));
}

std::string seal_result(const Json& identity, const std::string& build, const Json& result) {
  ByteWriter writer;
  writer.text(full_identity(identity, build));
  writer.text(result.dump());
  return seal_archive(kKind, kFormatVersion, writer.take());
}

std::optional<Json> open_result(const Json& identity, const std::string& build, std::string_view bytes) {
  try {
    ByteReader reader(open_archive(kKind, kFormatVersion, bytes));
    if (reader.text() != full_identity(identity, build)) return std::nullopt;
    const std::string result = reader.text();
    reader.finish();
    return parse_json(result);
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

std::vector<Job> distinct(std::vector<Job> jobs) {
  std::set<std::string> seen;
  std::vector<Job> once;
  for (Job& job : jobs) {
    if (seen.insert(job.identity.dump()).second) once.push_back(std::move(job));
  }
  return once;
}

std::optional<Finished> perform(const std::vector<Job>& jobs, Store& store, const WorkOptions& options) {
  if (options.threads < 1)
    throw InvalidArgument(fmt::format("threads must be >= 1, got {}", options.threads));
  const std::vector<Job> once = distinct(jobs);
  Finished finished;
  Progress progress{0, 0, 0, std::ssize(once)};
  std::vector<const Job*> open;
  for (const Job& job : once) {
    progress.rounds_total += weight(job);
    const auto bytes = store.read(result_name(job.identity, options.build));
    auto kept = bytes ? open_result(job.identity, options.build, *bytes) : std::nullopt;
    if (kept) {
      finished.add(job.identity, std::move(*kept));
      progress.rounds_done += weight(job);
      ++progress.runs_done;
    } else {
      open.push_back(&job);
    }
  }
  std::stable_sort(open.begin(), open.end(),
                   [](const Job* a, const Job* b) { return a->seconds > b->seconds; });

  Workers workers(progress, options.on_progress);
  std::mutex adding;
  const auto one = [&](std::int64_t number) {
    const Job& job = *open[static_cast<std::size_t>(number)];
    std::int64_t asked = 0, told = 0;
    auto result = job.work([&] {
      const std::int64_t done = weight(job) * std::min(++asked, job.rounds) / job.rounds;
      if (asked % kTellEvery == 0) {
        workers.tell(done - told, 0);
        told = done;
      }
      return !workers.stopped();
    });
    if (!result) return;
    store.write(result_name(job.identity, options.build), seal_result(job.identity, options.build, *result));
    {
      const std::lock_guard lock(adding);
      finished.add(job.identity, std::move(*result));
    }
    workers.tell(weight(job) - told, 1);
  };
  workers.tell(0, 0);
  if (!workers.work_through(std::ssize(open), options.threads, one)) return std::nullopt;
  return finished;
}

}  // namespace ridgerunner
