#include "ridgerunner/service/experiment/ledger.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/experiment/snapshot_bytes.h"

namespace ridgerunner::service {

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::pending:
      return "pending";
    case Outcome::deferred:
      return "deferred";
    case Outcome::rewarded:
      return "rewarded";
    case Outcome::defaulted:
      return "defaulted";
    case Outcome::expired:
      return "expired";
  }
  return "unknown";
}

namespace {

struct Counter {
  Counts& counts;

  void operator()(const Created&) {}
  void operator()(const Configured&) {}
  void operator()(const Closed&) {}
  void operator()(const Decided& event) {
    ++counts.decisions;
    ++(event.offered.deferred ? counts.deferred : counts.pending);
  }
  void operator()(const Rewarded& event) {
    if (event.held) return;  // counts with its activation
    ++counts.rewards;
    --counts.pending;
  }
  void operator()(const Activated& event) {
    --counts.deferred;
    ++(event.reward ? counts.rewards : counts.pending);
  }
  void operator()(const Expired& event) {
    ++(event.default_reward ? counts.defaulted : counts.expired);
    --(event.shown ? counts.pending : counts.deferred);
  }
  void operator()(const Imported& event) {
    counts.imported += static_cast<std::uint64_t>(event.rewards.size());
  }
};

}  // namespace

void count(const Body& body, Counts& counts) {
  std::visit(Counter{counts}, body);
}

std::int64_t deadline_after(std::int64_t from, double seconds) {
  return from + static_cast<std::int64_t>(std::llround(std::min(seconds * 1000, 9e15)));
}

void Ledger::fold(const Event& event) {
  count(event.body, counts_);
  std::visit([&](const auto& body) { fold_body(event, body); }, event.body);
  last_event_ = event.seq;
}

void Ledger::fold_body(const Event&, const Created& created) {
  settings_ = created.settings;
}

void Ledger::fold_body(const Event&, const Configured& configured) {
  settings_ = configured.settings;
}

void Ledger::fold_body(const Event&, const Closed&) {
  closed_ = true;
}

void Ledger::fold_body(const Event&, const Imported& imported) {
  dimension_ = imported.states.rows();
}

void Ledger::fold_body(const Event& event, const Decided& decided) {
  const Offered& offered = decided.offered;
  dimension_ = decided.state.size();
  next_number_ = std::max(next_number_, decided.number + 1);
  Pending pending;
  pending.subject = {event.seq, decided.event_id, decided.state, decided.decision.upper,
                     decided.decision.level};
  pending.time = event.time;
  pending.deferred = offered.deferred;
  set_deadline(pending, event.time);
  insert(std::move(pending));

  const auto chosen = static_cast<std::size_t>(decided.decision.index);
  const std::string id = offered.ids.empty() ? "" : offered.ids[chosen];
  const std::string action = id.empty() ? std::to_string(chosen) : id;
  const bool full = shares_.size() >= kShares && !shares_.contains(action);
  ++shares_[full ? "other" : action];
  recent_.push_front({event.seq,
                      event.time,
                      {decided.event_id, id, decided.decision, decided.version},
                      offered.actions.cols(),
                      offered.deferred ? Outcome::deferred : Outcome::pending,
                      std::nullopt});
  if (recent_.size() > kRecent) recent_.pop_back();
}

void Ledger::fold_body(const Event& event, const Rewarded& rewarded) {
  if (!rewarded.held) {
    resolve(event, rewarded.subject, Outcome::rewarded, rewarded.reward);
    return;
  }
  if (const auto found = pending_.find(rewarded.subject.event_id); found != pending_.end())
    found->second.held = rewarded.reward;
}

void Ledger::fold_body(const Event& event, const Activated& activated) {
  if (activated.reward) {
    resolve(event, activated.subject, Outcome::rewarded, activated.reward);
    return;
  }
  const auto found = pending_.find(activated.subject.event_id);
  if (found == pending_.end()) return;
  Pending& pending = found->second;
  pending.deferred = false;
  if (pending.deadline) deadlines_.erase({*pending.deadline, pending.subject.event_id});
  set_deadline(pending, event.time);  // the time to wait for a reward begins when it is shown
  if (pending.deadline) deadlines_.insert({*pending.deadline, pending.subject.event_id});
  if (DecisionView* view = recent_view(pending.subject.decided)) view->outcome = Outcome::pending;
}

void Ledger::fold_body(const Event& event, const Expired& expired) {
  resolve(event, expired.subject, expired.default_reward ? Outcome::defaulted : Outcome::expired,
          expired.default_reward);
}

