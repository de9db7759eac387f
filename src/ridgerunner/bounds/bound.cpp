#include "ridgerunner/bounds/bound.h"

#include <cmath>

namespace ridgerunner {

Interval radius_interval(double mean, double sd, double radius) {
  if (std::isinf(radius)) return {-radius, radius};  // also where sd is 0
  return {upper_value(mean, -radius, sd), upper_value(mean, radius, sd)};
}

Band radius_band(const Prediction& prediction, double radius) {
  const Index n = prediction.mean.size();
  if (std::isinf(radius)) return {Vector::Constant(n, -radius), Vector::Constant(n, radius)};
  return {prediction.mean - radius * prediction.sd, prediction.mean + radius * prediction.sd};
}

double batch_factor(const Evidence& evidence) {
  return std::sqrt(evidence.batch_growth);
}

}  // namespace ridgerunner
