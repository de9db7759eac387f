#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "ridgerunner/experiment/sweep.h"

namespace ridgerunner {

// A piece of work whose result is a function of its identity alone (times aside): figures share it, and a
// reproduction that was stopped goes on where it was.
struct Job {
  Json identity;            // all that the result depends on
  std::int64_t rounds = 1;  // how often `work` asks whether to proceed
  double seconds = 1;       // a guess: the longest start first
  std::function<std::optional<Json>(const std::function<bool()>& proceed)> work;  // nothing if told to stop
};

// Where results are kept between programs. Called from several threads at once, with different names.
class Store {
 public:
  virtual ~Store() = default;
  virtual std::optional<std::string> read(const std::string& name) = 0;  // nothing if it is not there
  virtual void write(const std::string& name, const std::string& bytes) = 0;
};

// A result as sealed bytes, with the identity it belongs to and the build that made it, and its name in a
// store. open_result() gives nothing for bytes that are damaged or belong to something else.
std::string result_name(const Json& identity, const std::string& build);
std::string seal_result(const Json& identity, const std::string& build, const Json& result);
std::optional<Json> open_result(const Json& identity, const std::string& build, std::string_view bytes);

struct WorkOptions {
  int threads = 1;
  std::string build;  // version, machine, compiler: results of another one are not taken for ours
  // As in SweepOptions. Rounds are weighted by the time they are thought to take.
  std::function<bool(const Progress&)> on_progress;
};

// Results by identity.
class Finished {
 public:
  void add(const Json& identity, Json result) { results_[identity.dump()] = std::move(result); }
  const Json& of(const Json& identity) const { return results_.at(identity.dump()); }

 private:
  std::map<std::string, Json> results_;
};

// Jobs with the same identity only once.
std::vector<Job> distinct(std::vector<Job> jobs);

// Does what the store has no good result of, and keeps each result as soon as it is there. Nothing is
// returned if stopped; what was finished is kept. The first error of a job is thrown again here, after the
// others have ended.
std::optional<Finished> perform(const std::vector<Job>& jobs, Store& store, const WorkOptions& options);

}  // namespace ridgerunner
