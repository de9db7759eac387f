#include "ridgerunner/bounds/abbasi2012_selfnormalised.h"

#include <cmath>

#include "ridgerunner/error.h"

namespace ridgerunner {

double abbasi2012_radius(const SelfNormalisedInputs& inputs, const Evidence& evidence) {
  const double missed = evidence.residual_sum;
  const double log_determinant =
      evidence.log_determinant + (evidence.arrival_features ? 0 : missed / evidence.ridge);
  const double noise = inputs.noise_bound * std::sqrt(-2 * std::log(inputs.delta) + log_determinant);
  const double bias = (std::sqrt(evidence.ridge) + std::sqrt(missed)) * inputs.norm_bound;
  return batch_factor(evidence) * (noise + bias);
}

namespace {

class SelfNormalised final : public Bound {
 public:
  explicit SelfNormalised(const SelfNormalisedInputs& inputs) : inputs_(inputs) {
    require_between("delta", inputs.delta, 0, 1);
    require_at_least("norm_bound", inputs.norm_bound, 0);
    require_at_least("noise_bound", inputs.noise_bound, 0);
  }
  std::optional<double> radius(const Evidence& evidence) const override {
    return abbasi2012_radius(inputs_, evidence);
  }

 private:
  SelfNormalisedInputs inputs_;
};

}  // namespace

BoundPtr self_normalised_bound(const SelfNormalisedInputs& inputs) {
  return std::make_shared<SelfNormalised>(inputs);
}

}  // namespace ridgerunner
