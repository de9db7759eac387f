#include "ridgerunner/service/experiment/learner.h"

#include <cmath>
#include <new>

#include <fmt/format.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/experiment/ledger.h"
#include "ridgerunner/service/experiment/model.h"
#include "ridgerunner/service/experiment/snapshot_bytes.h"

namespace ridgerunner::service {

Learner::Learner(const Created& created) : policy_(policy_of(created)) {}

Learner Learner::without_model(std::uint64_t seq, const std::string& why) {
  Learner learner;
  learner.give_up(seq, why);
  return learner;
}

void Learner::fold(const Event& event) {
  if (!policy_) return;  // given up: the next start tries again from the log
  count(event.body, totals_.counts);
  totals_.time = event.time;
  try {
    std::visit([&](const auto& body) { fold_body(body); }, event.body);
  } catch (const std::bad_alloc&) {
    give_up(event.seq, fmt::format("there is no memory for event {}", event.seq));
    return;
  } catch (const std::exception& error) {
    skip(event.seq, error.what());
  }
  version_ = event.seq;
  history_.note(event.seq, totals_, *policy_);
}

void Learner::skip(std::uint64_t seq, const std::string& why) {
  if (!totals_.degraded) totals_.degraded = Degraded{0, seq, why};
  ++totals_.degraded->skipped;
}

// What is half-learnt is of no use. Its memory goes back to the system: others may be short of it, too.
void Learner::give_up(std::uint64_t seq, const std::string& why) {
  policy_.reset();
  malloc_trim(0);
  totals_.degraded = Degraded{totals_.degraded ? totals_.degraded->skipped : 0, seq, why};
}

void Learner::fold_body(const Unreadable& unreadable) {
  throw InvalidArgument("it cannot be read: " + unreadable.why);
}

void Learner::fold_body(const Decided& decided) {
  if (!decided.offered.deferred) policy_->record_untracked_choice(decided.state, decided.decision);
}

void Learner::fold_body(const Rewarded& rewarded) {
  if (!rewarded.held) earn(rewarded.subject, rewarded.reward);
}

void Learner::fold_body(const Activated& activated) {
  Decision decision;
  decision.level = activated.subject.level;
  policy_->record_untracked_choice(activated.subject.state, decision);
  if (activated.reward) earn(activated.subject, *activated.reward);
}

void Learner::fold_body(const Expired& expired) {
  if (expired.default_reward) {
    earn(expired.subject, *expired.default_reward);
  } else if (expired.shown) {  // or it never was a choice
    policy_->record_withdrawal(expired.subject.state, expired.subject.level);
  }
}

void Learner::fold_body(const Imported& imported) {
  policy_->record_reward(imported.states, imported.rewards);
}

void Learner::earn(const Subject& subject, double reward) {
  totals_.reward += reward;
  if (std::isfinite(subject.upper)) totals_.estimated_regret += subject.upper - reward;
  policy_->record_reward(subject.state, subject.level, reward);
}

void Learner::write(ByteWriter& out) const {
  out.integer(version_);
  put(out, totals_.counts);
  out.number(totals_.reward);
  out.number(totals_.estimated_regret);
  out.integer(static_cast<std::uint64_t>(totals_.time));
  put(out, totals_.degraded.has_value());
  if (totals_.degraded) {
    out.integer(totals_.degraded->skipped);
    out.integer(totals_.degraded->seq);
    out.text(totals_.degraded->message);
  }
  history_.write(out);
  out.text(save_policy(policy()));
}

Learner Learner::read(ByteReader& in, const Created& created) {
  Learner learner(created);
  learner.version_ = in.integer();
  learner.totals_.counts = get_counts(in);
  learner.totals_.reward = in.number();
  learner.totals_.estimated_regret = in.number();
  learner.totals_.time = static_cast<std::int64_t>(in.integer());
  if (get_flag(in)) {
    Degraded degraded;
    degraded.skipped = in.integer();
    degraded.seq = in.integer();
    degraded.message = in.text();
    learner.totals_.degraded = std::move(degraded);
  }
  learner.history_.read(in);
  const Spec spec = learner.policy().spec();
  learner.policy_ = load_policy(in.text(), spec);
  return learner;
}

}  // namespace ridgerunner::service
