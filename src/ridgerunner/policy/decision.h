#pragma once

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// What was chosen, and why; the value that is logged.
struct Decision {
  Index index = 0;   // among the candidates
  double mean = 0;   // predicted reward of the chosen one
  double sd = 0;     // its scaled standard deviation
  double lower = 0;  // the bound's band at it
  double upper = 0;
  double propensity = 1;  // probability with which the policy, in this state, makes this choice
  Index clamped = 0;      // variances that rounding had made negative
  int level = 0;          // supkernelucb: the level its reward belongs to; kNoLevel: none

  bool operator==(const Decision&) const = default;
};

// What is wanted of a decision. `choice`: its band may be left out (lower and upper are infinite); with cmm
// on exact models it costs as much as the choice.
enum class Report { all, choice };

// Predictions with their band.
struct Forecast {
  Vector mean, sd, lower, upper;
};

}  // namespace ridgerunner
