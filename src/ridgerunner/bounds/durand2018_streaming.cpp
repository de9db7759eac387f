#include "ridgerunner/bounds/durand2018_streaming.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

// ln(1/d')
double log_level(const bounds::EmpiricalBernstein& inputs) {
  return std::log(4.0) - std::log(inputs.delta);
}

// How far what the anchors miss of f* can move the noise estimate.
double missed(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen) {
  return inputs.norm_bound * std::sqrt(seen.residual_sum / seen.rounds);
}

// λ C^2/(2t): how much the bias of the model can raise the squared noise estimate.
double bias_square(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen) {
  return seen.ridge * inputs.norm_bound * inputs.norm_bound / (2 * seen.rounds);
}

// C sqrt((λ/t) (1 - 1/M)), as printed.
double printed_bias(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen) {
  const double share = seen.largest_prior / (seen.ridge + seen.largest_prior);  // 1 - 1/M
  return inputs.norm_bound * std::sqrt(seen.ridge / seen.rounds * share);
}

// sqrt(C_t/t) + sqrt((C_t + 2D)/t)
double upper_shrinkage(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen, double gain) {
  const double count = durand2018_count_term(inputs, seen.rounds);
  return std::sqrt(count / seen.rounds) + std::sqrt((count + 2 * gain) / seen.rounds);
}

double lower_slack(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen) {
  return std::sqrt(2 * durand2018_count_term(inputs, seen.rounds) / seen.rounds);
}

}  // namespace

double durand2018_count_term(const bounds::EmpiricalBernstein& inputs, double rounds) {
  const double log_rounds = std::log(rounds), level = log_level(inputs);
  const double growth = std::log(std::numbers::pi * std::numbers::pi / 6 * log_rounds * log_rounds) / level;
  return (1 + level) * (1 + std::max(growth, 0.0));
}

double durand2018_gain_term(const bounds::EmpiricalBernstein& inputs, const Evidence& evidence,
                            double lower_ridge, double log_determinant) {
  const double projection = evidence.arrival_features ? 0 : evidence.residual_sum / lower_ridge;
  return 2 * log_level(inputs) + log_determinant + projection;
}

double durand2018_noise_estimate(const NoiseEvidence& seen) {
  return std::sqrt(seen.squared_error / seen.rounds);
}

double durand2018_upper_known(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen,
                              double gain, double noise_upper) {
  const double estimate = durand2018_noise_estimate(seen) + missed(inputs, seen);
  const double bias = 2 * noise_upper * inputs.norm_bound * std::sqrt(seen.ridge * gain) / seen.rounds;
  return estimate + noise_upper * upper_shrinkage(inputs, seen, gain) + std::sqrt(bias);
}

double durand2018_upper_agnostic(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen,
                                 double gain) {
  const double left = 1 - upper_shrinkage(inputs, seen, gain);
  if (!(left > 0)) return std::numeric_limits<double>::infinity();
  const double estimate = durand2018_noise_estimate(seen) + missed(inputs, seen);
  const double bias = inputs.norm_bound * std::sqrt(seen.ridge * gain) / (2 * seen.rounds);
  const double root = (std::sqrt(estimate * left + bias) + std::sqrt(bias)) / left;
  return root * root;
}

double durand2018_lower_known(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen,
                              double noise_upper) {
  const double bias = inputs.printed ? printed_bias(inputs, seen) : std::sqrt(bias_square(inputs, seen));
  const double estimate = durand2018_noise_estimate(seen) - missed(inputs, seen);
  return estimate - noise_upper * lower_slack(inputs, seen) - bias;
}

double durand2018_lower_agnostic(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen) {
  const double estimate = std::max(durand2018_noise_estimate(seen) - missed(inputs, seen), 0.0);
  const double unbiased = inputs.printed
                              ? estimate - printed_bias(inputs, seen)
                              : std::sqrt(std::max(estimate * estimate - bias_square(inputs, seen), 0.0));
  return unbiased / (1 + lower_slack(inputs, seen));
}

double durand2018_radius(const bounds::EmpiricalBernstein& inputs, const LearntNoise& noise,
                         const Evidence& evidence) {
  const double gain = durand2018_gain_term(inputs, evidence, noise.lower_ridge, noise.log_determinant);
  const double bias = std::sqrt(evidence.ridge) + std::sqrt(evidence.residual_sum);
  return batch_factor(evidence) * (bias * inputs.norm_bound + noise.upper * std::sqrt(gain));
}

BoundPtr empirical_bernstein_bound(const bounds::EmpiricalBernstein& inputs, const LearntNoise& noise) {
  require_between("delta", inputs.delta, 0, 1);
  require_positive("norm_bound", inputs.norm_bound);
  require_positive("noise_upper", noise.upper);
  require_positive("lower_ridge", noise.lower_ridge);
  require_at_least("log_determinant", noise.log_determinant, 0);
  return radius_bound(
      [inputs, noise](const Evidence& evidence) { return durand2018_radius(inputs, noise, evidence); });
}

}  // namespace ridgerunner
