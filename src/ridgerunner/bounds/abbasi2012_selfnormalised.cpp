#include "ridgerunner/bounds/abbasi2012_selfnormalised.h"

#include <cmath>

#include "ridgerunner/error.h"

namespace ridgerunner {

double abbasi2012_radius(const SelfNormalisedInputs& inputs, double ridge, double log_determinant) {
  return inputs.noise_bound * std::sqrt(-2 * std::log(inputs.delta) + log_determinant) +
         std::sqrt(ridge) * inputs.norm_bound;
}

namespace {

class SelfNormalised final : public RadiusBound {
 public:
  explicit SelfNormalised(const SelfNormalisedInputs& inputs) : inputs_(inputs) {
    require_between("delta", inputs.delta, 0, 1);
    require_at_least("norm_bound", inputs.norm_bound, 0);
    require_at_least("noise_bound", inputs.noise_bound, 0);
  }
  std::optional<double> radius(const Evidence& evidence) const override {
    return abbasi2012_radius(inputs_, evidence.ridge, evidence.log_determinant);
  }

 private:
  SelfNormalisedInputs inputs_;
};

}  // namespace

BoundPtr self_normalised_bound(const SelfNormalisedInputs& inputs) {
  return std::make_shared<SelfNormalised>(inputs);
}

}  // namespace ridgerunner
