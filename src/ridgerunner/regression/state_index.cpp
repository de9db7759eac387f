#include "ridgerunner/regression/state_index.h"

#include <algorithm>
#include <bit>
#include <utility>

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

void StateIndex::add(std::uint64_t hash, Index column) {
  if (2 * (used_ + 1) > table_.size()) {  // at most half full, so that runs are short
    const std::vector<Entry> before = std::exchange(table_, {});
    table_.resize(std::max<std::size_t>(16, 2 * before.size()));
    used_ = 0;
    for (const Entry& entry : before)
      if (entry.column >= 0) add(entry.hash, entry.column);
  }
  std::size_t place = first(hash);
  while (table_[place].column != kFree) place = next(place);
  table_[place] = {hash, column};
  ++used_;
}

void StateIndex::remove(const VectorIn& state, Index column) {
  if (table_.empty()) return;
  const std::uint64_t hash = hash_state(state);
  for (std::size_t place = first(hash); table_[place].column != kFree; place = next(place)) {
    if (table_[place].hash != hash || table_[place].column != column) continue;
    table_[place].column = kRemoved;
    return;
  }
}

std::optional<Index> StateIndex::find(const VectorIn& state, const MatrixIn& states) const {
  std::optional<Index> found;
  if (table_.empty()) return found;
  const std::uint64_t hash = hash_state(state);
  for (std::size_t place = first(hash); table_[place].column != kFree; place = next(place)) {
    const Entry& entry = table_[place];
    if (entry.hash == hash && entry.column > found.value_or(-1) && states.col(entry.column) == state)
      found = entry.column;
  }
  return found;
}

}  // namespace ridgerunner
