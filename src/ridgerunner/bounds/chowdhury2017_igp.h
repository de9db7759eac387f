#pragma once

#include "ridgerunner/bounds/assumptions.h"
#include "ridgerunner/bounds/bound.h"

namespace ridgerunner {

// The bound of IGP-UCB: Theorem 2 of Chowdhury & Gopalan (2017, On kernelized multi-armed bandits).
//
// Guarantee. As abbasi2012_self_normalized, with a ridge λ = 1 + η, η > 0: with probability at least 1 -
// delta, for all rounds t and all states s at once, |f*(s) - mean_t(s)| <= radius_t sd_t(s),
//   radius_t = sqrt(1 + η) (R sqrt(ln det(I + K_t/(1+η)) + t η + 2 ln(1/delta)) + B),
// where the paper's η is 2/T: ln det((1+η)I + K_t) = ln det(I + K_t/(1+η)) + t ln(1+η), and ln(1+η) <= η.
//
// Names: R is noise_bound, B norm_bound, 1 + η the ridge. No guarantee on a projected engine.
// By hand: ridge 4, t = 2, log-determinant 1, delta = 1/e, R = 3, B = 5: 2 (3 sqrt(1 + 6 + 2) + 5) = 28.
namespace bounds {
struct Igp : Assumptions {
  static constexpr const char* kName = "igp";
  bool operator==(const Igp&) const = default;
};
}  // namespace bounds

double chowdhury2017_radius(const bounds::Igp& inputs, const Evidence& evidence);

BoundPtr igp_bound(const bounds::Igp& inputs);

}  // namespace ridgerunner
