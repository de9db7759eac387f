#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgerunner/service/experiment/learner.h"
#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

struct ReplayReport {
  std::uint64_t events = 0;
  std::uint64_t decisions = 0;  // that were made again
  std::uint64_t different = 0;  // of those, in any number
  std::string first_difference;
  std::uint64_t unchecked = 0;  // could not be made again: nothing is known against them
  std::string first_unchecked;  // and why
  std::uint32_t model = 0;      // checksum of the policy at the end
  std::uint64_t skipped = 0;
};

// How far behind reading a replay must fold: first all events go through this, then through a Replay.
class Lag {
 public:
  void add(const Event& event);
  std::size_t most() const { return most_; }

 private:
  std::vector<std::uint64_t> seqs_;
  std::size_t most_ = 0;
};

// Folds one experiment's exported events again, and makes every decision again on the model that made it: the
// one with all events up to its version. Decisions stand in the log behind events that their model did not
// know, and not always in the order of their versions, so folding stays behind reading.
class Replay {
 public:
  explicit Replay(std::size_t lookahead) : lookahead_(lookahead) {}

  // In order. Throws InvalidArgument for a log that does not begin with the creation of the experiment, or is
  // out of order.
  void add(Event event);
  ReplayReport finish();

 private:
  void fold_next();
  void decide_again(const Event& event);
  void leave_unchecked(const Event& event, const std::string& why);

  std::size_t lookahead_;
  std::optional<Learner> learner_;
  std::uint64_t last_ = 0;
  std::deque<EventPtr> window_;
  std::multimap<std::uint64_t, EventPtr> decisions_;  // by version, not made again yet
  Workspace workspace_;
  ReplayReport report_;
};

}  // namespace ridgerunner::service
