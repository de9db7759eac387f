#include "ridgerunner/bounds/calandriello2019_bkb.h"

#include <algorithm>
#include <cmath>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"
#include "ridgerunner/regression/dictionary/calandriello2019_bkb.h"

namespace ridgerunner {

double calandriello2019_radius(const BkbInputs& inputs, const Evidence& evidence) {
  const double trace = static_cast<double>(evidence.rounds) * evidence.largest_prior;  // κ^2 t
  const double spread = calandriello2019_alpha(inputs.accuracy) * evidence.variance_sum;
  const double doubt = -std::log(inputs.delta);
  const double noise = inputs.printed
                           ? 2 * std::sqrt(std::log(std::max(trace, 1.0)) * spread + doubt)
                           : std::sqrt((1 + std::log1p(trace / evidence.ridge)) * spread + 2 * doubt);
  const double missed = 1 / (1 - inputs.accuracy) + (evidence.draw_growth - 1);
  const double bias = (1 + std::sqrt(missed)) * std::sqrt(evidence.ridge);
  return batch_factor(evidence) * (inputs.noise_bound * noise + bias * inputs.norm_bound);
}

BoundPtr bkb_bound(const BkbInputs& inputs) {
  check_record(inputs);
  require_between("accuracy", inputs.accuracy, 0, 1);
  return radius_bound(
      [inputs](const Evidence& evidence) { return calandriello2019_radius(inputs, evidence); });
}

}  // namespace ridgerunner
