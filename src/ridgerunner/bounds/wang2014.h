#pragma once

#include "ridgerunner/bounds/assumptions.h"
#include "ridgerunner/bounds/bound.h"

namespace ridgerunner {

// The bound of Wang & de Freitas (2014), as Durand et al. 2018 state it in Lemma 3.
//
// Guarantee. Rewards f*(s_i) + noise, the noise N(0, R^2), |f*| <= B in the kernel's space, λ = R^2. Then
// with probability at least 1 - delta, at each round t separately and all states s at once,
//   |f*(s) - mean_t(s)| <= sqrt(λ) l_t sd_t(s),
//   l_t^2 = B^2 + sqrt(8 g ln(2/delta)) + sqrt(2 ln(4/delta)) B + 2 g + 2 R ln(2/delta),
// g = ln det(I + K_t/λ)/2. It does not hold over all rounds together, nor on a projected engine.
//
// Names: R is noise_bound, B norm_bound, λ the ridge, 2 g the log-determinant.
// By hand: λ = 4, log-determinant 4, delta = 2/e, R = 1, B = 3: ln(2/delta) = 1, ln(4/delta) = 1 + ln 2 and
// l^2 = 9 + 4 + 3 sqrt(2 + 2 ln 2) + 4 + 2 = 24.5205..., radius 2 * 4.9518... = 9.9036...
namespace bounds {
struct WangDeFreitas : Assumptions {
  static constexpr const char* kName = "wang_de_freitas";
  bool operator==(const WangDeFreitas&) const = default;
};
}  // namespace bounds

double wang2014_radius(const bounds::WangDeFreitas& inputs, const Evidence& evidence);

BoundPtr wang_de_freitas_bound(const bounds::WangDeFreitas& inputs);

}  // namespace ridgerunner
