#include "ridgerunner/service/experiment/ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// An event that could not be read may have been the one that counted up.
void count_down(std::uint64_t& count) {
  if (count > 0) --count;
}

void set_deadline(Pending& pending, std::int64_t from) {
  pending.deadline.reset();
  if (pending.terms.reward_deadline_seconds)
    pending.deadline = deadline_after(from, *pending.terms.reward_deadline_seconds);
}

struct Counter {
  Counts& counts;

  void operator()(const Created&) {}
  void operator()(const Unreadable&) {}
  void operator()(const Configured&) {}
  void operator()(const Closed&) {}
  void operator()(const Decided& event) {
    ++counts.decisions;
    ++(event.offered.deferred ? counts.deferred : counts.pending);
  }
  void operator()(const Rewarded& event) {
    if (event.held) return;  // counts with its activation
    ++counts.rewards;
    count_down(counts.pending);
  }
  void operator()(const Activated& event) {
    count_down(counts.deferred);
    ++(event.reward ? counts.rewards : counts.pending);
  }
  void operator()(const Expired& event) {
    ++(event.default_reward ? counts.defaulted : counts.expired);
    count_down(event.shown ? counts.pending : counts.deferred);
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
  // As they are, even where an event could not be read.
  counts_.deferred = deferred_;
  counts_.pending = pending_.size() - deferred_;
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

void Ledger::fold_body(const Event& event, const Imported& imported) {
  dimension_ = imported.states.rows();
  if (!imported.id.empty()) imports_.emplace(imported.id, event.seq);
}

void Ledger::fold_body(const Event& event, const Decided& decided) {
  const Offered& offered = decided.offered;
  dimension_ = decided.state.size();
  next_number_ = std::max(next_number_, decided.number + 1);
  Pending pending;
  pending.subject = {event.seq, decided.event_id, decided.state, decided.decision.upper,
                     decided.decision.level};
  // Version 0.1.0 let NaN pass; what it leads to is not written any more.
  if (std::isnan(pending.subject.upper)) pending.subject.upper = std::numeric_limits<double>::infinity();
  pending.time = event.time;
  pending.terms = settings_;
  pending.deferred = offered.deferred;
  set_deadline(pending, event.time);
  insert(std::move(pending));

  const auto chosen = static_cast<std::size_t>(decided.decision.index);
  const std::string id = chosen < offered.ids.size() ? offered.ids[chosen] : "";
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
  Pending pending = found->second;
  pending.deferred = false;
  set_deadline(pending, event.time);  // the time to wait for a reward begins when it is shown
  if (DecisionView* view = recent_view(pending.subject.decided)) view->outcome = Outcome::pending;
  insert(std::move(pending));
}

void Ledger::fold_body(const Event& event, const Expired& expired) {
  resolve(event, expired.subject, expired.default_reward ? Outcome::defaulted : Outcome::expired,
          expired.default_reward);
}

void Ledger::insert(Pending pending) {
  const std::string id = pending.subject.event_id;
  erase(id);
  if (pending.deadline) deadlines_.insert({*pending.deadline, id});
  if (pending.deferred) ++deferred_;
  pending_.emplace(id, std::move(pending));
}

void Ledger::erase(const std::string& id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  if (found->second.deadline) deadlines_.erase({*found->second.deadline, id});
  if (found->second.deferred) --deferred_;
  pending_.erase(found);
}

void Ledger::resolve(const Event& event, const Subject& subject, Outcome outcome,
                     std::optional<double> reward) {
  erase(subject.event_id);
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
  auto ended = std::make_shared<ResolvedById>();
  ended->swap(resolved_);
  handed_out_ = ended;
  return ended;
}

void Ledger::forget(const ResolvedById& not_indexed) {
  resolved_.insert(not_indexed.begin(), not_indexed.end());
  handed_out_.reset();
}

void Ledger::fall_back(const Ledger& durable) {
  ResolvedById kept;
  const auto keep_durable = [&](const ResolvedById& ended) {
    for (const auto& [id, entry] : ended) {
      if (entry.seq <= durable.last_event_) kept.emplace(id, entry);
    }
  };
  keep_durable(resolved_);
  if (handed_out_) keep_durable(*handed_out_);
  const Keep keep = keep_;
  *this = durable;
  keep_ = keep;
  resolved_ = std::move(kept);
  handed_out_.reset();
}

std::optional<std::uint64_t> Ledger::import(const std::string& id) const {
  const auto found = imports_.find(id);
  return found == imports_.end() ? std::nullopt : std::optional(found->second);
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
  out.integer(imports_.size());
  for (const auto& [id, seq] : imports_) {
    out.text(id);
    out.integer(seq);
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
  for (Index i = in.count(); i > 0; --i) {
    std::string id = in.text();
    ledger.imports_[std::move(id)] = in.integer();
  }
  const Counts& counts = ledger.counts_;
  if (ledger.pending_.size() != counts.pending + counts.deferred || ledger.deferred_ != counts.deferred ||
      ledger.recent_.size() > kRecent)
    throw InvalidArgument(fmt::format("{} decisions wait, but {} are counted", ledger.pending_.size(),
                                      counts.pending + counts.deferred));
  return ledger;
}

}  // namespace ridgerunner::service
