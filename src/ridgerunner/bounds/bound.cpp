#include "ridgerunner/bounds/bound.h"

#include <cmath>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

class RadiusBound final : public Bound {
 public:
  explicit RadiusBound(std::function<double(const Evidence&)> radius) : radius_(std::move(radius)) {}
  std::optional<double> radius(const Evidence& evidence) const override { return radius_(evidence); }

 private:
  std::function<double(const Evidence&)> radius_;
};

}  // namespace

BoundPtr radius_bound(std::function<double(const Evidence&)> radius) {
  if (!radius) throw InvalidArgument("radius is missing");
  return std::make_shared<RadiusBound>(std::move(radius));
}

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
