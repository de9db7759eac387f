#include "ridgerunner/policy/open_decisions.h"

#include <utility>

#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

void OpenDecisions::open(Entry entry) {
  const std::uint64_t number = entry.number, hash = hash_state(entry.state);
  by_hash_[hash].insert(number);
  by_number_.insert_or_assign(number, std::move(entry));
}

const OpenDecisions::Entry* OpenDecisions::find(std::uint64_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : &found->second;
}

void OpenDecisions::close(std::uint64_t number) {
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) return;
  const auto same = by_hash_.find(hash_state(found->second.state));
  same->second.erase(number);
  if (same->second.empty()) by_hash_.erase(same);
  by_number_.erase(found);
}

std::optional<OpenDecisions::Entry> OpenDecisions::take_oldest(const VectorIn& state) {
  const auto same = by_hash_.find(hash_state(state));
  if (same == by_hash_.end()) return std::nullopt;
  for (const std::uint64_t number : same->second) {
    const Entry& entry = by_number_.at(number);
    if (entry.state.size() != state.size() || entry.state != state) continue;  // the hash alone is the same
    Entry taken = entry;
    close(number);
    return taken;
  }
  return std::nullopt;
}

std::vector<OpenDecisions::Entry> OpenDecisions::entries() const {
  std::vector<Entry> all;
  for (const auto& [number, entry] : by_number_) all.push_back(entry);
  return all;
}

}  // namespace ridgerunner
