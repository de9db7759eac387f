#pragma once

#include <cmath>
#include <vector>

#include "oracles/dense.h"
#include "ridgerunner/bounds/flynn2024_mixtures.h"

namespace ridgerunner::oracle {

// The mixture's bounds on features as they were on arrival, by the textbook in long double:
//   S^2 = R^2 (ln det(I + K/α) + 2 ln(1/delta)) + α B^2,   e = B sqrt(Σ r_i),
//   T(a) = α q(α) + S^2 - α B^2 + 2 e S + e^2 + a B^2 - a q(a),   mean_a ± sqrt(T(a)) sd_a.
class GrowingMixture {
 public:
  // known[i]: how many anchors observation i was projected on.
  GrowingMixture(const Kernel& kernel, Matrix anchors, Matrix states, Vector rewards,
                 std::vector<Index> known, double ridge, const MixtureInputs& inputs)
      : kernel_(kernel),
        anchors_(std::move(anchors)),
        states_(std::move(states)),
        rewards_(std::move(rewards)),
        known_(std::move(known)),
        norm_(inputs.norm_bound) {
    const DenseProjected own = at(ridge);
    const long double noise = inputs.noise_bound, a = ridge;
    const long double unlikely = noise * noise * (own.log_determinant() - 2 * std::log(1.0L * inputs.delta));
    missed_ = norm_ * std::sqrt(std::max(own.residual_sum(), 0.0L));
    seen_ = std::sqrt(unlikely + a * norm_ * norm_);
    square_ = a * own.quadratic_form() + unlikely + 2 * missed_ * seen_ + missed_ * missed_;
  }

  long double radius() const { return seen_ + missed_; }  // at the own ridge
  long double slack(double ridge) const {
    return square_ + ridge * (norm_ * norm_ - at(ridge).quadratic_form());
  }

  struct LongBand {
    LongVector lower, upper;
  };
  LongBand band(const MatrixIn& probes, double ridge) const {
    const DenseProjected model = at(ridge);
    const LongVector mean = model.mean(probes);
    const LongVector width = std::sqrt(std::max(slack(ridge), 0.0L)) * model.sd(probes);
    return {mean - width, mean + width};
  }
  LongBand band(const MatrixIn& probes, const std::vector<double>& ridges) const {
    LongBand best = band(probes, ridges.front());
    for (const double ridge : ridges) {
      const LongBand one = band(probes, ridge);
      best = {best.lower.cwiseMax(one.lower), best.upper.cwiseMin(one.upper)};
    }
    return best;
  }

 private:
  DenseProjected at(double ridge) const { return {kernel_, anchors_, states_, rewards_, ridge, known_}; }

  const Kernel& kernel_;
  Matrix anchors_, states_;
  Vector rewards_;
  std::vector<Index> known_;
  long double norm_, missed_ = 0, seen_ = 0, square_ = 0;
};

}  // namespace ridgerunner::oracle