void Ledger::set_deadline(Pending& pending, std::int64_t from) {
  pending.deadline.reset();
  if (settings_.reward_deadline_seconds)
    pending.deadline = deadline_after(from, *settings_.reward_deadline_seconds);
}

void Ledger::insert(Pending pending) {
  if (pending.deadline) deadlines_.insert({*pending.deadline, pending.subject.event_id});
  const std::string id = pending.subject.event_id;
  pending_.insert_or_assign(id, std::move(pending));
}

void Ledger::resolve(const Event& event, const Subject& subject, Outcome outcome,
                     std::optional<double> reward) {
  if (const auto found = pending_.find(subject.event_id); found != pending_.end()) {
    if (found->second.deadline) deadlines_.erase({*found->second.deadline, subject.event_id});
    pending_.erase(found);
  }
  if (keep_ == Keep::all) resolved_[subject.event_id] = {subject.decided, event.seq, outcome, reward};
  if (DecisionView* view = recent_view(subject.decided)) {
    view->outcome = outcome;
    view->reward = reward;
  }
}

DecisionView* Ledger::recent_view(std::uint64_t decided) {
  // Newest first, so by descending number.
  const auto found =
      std::lower_bound(recent_.begin(), recent_.end(), decided,
                       [](const DecisionView& view, std::uint64_t seq) { return view.seq > seq; });
  return found != recent_.end() && found->seq == decided ? &*found : nullptr;
}

const Pending* Ledger::pending(const std::string& event_id) const {
  const auto found = pending_.find(event_id);
  return found == pending_.end() ? nullptr : &found->second;
}

const Resolved* Ledger::resolved(const std::string& event_id) const {
  if (const auto found = resolved_.find(event_id); found != resolved_.end()) return &found->second;
  if (!handed_out_) return nullptr;
  const auto found = handed_out_->find(event_id);
  return found == handed_out_->end() ? nullptr : &found->second;
}

std::vector<const Pending*> Ledger::overdue(std::int64_t now, std::size_t most) const {
  std::vector<const Pending*> found;
  for (const auto& [deadline, id] : deadlines_) {
    if (deadline >= now || found.size() == most) break;
    found.push_back(&pending_.at(id));
  }
  return found;
}

std::shared_ptr<const Ledger::ResolvedById> Ledger::hand_out() {
  if (!handed_out_) {
    handed_out_ = std::make_shared<ResolvedById>();
    handed_out_->swap(resolved_);
  }
  return handed_out_;
}

void Ledger::forget(const ResolvedById& late) {
  resolved_.insert(late.begin(), late.end());
  handed_out_.reset();
}

void Ledger::write(ByteWriter& out) const {
  out.integer(last_event_);
  put(out, closed_);
  put(out, settings_);
  put(out, counts_);
  out.integer(next_number_);
  out.integer(static_cast<std::uint64_t>(dimension_.value_or(0)));
  std::vector<const Pending*> ordered;
  for (const auto& [id, pending] : pending_) ordered.push_back(&pending);
  std::sort(ordered.begin(), ordered.end(),
            [](const Pending* a, const Pending* b) { return a->subject.decided < b->subject.decided; });
  out.integer(ordered.size());
  for (const Pending* pending : ordered) put(out, *pending);
  out.integer(recent_.size());
  for (const DecisionView& view : recent_) put(out, view);
  out.integer(shares_.size());
  for (const auto& [action, times] : shares_) {
    out.text(action);
    out.integer(times);
  }
}

Ledger Ledger::keeping(Keep keep) const {
  Ledger copy = *this;
  copy.keep_ = keep;
  if (keep == Keep::pending) copy.resolved_.clear();
  return copy;
}

Ledger Ledger::read(ByteReader& in) {
  Ledger ledger;
  ledger.last_event_ = in.integer();
  ledger.closed_ = get_flag(in);
  ledger.settings_ = get_settings(in);
  ledger.counts_ = get_counts(in);
  ledger.next_number_ = in.integer();
  if (const Index dimension = in.count(); dimension > 0) ledger.dimension_ = dimension;
  for (Index i = in.count(); i > 0; --i) ledger.insert(get_pending(in));
  for (Index i = in.count(); i > 0; --i) ledger.recent_.push_back(get_decision_view(in));
  for (Index i = in.count(); i > 0; --i) {
    std::string action = in.text();
    ledger.shares_[std::move(action)] = in.integer();
  }
  const Counts& counts = ledger.counts_;
  if (ledger.pending_.size() != counts.pending + counts.deferred || ledger.recent_.size() > kRecent)
    throw InvalidArgument(fmt::format("{} decisions wait, but {} are counted", ledger.pending_.size(),
                                      counts.pending + counts.deferred));
  return ledger;
}

}  // namespace ridgerunner::service
