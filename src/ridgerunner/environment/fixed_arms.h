#pragma once

#include "ridgerunner/environment/seeded_environment.h"

namespace ridgerunner {

// A problem without contexts: every round offers the same arms, whose expected rewards were computed once.
class FixedArms final : public SeededEnvironment {
 public:
  FixedArms(Facts facts, Offer arms, std::uint64_t seed);  // states: facts.dimension x n, expected: n

  void offer(std::uint64_t round, Offer& out) const override;

 private:
  Offer arms_;
};

// `count` >= 2 points on the line, from 0 to 1 inclusive at equal distances: 1 x count.
Matrix unit_grid(Index count);

}  // namespace ridgerunner
