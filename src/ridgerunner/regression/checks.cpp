#include "ridgerunner/regression/checks.h"

#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {

void require_states(const MatrixIn& states, Index dimension) {
  if (states.size() == 0) throw InvalidArgument("states must not be empty");
  if (states.rows() != dimension) {
    throw InvalidArgument(fmt::format("states must have dimension {}, got {}", dimension, states.rows()));
  }
  if (!states.allFinite()) throw InvalidArgument("states must be finite");
}

void require_rewards(const MatrixIn& states, const VectorIn& rewards) {
  constexpr double kMost = 1e100;  // squares and sums of such are still numbers
  if (states.cols() != rewards.size()) {
    throw InvalidArgument(
        fmt::format("states and rewards must be equally many, got {} and {}", states.cols(), rewards.size()));
  }
  if (rewards.size() == 0) throw InvalidArgument("states must not be empty");
  if (!rewards.allFinite()) throw InvalidArgument("rewards must be finite");
  if (rewards.cwiseAbs().maxCoeff() > kMost) {
    throw InvalidArgument(
        fmt::format("rewards must be at most {} in size, got {}", kMost, rewards.cwiseAbs().maxCoeff()));
  }
}

void require_arms(const MatrixIn& arms) {
  if (arms.size() == 0) throw InvalidArgument("arms must not be empty");
  if (!arms.allFinite()) throw InvalidArgument("arms must be finite");
}

void require_priors(const VectorIn& prior, Index first) {
  for (Index i = 0; i < prior.size(); ++i) {
    if (std::isfinite(prior[i])) continue;
    throw InvalidArgument(
        fmt::format("k(s, s) must be finite, got {} for state {} (from 0)", prior[i], first + i));
  }
}

}  // namespace ridgerunner
