#include "ridgerunner/bounds/chowdhury2017_igp.h"

#include <cmath>

#include "ridgerunner/codec/record.h"

namespace ridgerunner {

double chowdhury2017_radius(const bounds::Igp& inputs, const Evidence& evidence) {
  const double eta = evidence.ridge - 1;
  const double noise = std::sqrt(evidence.log_determinant + static_cast<double>(evidence.rounds) * eta -
                                 2 * std::log(inputs.delta));
  return std::sqrt(evidence.ridge) * (inputs.noise_bound * noise + inputs.norm_bound);
}

BoundPtr igp_bound(const bounds::Igp& inputs) {
  check_record(inputs);
  return radius_bound([inputs](const Evidence& evidence) { return chowdhury2017_radius(inputs, evidence); });
}

}  // namespace ridgerunner
