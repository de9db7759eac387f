#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// A hash of a point's numbers; 0 and -0 are the same point.
std::uint64_t hash_state(const VectorIn& state);

// Finds a state among the columns of a matrix that grows at its end. A table in one piece: copying a thousand
// states takes a microsecond or two. If several columns are equal, the last of them is found.
class StateIndex {
 public:
  std::optional<Index> find(const VectorIn& state, const MatrixIn& states) const;
  void add(const VectorIn& state, Index column) { add(hash_state(state), column); }
  void remove(const VectorIn& state, Index column);

 private:
  struct Entry {
    std::uint64_t hash = 0;
    Index column = kFree;
  };
  static constexpr Index kFree = -1, kRemoved = -2;

  void add(std::uint64_t hash, Index column);
  std::size_t next(std::size_t place) const { return (place + 1) & (table_.size() - 1); }
  std::size_t first(std::uint64_t hash) const { return (hash >> 20) & (table_.size() - 1); }

  std::vector<Entry> table_;  // a power of two; an entry is at its hash's place or in the run behind it
  std::size_t used_ = 0;      // places that are not free
};

}  // namespace ridgerunner
