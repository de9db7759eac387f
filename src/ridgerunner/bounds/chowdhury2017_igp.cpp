#include "ridgerunner/bounds/chowdhury2017_igp.h"

#include <cmath>

#include "ridgerunner/error.h"

namespace ridgerunner {

double chowdhury2017_radius(const IgpInputs& inputs, const Evidence& evidence) {
  const double eta = evidence.ridge - 1;
  const double noise = std::sqrt(evidence.log_determinant + static_cast<double>(evidence.rounds) * eta -
                                 2 * std::log(inputs.delta));
  return std::sqrt(evidence.ridge) * (inputs.noise_bound * noise + inputs.norm_bound);
}

namespace {

class Igp final : public Bound {
 public:
  explicit Igp(const IgpInputs& inputs) : inputs_(inputs) {
    require_between("delta", inputs.delta, 0, 1);
    require_at_least("norm_bound", inputs.norm_bound, 0);
    require_at_least("noise_bound", inputs.noise_bound, 0);
  }
  std::optional<double> radius(const Evidence& evidence) const override {
    return chowdhury2017_radius(inputs_, evidence);
  }

 private:
  IgpInputs inputs_;
};

}  // namespace

BoundPtr igp_bound(const IgpInputs& inputs) {
  return std::make_shared<Igp>(inputs);
}

}  // namespace ridgerunner
