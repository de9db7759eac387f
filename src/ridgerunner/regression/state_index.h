#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// A hash of a point's numbers; 0 and -0 are the same point.
std::uint64_t hash_state(const VectorIn& state);

// Finds a state among the columns of a matrix that grows at its end.
class StateIndex {
 public:
  std::optional<Index> find(const VectorIn& state, const MatrixIn& states) const;
  void add(const VectorIn& state, Index column) { columns_.emplace(hash_state(state), column); }
  void remove(const VectorIn& state, Index column);

 private:
  std::unordered_multimap<std::uint64_t, Index> columns_;
};

}  // namespace ridgerunner
