#pragma once

#include "ridgerunner/bounds/assumptions.h"
#include "ridgerunner/bounds/bound.h"

namespace ridgerunner {

// The self-normalized bound of Abbasi-Yadkori (2012, Online learning for linearly parametrized control
// problems, Cor. 3.15). One result under several names: Theorem 1 of Durand et al. 2018, the first line of
// Lemma 3.1 of Zenati et al. 2022 (times R), the radius of AY-GP-UCB in Flynn & Reeb 2024.
//
// Guarantee. Let rewards be f*(s_i) + noise, the noise conditionally R-sub-Gaussian, |f*| <= B in the
// kernel's space. Then with probability at least 1 - delta, for all rounds t >= 0 and all states s at once,
//   |f*(s) - mean_t(s)| <= radius_t sd_t(s).
// Exact engine:
//   radius_t = R sqrt(2 ln(1/delta) + ln det(I + K_t/λ)) + sqrt(λ) B.
// Projected engine, whatever the anchors, if rewards were not looked at in choosing them; r_i the residuals:
//   radius_t = R sqrt(2 ln(1/delta) + ln det(I + K_proj/λ) + Σ r_i/λ) + (sqrt(λ) + sqrt(Σ r_i)) B,
// because the noise part of the projected model is at most that of the exact one, whose
// ln det(I + K/λ) <= ln det(I + K_proj/λ) + tr(K - K_proj)/λ, and what the anchors miss of f* at the data is
// at most B sqrt(λ_max(K - K_proj)) <= B sqrt(Σ r_i). With features as they were on arrival, Σ r_i/λ is not
// needed: such features are predictable, so the noise part has their own log-determinant.
//
// Names: R is noise_bound, B norm_bound, λ the ridge, Σ r_i residual_sum. Deviations: the projected forms are
// ours; they are the exact one where Σ r_i = 0. The exact form on a projected engine is invalid: with few
// anchors it fails far more often than delta.
// By hand, exact: λ = 4, log-determinant 0, delta = 1/e, R = 3, B = 5 give 3 sqrt(2) + 10 = 14.2426...
// By hand, projected: the same with log-determinant 3 and Σ r_i = 16 give 3 sqrt(2 + 3 + 4) + (2 + 4) 5 = 39,
// and with features on arrival 3 sqrt(2 + 3) + 30 = 36.7082...
namespace bounds {
struct SelfNormalized : Assumptions {
  static constexpr const char* kName = "self_normalized";
  bool operator==(const SelfNormalized&) const = default;
};
}  // namespace bounds

double abbasi2012_radius(const bounds::SelfNormalized& inputs, const Evidence& evidence);

BoundPtr self_normalized_bound(const bounds::SelfNormalized& inputs);

}  // namespace ridgerunner
