#include "ridgerunner/reproduction/job.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr const char* kKind = "result";
constexpr std::uint32_t kFormatVersion = 1;

std::string full_identity(const Json& identity, const std::string& build) {
  return Json{{"build", build}, {"identity", identity}}.dump();
}

// FNV-1a. A name, not a proof: the whole identity is in the bytes and compared.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return value;
}

class Workshop {
 public:
  Workshop(const std::vector<Job>& jobs, Store& store, const WorkOptions& options)
      : store_(store), options_(options) {
    progress_.runs_total = std::ssize(jobs);
    for (const Job& job : jobs) {
      progress_.rounds_total += weight(job);
      if (!take_kept(job)) open_.push_back(&job);
    }
    std::stable_sort(open_.begin(), open_.end(),
                     [](const Job* a, const Job* b) { return a->seconds > b->seconds; });
  }

  std::optional<Finished> go() {
    tell(0, 0);
    {
      std::vector<std::jthread> threads;
      const auto count = std::min<std::int64_t>(options_.threads, std::ssize(open_));
      for (std::int64_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    }
    if (error_) std::rethrow_exception(error_);
    if (stopped_) return std::nullopt;
    return std::move(finished_);
  }

 private:
  static std::int64_t weight(const Job& job) {
    return std::max<std::int64_t>(1, std::llround(1000 * job.seconds));
  }

  bool take_kept(const Job& job) {
    const auto bytes = store_.read(result_name(job.identity, options_.build));
    auto result = bytes ? open_result(job.identity, options_.build, *bytes) : std::nullopt;
    if (!result) return false;
    finished_.add(job.identity, std::move(*result));
    progress_.rounds_done += weight(job);
    ++progress_.runs_done;
    return true;
  }

  void work() {
    for (std::size_t next = next_++; next < open_.size() && !stopped_; next = next_++) {
      try {
        one(*open_[next]);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        stopped_ = true;
      }
    }
  }

  void one(const Job& job) {
    std::int64_t asked = 0, told = 0;
    auto result = job.work([&] {
      const std::int64_t done = weight(job) * std::min(++asked, job.rounds) / job.rounds;
      if (asked % kTellEvery == 0) {
        tell(done - told, 0);
        told = done;
      }
      return !stopped_.load(std::memory_order_relaxed);
    });
    if (!result) return;
    store_.write(result_name(job.identity, options_.build),
                 seal_result(job.identity, options_.build, *result));
    {
      const std::lock_guard lock(mutex_);
      finished_.add(job.identity, std::move(*result));
    }
    tell(weight(job) - told, 1);
  }

  void tell(std::int64_t rounds, std::int64_t runs) {
    const std::lock_guard lock(mutex_);
    progress_.rounds_done += rounds;
    progress_.runs_done += runs;
    if (options_.on_progress && !options_.on_progress(progress_)) stopped_ = true;
  }

  static constexpr std::int64_t kTellEvery = 20;

  Store& store_;
  const WorkOptions& options_;
  std::vector<const Job*> open_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // of the rest
  Finished finished_;
  Progress progress_;
  std::exception_ptr error_;
};

}  // namespace

std::string result_name(const Json& identity, const std::string& build) {
  return fmt::format("{:016x}.run", hash(full_identity(identity, build)));
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
  return Workshop(once, store, options).go();
}

}  // namespace ridgerunner
