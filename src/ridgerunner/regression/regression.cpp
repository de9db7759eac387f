#include "ridgerunner/regression/regression.h"

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

Index scaled_sd(const VectorIn& prior, const VectorIn& explained, double ridge, Vector& sd) {
  constexpr double kRounding = 1e-7;
  sd = prior - explained;
  const double least = sd.minCoeff();
  if (!(least >= -kRounding * prior.cwiseAbs().maxCoeff())) {
    throw NumericalError(fmt::format("a variance is {}, negative beyond rounding", least));
  }
  const Index clamped = (sd.array() < 0).count();
  sd = (sd.cwiseMax(0.0) / ridge).cwiseSqrt();
  return clamped;
}

BestUpper best_of(const Prediction& prediction, double radius) {
  BestUpper best;
  best.clamped = prediction.clamped;
  double highest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < prediction.mean.size(); ++i) {
    const double upper = prediction.mean[i] + radius * prediction.sd[i];
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
