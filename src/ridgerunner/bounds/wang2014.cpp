#include "ridgerunner/bounds/wang2014.h"

#include <cmath>

#include "ridgerunner/codec/record.h"

namespace ridgerunner {

double wang2014_radius(const bounds::WangDeFreitas& inputs, const Evidence& evidence) {
  const double gain = evidence.log_determinant / 2;
  const double level = std::log(2) - std::log(inputs.delta);  // 2/delta may overflow
  const double norm = inputs.norm_bound;
  const double square = norm * norm + std::sqrt(8 * gain * level) +
                        std::sqrt(2 * (std::log(2) + level)) * norm + 2 * gain +
                        2 * inputs.noise_bound * level;
  return std::sqrt(evidence.ridge * square);
}

BoundPtr wang_de_freitas_bound(const bounds::WangDeFreitas& inputs) {
  check_record(inputs);
  return radius_bound([inputs](const Evidence& evidence) { return wang2014_radius(inputs, evidence); });
}

}  // namespace ridgerunner
