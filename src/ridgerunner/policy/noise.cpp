#include "ridgerunner/policy/noise.h"

#include <algorithm>
#include <cmath>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/capabilities.h"

namespace ridgerunner {
namespace {

double ridge_of(double noise, const BoundSpec& bound) {
  const double ratio = noise / bound.number("norm_bound");
  return ratio * ratio;
}

// ln det(I + K/ridge); where rounding leaves no factor at so small a ridge, a bound from above by that at the
// model's own, larger one: 1 + κ/a <= (1 + κ/λ) λ/a for each of at most as many eigenvalues κ as states.
double log_determinant_at_most(const MovesRidge& regression, const Evidence& evidence, double ridge) {
  try {
    return regression.log_determinant(ridge);
  } catch (const NumericalError&) {
    const auto states = static_cast<double>(evidence.anchors);
    return evidence.log_determinant + states * std::max(std::log(evidence.ridge / ridge), 0.0);
  }
}

}  // namespace

bounds::EmpiricalBernstein streaming_inputs(const BoundSpec& bound) {
  const auto* learning = bound.get_if<bounds::EmpiricalBernstein>();
  if (!learning)
    throw InvalidArgument("the noise is learnt by bound.type empirical_bernstein, got " + bound.type());
  return *learning;
}

std::optional<NoiseBounds> initial_noise(const BoundSpec& bound) {
  const auto* learning = bound.get_if<bounds::EmpiricalBernstein>();
  if (!learning) return std::nullopt;
  return NoiseBounds{learning->noise_lower, learning->noise_upper, 0, false};
}

NoiseBounds learn_noise(const NoiseBounds& before, const BoundSpec& bound, const Regression& regression) {
  const bounds::EmpiricalBernstein inputs = streaming_inputs(bound);
  const Evidence evidence = regression.evidence();
  const auto* moves = capability<MovesRidge>(regression);
  if (!moves) throw InvalidArgument("the ridge of this model cannot move");
  NoiseBounds noise = before;
  const NoiseEvidence seen{static_cast<double>(evidence.rounds), moves->squared_error(), evidence.ridge,
                           evidence.residual_sum, evidence.largest_prior};
  const bool enough = evidence.rounds >= 2;  // the theorem's first round
  if (enough) {
    const double lower =
        std::max(durand2018_lower_known(inputs, seen, before.upper), durand2018_lower_agnostic(inputs, seen));
    noise.crossed = noise.crossed || lower > before.upper;
    noise.lower = std::clamp(lower, before.lower, before.upper);
  }
  const double lower_ridge = ridge_of(noise.lower, bound);
  noise.log_determinant = log_determinant_at_most(*moves, evidence, lower_ridge);
  if (enough) {
    const double gain = durand2018_gain_term(inputs, evidence, lower_ridge, noise.log_determinant);
    const double upper = std::min(durand2018_upper_known(inputs, seen, gain, before.upper),
                                  durand2018_upper_agnostic(inputs, seen, gain));
    noise.crossed = noise.crossed || upper < noise.lower;
    noise.upper = std::clamp(upper, noise.lower, before.upper);
  }
  return noise;
}

double next_ridge(const NoiseBounds& noise, const BoundSpec& bound) {
  return ridge_of(noise.upper, bound);
}

BoundPtr noise_bound(const NoiseBounds& noise, const BoundSpec& bound) {
  return empirical_bernstein_bound(streaming_inputs(bound),
                                   {noise.upper, ridge_of(noise.lower, bound), noise.log_determinant});
}

}  // namespace ridgerunner
