#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "ridgerunner/service/experiment/ledger.h"
#include "ridgerunner/service/log/sqlite.h"

namespace ridgerunner::service {

// Decisions that are over, on disk: what became of an event id of long ago. A cache of the log in
// FOLDER/index.db: it may lag, and may be deleted while the server is stopped.
class EventIndex {
 public:
  struct Entry {
    std::uint64_t experiment = 0;
    std::string event_id;
    Resolved resolved;
  };

  // Begins anew, and says so in `notice`, if the file cannot be used.
  EventIndex(const std::string& folder, std::uint64_t last_event, std::string& notice);

  std::uint64_t through() const { return through_; }  // events up to this one are in it
  void add(std::span<const Entry> entries, std::uint64_t through);
  std::optional<Resolved> find(std::uint64_t experiment, const std::string& event_id);

 private:
  void open(const std::string& file);
  void verify();

  std::unique_ptr<Database> writer_, reader_;
  std::unique_ptr<Statement> insert_, mark_, select_;
  std::uint64_t through_ = 0;
  std::uint64_t sum_ = 0;  // over all rows, of a hash of each: a flipped bit is noticed at the next start
  std::mutex reading_;     // guards reader_ and select_
};

// The entry that an event makes, if it ends a decision.
std::optional<EventIndex::Entry> ended_by(const Event& event);

}  // namespace ridgerunner::service
