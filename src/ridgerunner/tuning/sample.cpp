#include "ridgerunner/tuning/sample.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "ridgerunner/random/stream.h"

namespace ridgerunner {
namespace {

// The first observation of each state, and what repeats say.
struct Firsts {
  std::vector<Index> first;
  Index repeats = 0;
  bool noisy = false;  // some repeat had another reward
};

// The numbers of a state as bytes; 0 and -0 are the same state.
std::string key_of(const MatrixIn& states, Index i) {
  Vector state = states.col(i).array() + 0.0;
  return {reinterpret_cast<const char*>(state.data()),
          static_cast<std::size_t>(state.size()) * sizeof(double)};
}

Firsts firsts_of(const MatrixIn& states, const VectorIn* rewards) {
  Firsts out;
  std::unordered_map<std::string, Index> seen;
  for (Index i = 0; i < states.cols(); ++i) {
    const auto [at, is_new] = seen.try_emplace(key_of(states, i), i);
    if (is_new) {
      out.first.push_back(i);
    } else {
      ++out.repeats;
      if (rewards && (*rewards)[i] != (*rewards)[at->second]) out.noisy = true;
    }
  }
  return out;
}

}  // namespace

Index distinct_states(const MatrixIn& states) {
  return std::ssize(firsts_of(states, nullptr).first);
}

std::vector<Index> sample_observations(const MatrixIn& states, const VectorIn& rewards, Index most,
                                       std::uint64_t seed) {
  constexpr Index kEnoughRepeats = 3;
  const Firsts firsts = firsts_of(states, &rewards);
  std::vector<Index> all;
  if (firsts.repeats >= kEnoughRepeats && !firsts.noisy) {
    all = firsts.first;
  } else {
    for (Index i = 0; i < states.cols(); ++i) all.push_back(i);
  }
  if (std::ssize(all) <= most) return all;
  std::vector<std::pair<std::uint64_t, Index>> hashed;
  for (const Index i : all)
    hashed.emplace_back(Stream(seed, Purpose::tuning, static_cast<std::uint64_t>(i)).bits(), i);
  std::nth_element(hashed.begin(), hashed.begin() + most, hashed.end());
  all.clear();
  for (Index i = 0; i < most; ++i) all.push_back(hashed[static_cast<std::size_t>(i)].second);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace ridgerunner
