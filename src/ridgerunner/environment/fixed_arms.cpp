#include "ridgerunner/environment/fixed_arms.h"

#include <utility>

namespace ridgerunner {
namespace {

Facts with_fixed_arms(Facts facts) {
  facts.fixed_arms = true;
  return facts;
}

}  // namespace

FixedArms::FixedArms(Facts facts, Offer arms, std::uint64_t seed)
    : SeededEnvironment(with_fixed_arms(std::move(facts)), seed), arms_(std::move(arms)) {}

void FixedArms::offer(std::uint64_t, Offer& out) const {
  out.states = arms_.states;
  out.expected = arms_.expected;
}

Matrix unit_grid(Index count) {
  Matrix points(1, count);
  for (Index i = 0; i < count; ++i) points(0, i) = static_cast<double>(i) / static_cast<double>(count - 1);
  return points;
}

}  // namespace ridgerunner
