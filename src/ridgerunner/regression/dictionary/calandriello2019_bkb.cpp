#include "ridgerunner/regression/dictionary/calandriello2019_bkb.h"

#include <cmath>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

class Resampled final : public Dictionary {
 public:
  explicit Resampled(const Resampling& resampling) : resampling_(resampling) {
    require_positive("oversampling", resampling.oversampling);
    require_at_least("batch_threshold", resampling.threshold, 1);
  }
  double admission(const Newcomer&) const override { return 0; }
  const Resampling* resampling() const override { return &resampling_; }
  std::unique_ptr<Dictionary> clone() const override { return std::make_unique<Resampled>(*this); }

 private:
  Resampling resampling_;
};

}  // namespace

std::unique_ptr<Dictionary> bkb_dictionary(double oversampling) {
  return std::make_unique<Resampled>(Resampling{oversampling, 1, false});
}

std::unique_ptr<Dictionary> bbkb_dictionary(double oversampling, double threshold) {
  return std::make_unique<Resampled>(Resampling{oversampling, threshold, true});
}

double calandriello2019_alpha(double accuracy) {
  return (1 + accuracy) / (1 - accuracy);
}

double calandriello2019_oversampling(double accuracy, double horizon, double delta) {
  return 6 * calandriello2019_alpha(accuracy) * std::log(4 * horizon / delta) / (accuracy * accuracy);
}

}  // namespace ridgerunner
