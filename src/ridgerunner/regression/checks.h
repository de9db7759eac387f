#pragma once

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// What every model demands of its input; throws InvalidArgument.
void require_states(const MatrixIn& states, Index dimension);
void require_rewards(const MatrixIn& states, const VectorIn& rewards);
void require_arms(const MatrixIn& arms);

// The priors k(s, s) of states first, first + 1, ... are numbers; the message names the state that has none.
void require_priors(const VectorIn& prior, Index first = 0);

}  // namespace ridgerunner
