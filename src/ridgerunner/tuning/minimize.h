#pragma once

#include <functional>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

struct Box {
  Vector lower, upper;  // entries may be equal: that one is fixed
};

struct Minimum {
  Vector at;
  double value = 0;
  int evaluations = 0;
};

// The value at a point, and its gradient. Infinity and NaN mean: not here.
using SmoothFunction = std::function<double(const Vector& at, Vector& gradient)>;

// A local minimum in a box by L-BFGS (memory 5) on the entries that are not at a limit, with Armijo's rule by
// halving: at most `iterations` steps. No clock, no randomness and one order of sums: the same function gives
// the same bits, which a library's optimiser promises for one version only (docs/decisions/6_tuning.md).
Minimum minimize(const SmoothFunction& function, Vector start, const Box& box, int iterations);

}  // namespace ridgerunner
