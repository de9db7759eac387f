#pragma once

#include <optional>
#include <string>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/service/experiment/history.h"
#include "ridgerunner/service/experiment/views.h"
#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// One experiment's fold over the log for learning: the policy and what it came to. No clock, no file: the
// same events give the same policy, bit for bit on the same build.
class Learner {
 public:
  explicit Learner(const Created& created);
  explicit Learner(Policy policy) : policy_(std::move(policy)) {}

  // Without a model: `why` this program cannot build one from the experiment's creation, the event `seq`.
  static Learner without_model(std::uint64_t seq, const std::string& why);

  // Takes one event in. An event that cannot be read or that the arithmetic cannot take is skipped, the same
  // way every time, and the experiment counts as degraded from then on. If memory runs out, the model is
  // given up: skipping would depend on the machine. The next start tries again.
  void fold(const Event& event);

  bool has_model() const { return policy_.has_value(); }
  const Policy& policy() const { return policy_.value(); }  // throws std::bad_optional_access without one
  const Totals& totals() const { return totals_; }
  const History& history() const { return history_.history(); }
  std::uint64_t version() const { return version_; }  // the last event folded

  void write(ByteWriter& out) const;  // of one with a model
  static Learner read(ByteReader& in, const Created& created);

 private:
  Learner() = default;
  void fold_body(const Created&) {}
  void fold_body(const Configured&) {}
  void fold_body(const Closed&) {}
  void fold_body(const Unreadable& unreadable);
  void fold_body(const Decided& decided);
  void fold_body(const Rewarded& rewarded);
  void fold_body(const Activated& activated);
  void fold_body(const Expired& expired);
  void fold_body(const Imported& imported);
  void earn(const Subject& subject, double reward);
  void skip(std::uint64_t seq, const std::string& why);
  void give_up(std::uint64_t seq, const std::string& why);

  std::optional<Policy> policy_;
  Totals totals_;
  HistoryKeeper history_;
  std::uint64_t version_ = 0;
};

}  // namespace ridgerunner::service
