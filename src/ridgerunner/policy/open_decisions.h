#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Decisions whose reward is still to come, by number. The oldest one of a state is found by a hash of the
// state, so the cost does not grow with how many are open. Memory of the last one that was closed is used for
// the next one: deciding and observing in turn allocates nothing.
class OpenDecisions {
 public:
  struct Entry {
    std::uint64_t number = 0;
    Vector state;
    int level = 0;  // as in Decision
  };

  OpenDecisions() = default;
  OpenDecisions(const OpenDecisions& other) : by_number_(other.by_number_), by_hash_(other.by_hash_) {}
  OpenDecisions& operator=(const OpenDecisions& other) {
    if (this != &other) *this = OpenDecisions(other);
    return *this;
  }
  OpenDecisions(OpenDecisions&&) = default;
  OpenDecisions& operator=(OpenDecisions&&) = default;

  Index size() const { return std::ssize(by_number_); }
  void open(std::uint64_t number, const VectorIn& state, int level);  // the number must not be open
  void close(std::uint64_t number);
  const Entry* find(std::uint64_t number) const;          // null if it is not open
  const Entry* find_oldest(const VectorIn& state) const;  // null if there is none of this state

  std::vector<Entry> entries() const;  // in rising order of their numbers

 private:
  using ByNumber = std::map<std::uint64_t, Entry>;
  using Numbers = std::set<std::uint64_t>;
  using ByHash = std::unordered_map<std::uint64_t, Numbers>;  // numbers by the hashes of their states

  ByNumber by_number_;
  ByHash by_hash_;

  // Of the one that was closed last.
  ByNumber::node_type spare_entry_;
  Numbers::node_type spare_number_;
  ByHash::node_type spare_hash_;
};

}  // namespace ridgerunner
