#pragma once

#include <cstdint>

#include "ridgerunner/environment/environment.h"

namespace ridgerunner {

// What all problems of this room share: the facts, the seed and Gaussian noise.
//
// The draws of a problem come from three families of streams, so that none disturbs another:
//   Stream(seed, Purpose::environment, part)  the problem itself: its function, its anchors, its fixed arms
//   Stream(seed, Purpose::context, round)     what the round offers
//   Stream(seed, Purpose::noise, round)       the round's noise, noise_sd * N(0, 1)
class SeededEnvironment : public Environment {
 public:
  SeededEnvironment(Facts facts, std::uint64_t seed);

  const Facts& facts() const final { return facts_; }
  double noise(std::uint64_t round) const final;

 protected:
  std::uint64_t seed() const { return seed_; }

 private:
  Facts facts_;
  std::uint64_t seed_;
};

}  // namespace ridgerunner
