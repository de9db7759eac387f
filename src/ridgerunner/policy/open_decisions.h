#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Decisions whose reward is still to come, by number. The oldest one of a state is found by a hash of the
// state, so the cost does not grow with how many are open.
class OpenDecisions {
 public:
  struct Entry {
    std::uint64_t number = 0;
    Vector state;
    int level = 0;  // as in Decision
  };

  Index size() const { return std::ssize(by_number_); }
  void open(Entry entry);  // its number must not be open
  const Entry* find(std::uint64_t number) const;
  void close(std::uint64_t number);

  // Closes the oldest one of the state; nothing if there is none.
  std::optional<Entry> take_oldest(const VectorIn& state);

  std::vector<Entry> entries() const;  // in rising order of their numbers

 private:
  std::map<std::uint64_t, Entry> by_number_;
  std::unordered_map<std::uint64_t, std::set<std::uint64_t>> by_hash_;  // numbers, by their states' hashes
};

}  // namespace ridgerunner
