#include "ridgerunner/bounds/bound.h"

#include <cmath>

namespace ridgerunner {

Interval RadiusBound::interval(double mean, double sd, const Evidence& evidence) const {
  const double r = *radius(evidence);
  return {upper_value(mean, -r, sd), upper_value(mean, r, sd)};
}

Band RadiusBound::band(const Prediction& prediction, const Evidence& evidence) const {
  const double r = *radius(evidence);
  return {prediction.mean - r * prediction.sd, prediction.mean + r * prediction.sd};
}

double batch_factor(const Evidence& evidence) {
  return std::sqrt(evidence.batch_growth);
}

}  // namespace ridgerunner
