#pragma once

#include <cstdint>
#include <vector>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Which of the first n observations a fit looks at: all, or the `most` with the smallest hash of
// (seed, number), in rising order. A function of the count, so batches and restarts do not matter.
// Where states repeat at least three times and a reward never differs from that of the same state before,
// rewards have no noise there: then each state is seen once, or the fit would take repetition for proof.
std::vector<Index> sample_observations(const MatrixIn& states, const VectorIn& rewards, Index most,
                                       std::uint64_t seed);

// How many different states there are.
Index distinct_states(const MatrixIn& states);

}  // namespace ridgerunner
