#include "ridgerunner/bounds/zenati2022_ekucb.h"

#include <cmath>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"

namespace ridgerunner {

double zenati2022_radius(const EkUcbInputs& inputs, const Evidence& evidence) {
  const bool given = inputs.projection && !evidence.arrival_features;
  const double missed = given ? *inputs.projection : evidence.residual_sum;
  const double trace = static_cast<double>(evidence.rounds) * evidence.largest_prior;  // at least λ_max(K)
  const double log_factor = 1 + std::log1p(trace / evidence.ridge);                    // ln(e + e t κ^2/λ)
  const double noise =
      inputs.noise_bound * std::sqrt(-4 * std::log(inputs.delta) + 2 * log_factor * evidence.variance_sum);
  const double bias = (std::sqrt(evidence.ridge) + std::sqrt(missed)) * inputs.norm_bound;
  return batch_factor(evidence) * (noise + bias);
}

BoundPtr ekucb_bound(const EkUcbInputs& inputs) {
  check_record(inputs);
  if (inputs.projection) require_positive("projection", *inputs.projection);
  return radius_bound([inputs](const Evidence& evidence) { return zenati2022_radius(inputs, evidence); });
}

}  // namespace ridgerunner
