#pragma once

#include <cstdint>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// What was chosen, and why; the value that is logged. Its reward comes back to its number.
struct Decision {
  std::uint64_t number = 0;  // 1, 2, ... in the order in which the policy recorded them; 0: it did not
  Index index = 0;           // among the candidates
  double mean = 0;           // predicted reward of the chosen one
  double sd = 0;             // its scaled standard deviation
  double lower = 0;          // the bound's band at it
  double upper = 0;
  double propensity = 1;  // probability with which the policy, in this state, makes this choice
  Index clamped = 0;      // variances that rounding had made negative
  int level = 0;          // supkernelucb: the level its reward belongs to; kNoLevel: none

  bool operator==(const Decision&) const = default;
};

// What is wanted of a decision. Without its band, lower and upper may be infinite: a band takes time where
// the bound is the best of many (dmm, cmm).
enum class Report { with_band, without_band };

// Predictions with their band.
struct Forecast {
  Vector mean, sd, lower, upper;
};

}  // namespace ridgerunner
