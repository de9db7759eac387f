#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/service/experiment/views.h"
#include "ridgerunner/service/log/event.h"

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

// One experiment's fold over the log for learning: the policy and what it came to. No clock, no file: the
// same events give the same policy, bit for bit on the same build.
class Learner {
 public:
  explicit Learner(const Created& created);

  // Takes one event in. An event that the arithmetic cannot take is skipped, the same way every time, and the
  // experiment counts as degraded from then on.
  void fold(const Event& event);

  const Policy& policy() const { return policy_; }
  const Totals& totals() const { return totals_; }
  const History& history() const { return history_.history(); }
  std::uint64_t version() const { return version_; }  // the last event folded

  void write(ByteWriter& out) const;
  static Learner read(ByteReader& in, const Created& created);

 private:
  void fold_body(const Created&) {}
  void fold_body(const Configured&) {}
  void fold_body(const Closed&) {}
  void fold_body(const Decided& decided);
  void fold_body(const Rewarded& rewarded);
  void fold_body(const Activated& activated);
  void fold_body(const Expired& expired);
  void fold_body(const Imported& imported);
  void earn(const Subject& subject, double reward);
  void skip(std::uint64_t seq, const char* why);

  Policy policy_;
  Totals totals_;
  HistoryKeeper history_;
  std::uint64_t version_ = 0;
};

// What a policy chooses among what is offered. Pure. Throws InvalidArgument for what cannot be offered.
Decision choose(const Policy& policy, const Offered& offered, std::uint64_t number, Workspace& workspace);

// All that is offered as states, excluded ones too. d x n.
Matrix states_of(const Spec& spec, const Offered& offered);

Policy policy_of(const Created& created);

// Whether a choice changes what is chosen next, before any reward.
bool choices_matter(const Spec& spec);

// Checksum of the saved policy: equal for equal models of the same build.
std::uint32_t model_checksum(const Policy& policy);

}  // namespace ridgerunner::service
