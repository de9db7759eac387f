#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ridgerunner::service {

struct Limits {
  std::size_t experiments = 1000;
  std::int64_t candidates = 10'000;  // of one decision
  std::int64_t dimension = 1000;     // of a state
  std::int64_t import = 100'000;     // observations in one request
  std::size_t pending = 1'000'000;   // decisions of an experiment that wait for a reward
  std::size_t backlog = 100'000;     // durable events that wait to be folded
  std::int64_t rows = 20'000;  // distinct states of an exact model, whose memory grows with their square
};

// What is noticed while running: a damaged snapshot, a failing disk, an event that could not be folded.
enum class Severity { info, warning, error };
using Notice = std::function<void(Severity, const std::string& message)>;

struct Options {
  std::string folder;  // of index and snapshots; empty: keep none
  Limits limits;
  double publish_milliseconds = 2;         // least time between two published models
  std::uint64_t snapshot_events = 20'000;  // folded events between two snapshots
  std::function<std::int64_t()> clock;     // milliseconds since 1970; the system's if empty
  Notice notice;                           // ignored if empty
  std::function<void(double seconds, std::size_t events)> committed;  // after each commit, for metrics
};

}  // namespace ridgerunner::service
