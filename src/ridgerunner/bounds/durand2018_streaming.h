#pragma once

#include "ridgerunner/bounds/bound.h"
#include "ridgerunner/codec/range.h"

namespace ridgerunner {

// Unknown noise and a ridge that moves: Theorems 2 and 3 and Corollary 1 of Durand et al. (2018, Streaming
// kernel regression with provably adaptive mean, variance, and regularization).
//
// Guarantee. Rewards f*(s_i) + noise, |f*| <= C in the kernel's space, the noise conditionally σ-sub-Gaussian
// and second-order σ-sub-Gaussian, ln E exp(g ξ^2) <= -ln(1 - 2 g σ^2)/2 for g < 1/(2 σ^2), with σ unknown.
// Gaussian noise is both; noise with rare large shocks is not, and for it nothing here holds. Let σ_- and σ_+
// bound σ at the start, and after round t, with the ridge λ = λ_{t-1} that round t was chosen with, best of
// the two first, then
//   σ_-,t = max(lower bound, σ_-,t-1),  l_- = σ_-,t^2/C^2,  σ_+,t = min(upper bound, σ_+,t-1),
//   λ_t = σ_+,t^2/C^2.
// Then with probability at least 1 - delta, for all rounds t >= 0 and all states s at once,
//   σ_-,t <= σ <= σ_+,t   and   |f*(s) - mean_t(s)| <= radius_t sd_t(s)  at the ridge λ_t,
//   radius_t = sqrt(λ_t) C + σ_+,t sqrt(D),   D = 2 ln(1/d') + ln det(I + K_t/l_-),   d' = delta/4.
// (Four events of d': one for the band, three for the noise.) With C_t = ln(e/d') (1 + ln(π^2 ln^2(t)/6) /
// ln(1/d')), at least ln(e/d'), and ŝ^2 = Σ (y_i - mean_t(s_i))^2/t at the ridge λ, from t = 2 on:
//   upper, σ_+ known: ŝ + σ_+ (sqrt(C_t/t) + sqrt((C_t + 2D)/t)) + sqrt(2 σ_+ C sqrt(λD)/t)
//   upper, agnostic:  (sqrt(ŝ a + e) + sqrt(e))^2/a^2,  e = C sqrt(λD)/(2t),
//                     a = 1 - sqrt(C_t/t) - sqrt((C_t + 2D)/t), infinite where a <= 0
//   lower, σ_+ known: ŝ - σ_+ sqrt(2 C_t/t) - C sqrt(λ/(2t))
//   lower, agnostic:  sqrt(max(0, ŝ^2 - λ C^2/(2t)))/(1 + sqrt(2 C_t/t))
// The known σ_+ may be the one of the round before: where it is wrong, the bounds have failed already.
//
// Names: C is norm_bound, λ the ridge, σ_- and σ_+ start as noise_lower and noise_upper.
// Deviations:
// - C_t has ln^2(t), as Lemma 6 derives it; Theorem 3 prints ln(t).
// - The last terms of the lower bounds. The paper has C sqrt((λ/t) (1 - 1/M)), M = max_i(1 + k_{λ,i-1}(s_i,
//   s_i)/λ), which vanishes for large λ although the bias does not: it is no bound there. Over all noise,
//   Σ (y_i - mean(s_i))^2 - |noise|^2 <= λ C^2/2. `printed` gives the paper's form, for figures only, with M
//   = 1 + max k(s_i, s_i)/λ (the same for kernels with a constant k(s, s)).
// - The paper's corollary holds at 1 - 4 delta; here d' = delta/4 in every term.
// - Projected engines (ours; the above where Σ r_i = 0). What the anchors miss of f* at the data, at most
//   C sqrt(Σ r_i) in all, moves sqrt(t) ŝ by no more than that: ŝ is raised by C sqrt(Σ r_i/t) in upper
//   bounds and lowered in lower ones, and C sqrt(Σ r_i) is added to the radius. The noise part has the
//   log-determinant of the exact model, at most that of the projected one + Σ r_i/l_-; with features as they
//   were on arrival, which are predictable, their own.
//
// By hand: delta = 4/e^2, so d' = 1/e^2; C = 2, λ = 1. t = 2: C_t = 3, as ln(π^2 ln^2(2)/6) < 0; with squared
// errors of 8, ŝ = 2, and the lower bounds are 2 - 0.5 sqrt(3) - 1 = 0.1339... for σ_+ = 0.5 known and
// sqrt(4 - 1)/(1 + sqrt(3)) = 0.6339... t = 200: C_t = 3 (1 + ln(π^2 ln^2(200)/6)/2) = 8.7487...; with a
// log-determinant of 5, D = 9, squared errors of 200, ŝ = 1: the upper bounds are 1 + 2 (0.2091... +
// 0.3657...)
// + sqrt(24/200) = 2.4961... for σ_+ = 2 known and, with a = 0.4251... and e = 0.015, 3.4172...; the radius
// for σ_+ = 3 is 2 + 3 sqrt(9) = 11.
namespace bounds {
struct EmpiricalBernstein {
  static constexpr const char* kName = "empirical_bernstein";
  double delta = 0.01;
  double norm_bound = 10;     // C > 0
  bool printed = false;       // the lower bounds as printed: invalid for large ridges
  double noise_lower = 0.01;  // σ_- at the start
  double noise_upper = 1;     // σ_+ at the start
  bool operator==(const EmpiricalBernstein&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    using Self = EmpiricalBernstein;
    visit("delta", &Self::delta, between(0, 1), "probability that the band or the noise's bounds may miss");
    visit("norm_bound", &Self::norm_bound, at_least(0), "C: at least the norm of the reward function");
    visit("noise_lower", &Self::noise_lower, positive(),
          "empirical_bernstein: the noise is at least this, to start with");
    visit("noise_upper", &Self::noise_upper, positive().described(">= noise_lower"),
          "empirical_bernstein: the noise is at most this, to start with");
    visit("printed", &Self::printed, any_value(),
          "bkb, empirical_bernstein: as the paper prints it, for comparison");
  }
};
}  // namespace bounds

// What the noise bounds look at.
struct NoiseEvidence {
  double rounds = 0;         // t
  double squared_error = 0;  // Σ (y_i - mean(s_i))^2 at the ridge
  double ridge = 1;          // λ
  double residual_sum = 0;   // Σ r_i
  double largest_prior = 0;  // max k(s_i, s_i): the printed lower bounds
};

// What has been learnt of the noise.
struct LearntNoise {
  double upper = 1;            // σ_+
  double lower_ridge = 1;      // l_-
  double log_determinant = 0;  // ln det(I + K/l_-)
};

double durand2018_count_term(const bounds::EmpiricalBernstein& inputs, double rounds);  // C_t
double durand2018_gain_term(const bounds::EmpiricalBernstein& inputs, const Evidence& evidence,
                            double lower_ridge,
                            double log_determinant);          // D
double durand2018_noise_estimate(const NoiseEvidence& seen);  // ŝ

// Theorem 3; `gain` is D, noise_upper the known σ_+.
double durand2018_upper_known(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen,
                              double gain, double noise_upper);
double durand2018_upper_agnostic(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen,
                                 double gain);
double durand2018_lower_known(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen,
                              double noise_upper);
double durand2018_lower_agnostic(const bounds::EmpiricalBernstein& inputs, const NoiseEvidence& seen);

// Corollary 1, at the evidence's ridge. Theorem 2 allows any ridge above σ^2/C^2 that rests on past rewards.
double durand2018_radius(const bounds::EmpiricalBernstein& inputs, const LearntNoise& noise,
                         const Evidence& evidence);

BoundPtr empirical_bernstein_bound(const bounds::EmpiricalBernstein& inputs, const LearntNoise& noise);

}  // namespace ridgerunner
