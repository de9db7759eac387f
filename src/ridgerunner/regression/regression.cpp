#include "ridgerunner/regression/regression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {

Prediction predict(const Regression& regression, const MatrixIn& states) {
  Prediction out;
  Workspace workspace;
  regression.predict(states, out, workspace);
  return out;
}

namespace {

[[noreturn]] void refuse_ridge() {
  throw InvalidArgument("the ridge of this model cannot move");
}

}  // namespace

void Regression::set_ridge(double) {
  refuse_ridge();
}

double Regression::log_determinant(double) const {
  refuse_ridge();
}

double Regression::squared_error() const {
  refuse_ridge();
}

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

double scaled_sd(double prior, double explained, double ridge) {
  return std::sqrt(std::max(prior - explained, 0.0) / ridge);
}

bool check_variance(double prior, double explained) {
  constexpr double kRounding = 1e-7;
  const double left = prior - explained;
  if (!std::isfinite(left))
    throw NumericalError(fmt::format("a variance is {}, not a number we can use", left));
  if (left < -kRounding * prior) {
    throw NumericalError(fmt::format("a variance is {}, negative beyond rounding", left));
  }
  return left >= 0;
}

Index scaled_sd(const VectorIn& prior, const VectorIn& explained, double ridge, Vector& sd) {
  Index clamped = 0;
  sd.resize(prior.size());
  for (Index i = 0; i < prior.size(); ++i) {
    if (!check_variance(prior[i], explained[i])) ++clamped;
    sd[i] = scaled_sd(prior[i], explained[i], ridge);
  }
  return clamped;
}

BestUpper best_of(const Prediction& prediction, double radius) {
  BestUpper best;
  best.clamped = prediction.clamped;
  double highest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < prediction.mean.size(); ++i) {
    const double upper = upper_value(prediction.mean[i], radius, prediction.sd[i]);
    if (upper > highest) {
      highest = upper;
      best.index = i;
    }
  }
  best.mean = prediction.mean[best.index];
  best.sd = prediction.sd[best.index];
  return best;
}

}  // namespace ridgerunner
