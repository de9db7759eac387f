#include "ridgerunner/bounds/wang2014.h"

#include <cmath>

#include "ridgerunner/error.h"

namespace ridgerunner {

double wang2014_radius(const WangInputs& inputs, const Evidence& evidence) {
  const double gain = evidence.log_determinant / 2;
  const double level = std::log(2) - std::log(inputs.delta);  // 2/delta may overflow
  const double norm = inputs.norm_bound;
  const double square = norm * norm + std::sqrt(8 * gain * level) +
                        std::sqrt(2 * (std::log(2) + level)) * norm + 2 * gain +
                        2 * inputs.noise_bound * level;
  return std::sqrt(evidence.ridge * square);
}

namespace {

class WangDeFreitas final : public Bound {
 public:
  explicit WangDeFreitas(const WangInputs& inputs) : inputs_(inputs) {
    require_between("delta", inputs.delta, 0, 1);
    require_at_least("norm_bound", inputs.norm_bound, 0);
    require_at_least("noise_bound", inputs.noise_bound, 0);
  }
  std::optional<double> radius(const Evidence& evidence) const override {
    return wang2014_radius(inputs_, evidence);
  }

 private:
  WangInputs inputs_;
};

}  // namespace

BoundPtr wang_de_freitas_bound(const WangInputs& inputs) {
  return std::make_shared<WangDeFreitas>(inputs);
}

}  // namespace ridgerunner
