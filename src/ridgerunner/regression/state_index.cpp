#include "ridgerunner/regression/state_index.h"

#include <bit>

namespace ridgerunner {

std::uint64_t hash_state(const VectorIn& state) {
  std::uint64_t hash = static_cast<std::uint64_t>(state.size());
  for (Index i = 0; i < state.size(); ++i) {
    hash ^= std::bit_cast<std::uint64_t>(state[i] + 0.0);  // -0 + 0 is 0
    hash *= 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return hash;
}

void StateIndex::remove(const VectorIn& state, Index column) {
  const auto [begin, end] = columns_.equal_range(hash_state(state));
  for (auto it = begin; it != end; ++it) {
    if (it->second != column) continue;
    columns_.erase(it);
    return;
  }
}

std::optional<Index> StateIndex::find(const VectorIn& state, const MatrixIn& states) const {
  const auto [begin, end] = columns_.equal_range(hash_state(state));
  for (auto it = begin; it != end; ++it) {
    if (states.col(it->second) == state) return it->second;
  }
  return std::nullopt;
}

}  // namespace ridgerunner
