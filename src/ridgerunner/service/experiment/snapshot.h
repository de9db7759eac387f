#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ridgerunner/service/experiment/learner.h"
#include "ridgerunner/service/experiment/ledger.h"
#include "ridgerunner/service/experiment/options.h"

namespace ridgerunner::service {

// One experiment's folds, as of the same event.
struct Saved {
  std::uint64_t number = 0;  // of the experiment: sequence number of its Created
  std::int64_t created_at = 0;
  Created created;
  Learner learner;
  Ledger ledger;
};

std::string write_snapshot(std::uint64_t number, std::int64_t created_at, const Created& created,
                           const Learner& learner, const Ledger& ledger);

// Throws InvalidArgument for bytes that are not such a snapshot, damaged, or of another version.
Saved read_snapshot(std::string_view bytes);

// Snapshots in a folder: a cache of the log, which may be deleted at any time. A manifest names one file for
// each experiment; the last two manifests and their files are kept.
class SnapshotStore {
 public:
  explicit SnapshotStore(const std::string& folder);

  struct Restored {
    std::uint64_t through = 0;  // all events up to this one are in
    std::vector<Saved> experiments;
    std::vector<std::uint64_t>
        lost;  // experiments without a file that can be read: to be folded from their beginning
  };
  // The newest that can be read; what cannot is reported to `notice`.
  Restored load(const Notice& notice);

  struct Part {
    std::uint64_t experiment = 0;
    bool changed = true;                 // since the last time
    std::function<std::string()> bytes;  // null: the experiment has no model that could be kept
  };
  // Of every experiment. Throws LogError.
  void save(std::uint64_t through, const std::vector<Part>& parts);

 private:
  void clean() const;

  std::string folder_;
  std::map<std::uint64_t, std::string> files_;  // by experiment, as of the last manifest
};

}  // namespace ridgerunner::service
