#include "ridgerunner/policy/open_decisions.h"

#include <utility>

#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

void OpenDecisions::open(std::uint64_t number, const VectorIn& state, int level) {
  const std::uint64_t hash = hash_state(state);
  auto same = by_hash_.find(hash);
  if (same == by_hash_.end()) {
    if (spare_hash_) {
      spare_hash_.key() = hash;
      same = by_hash_.insert(std::move(spare_hash_)).position;
    } else {
      same = by_hash_.emplace(hash, Numbers{}).first;
    }
  }
  if (spare_number_) {
    spare_number_.value() = number;
    same->second.insert(std::move(spare_number_));
  } else {
    same->second.insert(number);
  }
  if (spare_entry_) {
    spare_entry_.key() = number;
    spare_entry_.mapped().number = number;
    spare_entry_.mapped().state = state;
    spare_entry_.mapped().level = level;
    by_number_.insert(std::move(spare_entry_));
  } else {
    by_number_.insert_or_assign(number, Entry{number, state, level});
  }
}

void OpenDecisions::close(std::uint64_t number) {
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) return;
  const auto same = by_hash_.find(hash_state(found->second.state));
  spare_number_ = same->second.extract(number);
  if (same->second.empty()) spare_hash_ = by_hash_.extract(same);
  spare_entry_ = by_number_.extract(found);
}

const OpenDecisions::Entry* OpenDecisions::find(std::uint64_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : &found->second;
}

const OpenDecisions::Entry* OpenDecisions::find_oldest(const VectorIn& state) const {
  const auto same = by_hash_.find(hash_state(state));
  if (same == by_hash_.end()) return nullptr;
  for (const std::uint64_t number : same->second) {
    const Entry& entry = by_number_.at(number);
    // The hash alone may be the same.
    if (entry.state.size() == state.size() && entry.state == state) return &entry;
  }
  return nullptr;
}

std::vector<OpenDecisions::Entry> OpenDecisions::entries() const {
  std::vector<Entry> all;
  for (const auto& [number, entry] : by_number_) all.push_back(entry);
  return all;
}

}  // namespace ridgerunner
