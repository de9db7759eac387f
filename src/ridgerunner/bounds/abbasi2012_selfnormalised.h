#pragma once

#include "ridgerunner/bounds/bound.h"

namespace ridgerunner {

// The self-normalised bound of Abbasi-Yadkori (2012, Online learning for linearly parametrized control
// problems, Cor. 3.15), for the exact engine. One result under several names: Theorem 1 of Durand et al.
// 2018, the first line of Lemma 3.1 of Zenati et al. 2022 (times R), the radius of AY-GP-UCB in Flynn & Reeb
// 2024.
//
// Guarantee. Let rewards be f*(s_i) + noise, the noise conditionally R-sub-Gaussian, |f*| <= B in the
// kernel's space. Then with probability at least 1 - delta, for all rounds t >= 0 and all states s at once,
//   |f*(s) - mean_t(s)| <= radius_t sd_t(s),
//   radius_t = R sqrt(2 ln(1/delta) + ln det(I + K_t/λ)) + sqrt(λ) B.
//
// Names: R is noise_bound, B norm_bound, λ the ridge. Deviations: none.
// By hand: λ = 4, log-determinant 0, delta = 1/e, R = 3, B = 5 give 3 sqrt(2) + 10 = 14.2426...
struct SelfNormalisedInputs {
  double delta = 0.01;
  double norm_bound = 10;
  double noise_bound = 0.1;
};

double abbasi2012_radius(const SelfNormalisedInputs& inputs, double ridge, double log_determinant);

BoundPtr self_normalised_bound(const SelfNormalisedInputs& inputs);

}  // namespace ridgerunner
