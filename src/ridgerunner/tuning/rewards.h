#pragma once

#include <optional>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Rewards as a fit sees them.
struct Rewards {
  bool two_valued = false;  // at most two values among at least three
  double centre = 0;        // of two values the middle, or the mean if the better one is rare; or the median
  double spread = 1;        // their standard deviation
  std::optional<double> low, high;  // what is beyond counts as this
  Vector clipped;                   // in raw units
  Vector scaled() const { return (clipped.array() - centre) / spread; }
};

// Clipped at median ± clip · max(IQR/1.349, sd of the middle 98 %), so that a few wild values do not spoil
// the fit: with Cauchy noise the regret halves. Not for two values, nor where half of the rewards are equal:
// there a rare large one is what counts. There must be two different rewards.
Rewards look_at_rewards(const VectorIn& rewards, double clip);

bool differ(const VectorIn& rewards);  // not all equal

}  // namespace ridgerunner
