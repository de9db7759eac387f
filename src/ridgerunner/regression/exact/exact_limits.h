#pragma once

#include <algorithm>

#include "ridgerunner/linalg/types.h"

// For the files of ExactRegression alone.
namespace ridgerunner::exact {

constexpr Index kChunk = 256;      // candidates solved, or rows appended, at once
constexpr Index kFewRepeats = 32;  // not worth collapsing

// Repeats that may stay uncollapsed: a quarter of the distinct states.
inline Index collapse_limit(Index distinct) {
  return distinct + std::max(distinct / 4, kFewRepeats);
}

}  // namespace ridgerunner::exact
