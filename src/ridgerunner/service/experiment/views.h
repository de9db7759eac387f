#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgerunner/policy/policy.h"
#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// What the service tells of itself, as plain values.

struct Choice {
  std::string event_id;
  std::string id;  // of the action; "" if it has none
  Decision decision;
  std::uint64_t version = 0;
};

struct Counts {
  std::uint64_t decisions = 0, rewards = 0, defaulted = 0, expired = 0, imported = 0;
  std::uint64_t pending = 0;   // shown, waiting for a reward
  std::uint64_t deferred = 0;  // not activated yet
};

struct Degraded {
  std::uint64_t skipped = 0;  // events that could not be folded
  std::uint64_t seq = 0;      // the first of them
  std::string message;        // why
};

struct ExperimentView {
  std::string name, description;
  bool closed = false;
  std::int64_t created = 0;  // milliseconds since 1970
  std::string spec;          // JSON
  Settings settings;
  std::uint64_t version = 0;     // the last event that the published model has folded in
  std::uint64_t last_event = 0;  // the experiment's last
  Counts counts;
  double total_reward = 0;
  double estimated_regret = 0;  // Σ over rewarded decisions of upper - reward
  std::optional<Degraded> degraded;
  std::optional<Index> dimension;
  Statistics statistics;
  Diagnostics diagnostics;      // of the model `diagnosed`, which may be an older one; empty if none is
  std::uint64_t diagnosed = 0;  // known yet
};

enum class Outcome { pending, deferred, rewarded, defaulted, expired };
const char* outcome_name(Outcome outcome);

struct Check {
  Index candidates = 0, dimension = 0;
};

struct DecisionView {
  std::uint64_t seq = 0;
  std::int64_t time = 0;
  Choice choice;
  Index candidates = 0;
  Outcome outcome = Outcome::pending;
  std::optional<double> reward;
};

struct CandidateView {
  Index index = 0;
  std::string id;
  double mean = 0, sd = 0, lower = 0, upper = 0;
};

struct Explanation {
  DecisionView decision;
  Vector state;
  std::uint64_t version = 0;  // of the model that judges the candidates now
  CandidateView chosen;
  std::optional<CandidateView> runner_up;  // the largest upper bound among the others
  std::vector<CandidateView> candidates;   // at most 200
};

// Downsampled: equally long series.
struct History {
  std::vector<std::int64_t> time;
  std::vector<std::uint64_t> seq;
  std::vector<double> decisions, rewards, reward, estimated_regret, anchors, radius, pending;
};

struct LiveView {
  ExperimentView experiment;
  std::vector<std::pair<std::string, std::uint64_t>> shares;  // action and how often it was chosen
  std::vector<DecisionView> recent;
};

struct ExportEnd {
  std::uint64_t seq = 0;     // the last event that the model has
  std::uint64_t events = 0;  // how many were exported
  std::uint32_t model = 0;   // checksum of the saved policy
};

struct Figures {
  std::size_t experiments = 0;
  std::uint64_t appended = 0, durable = 0, folded = 0;  // sequence numbers
  std::uint64_t published = 0, snapshots = 0;           // how often
  std::uint64_t diagnosed = 0;                          // models whose diagnostics were computed
  double publish_seconds = 0, snapshot_seconds = 0;     // the last took
};

}  // namespace ridgerunner::service
