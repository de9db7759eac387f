#include "ridgerunner/regression/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {

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
  best.ties = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < prediction.mean.size(); ++i) {
    const double upper = upper_value(prediction.mean[i], radius, prediction.sd[i]);
    if (upper > highest) {
      highest = upper;
      best.index = i;
      best.ties = 1;
    } else if (upper == highest) {
      ++best.ties;
    }
  }
  best.mean = prediction.mean[best.index];
  best.sd = prediction.sd[best.index];
  return best;
}

}  // namespace ridgerunner
