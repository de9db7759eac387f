#include "ridgerunner/bounds/abbasi2012_self_normalized.h"

#include <cmath>

#include "ridgerunner/codec/record.h"

namespace ridgerunner {

double abbasi2012_radius(const bounds::SelfNormalized& inputs, const Evidence& evidence) {
  const double missed = evidence.residual_sum;
  const double log_determinant =
      evidence.log_determinant + (evidence.arrival_features ? 0 : missed / evidence.ridge);
  const double noise = inputs.noise_bound * std::sqrt(-2 * std::log(inputs.delta) + log_determinant);
  const double bias = (std::sqrt(evidence.ridge) + std::sqrt(missed)) * inputs.norm_bound;
  return batch_factor(evidence) * (noise + bias);
}

BoundPtr self_normalized_bound(const bounds::SelfNormalized& inputs) {
  check_record(inputs);
  return radius_bound([inputs](const Evidence& evidence) { return abbasi2012_radius(inputs, evidence); });
}

}  // namespace ridgerunner
