#pragma once

#include <optional>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/service/experiment/views.h"

namespace ridgerunner::service {

// What has come of an experiment so far.
struct Totals {
  Counts counts;
  double reward = 0;            // of decisions
  double estimated_regret = 0;  // Σ over rewarded decisions of upper - reward
  std::optional<Degraded> degraded;
  std::int64_t time = 0;  // of the last event
};

// The latest point of the series.
void append_point(History& history, std::uint64_t seq, const Totals& totals, const Policy& policy);

// Series of at most kMost points: when they are full, every other one is dropped.
class HistoryKeeper {
 public:
  static constexpr std::size_t kMost = 512;

  void note(std::uint64_t seq, const Totals& totals, const Policy& policy);
  const History& history() const { return history_; }

  void write(ByteWriter& out) const;
  void read(ByteReader& in);

 private:
  void thin();

  History history_;
  std::uint64_t events_ = 0, stride_ = 1;
};

}  // namespace ridgerunner::service
