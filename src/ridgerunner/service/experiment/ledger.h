#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/service/experiment/views.h"
#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// A decision that is over.
struct Resolved {
  std::uint64_t decided = 0;  // sequence number of its Decided
  std::uint64_t seq = 0;      // of the event that ended it
  Outcome outcome = Outcome::rewarded;
  std::optional<double> reward;
};

// A decision that is not.
struct Pending {
  Subject subject;
  std::int64_t time = 0;                 // when it was made
  Settings terms;                        // of the experiment at that time: they stay
  std::optional<std::int64_t> deadline;  // milliseconds since 1970
  bool deferred = false;                 // not activated yet
  std::optional<double> held;            // its reward, which came before
};

// One experiment's fold over the log for admission: what has been asked and answered. It runs ahead of
// learning. Decisions that are over are forgotten once they are indexed on disk.
class Ledger {
 public:
  static constexpr std::size_t kRecent = 100;   // decisions to show
  static constexpr std::size_t kShares = 1000;  // actions to count apart

  enum class Keep { all, pending };  // whether decisions that are over are kept until they are forgotten
  explicit Ledger(Keep keep = Keep::all) : keep_(keep) {}

  void fold(const Event& event);

  std::uint64_t last_event() const { return last_event_; }
  bool closed() const { return closed_; }
  const Settings& settings() const { return settings_; }
  const Counts& counts() const { return counts_; }
  std::uint64_t decisions() const { return next_number_; }  // the number of the next decision
  std::optional<Index> dimension() const { return dimension_; }

  const Pending* pending(const std::string& event_id) const;
  const Resolved* resolved(const std::string& event_id) const;
  std::optional<std::uint64_t> import(const std::string& id) const;   // the event it was
  const std::deque<DecisionView>& recent() const { return recent_; }  // newest first
  const std::map<std::string, std::uint64_t>& shares() const { return shares_; }

  // Up to `most` decisions whose deadline is before `now`, longest ago first.
  std::vector<const Pending*> overdue(std::int64_t now, std::size_t most) const;

  // Hands out those that ended, to be indexed, in no time: they are still found until forget(). Those of them
  // that were not indexed are given back with it.
  using ResolvedById = std::unordered_map<std::string, Resolved>;
  std::shared_ptr<const ResolvedById> hand_out();
  void forget(const ResolvedById& not_indexed = {});

  // Puts it back to what is durable: `durable` is a fold of all events that are.
  void fall_back(const Ledger& durable);

  void write(ByteWriter& out) const;  // without what is resolved: that is indexed by then
  static Ledger read(ByteReader& in);
  Ledger keeping(Keep keep) const;  // a copy that does

 private:
  void fold_body(const Event& event, const Created& created);
  void fold_body(const Event& event, const Configured& configured);
  void fold_body(const Event& event, const Decided& decided);
  void fold_body(const Event& event, const Rewarded& rewarded);
  void fold_body(const Event& event, const Activated& activated);
  void fold_body(const Event& event, const Expired& expired);
  void fold_body(const Event& event, const Imported& imported);
  void fold_body(const Event& event, const Closed& closed);
  void fold_body(const Event&, const Unreadable&) {}
  void insert(Pending pending);
  void erase(const std::string& id);
  void resolve(const Event& event, const Subject& subject, Outcome outcome, std::optional<double> reward);
  DecisionView* recent_view(std::uint64_t decided);

  Keep keep_;
  std::uint64_t last_event_ = 0;
  bool closed_ = false;
  Settings settings_;
  Counts counts_;
  std::uint64_t next_number_ = 0;
  std::optional<Index> dimension_;
  std::unordered_map<std::string, Pending> pending_;
  std::size_t deferred_ = 0;  // of them
  std::set<std::pair<std::int64_t, std::string>> deadlines_;
  ResolvedById resolved_;
  std::shared_ptr<ResolvedById> handed_out_;
  std::map<std::string, std::uint64_t> imports_;  // events by the client's id
  std::deque<DecisionView> recent_;
  std::map<std::string, std::uint64_t> shares_;
};

// Adds what one event counts for.
void count(const Body& body, Counts& counts);

// `seconds` after `from`, in milliseconds.
std::int64_t deadline_after(std::int64_t from, double seconds);

}  // namespace ridgerunner::service
