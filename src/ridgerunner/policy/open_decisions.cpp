#include "ridgerunner/policy/open_decisions.h"

#include <algorithm>

#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

void OpenDecisions::open(std::uint64_t number, const VectorIn& state) {
  const std::size_t at = numbers_.size();
  numbers_.push_back(number);
  hashes_.push_back(hash_state(state));
  if (states_.size() == at) states_.emplace_back();
  states_[at] = state;  // reuses the storage of a closed one
}

bool OpenDecisions::close_oldest(const VectorIn& state) {
  const std::uint64_t hash = hash_state(state);
  std::size_t oldest = numbers_.size();
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (hashes_[i] != hash || states_[i].size() != state.size() || states_[i] != state) continue;
    if (oldest == numbers_.size() || numbers_[i] < numbers_[oldest]) oldest = i;
  }
  if (oldest == numbers_.size()) return false;
  const std::size_t last = numbers_.size() - 1;
  numbers_[oldest] = numbers_[last];
  hashes_[oldest] = hashes_[last];
  std::swap(states_[oldest], states_[last]);
  numbers_.pop_back();
  hashes_.pop_back();
  return true;
}

std::vector<OpenDecisions::Entry> OpenDecisions::entries() const {
  std::vector<Entry> sorted;
  for (std::size_t i = 0; i < numbers_.size(); ++i) sorted.push_back({numbers_[i], states_[i]});
  std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
  return sorted;
}

}  // namespace ridgerunner
