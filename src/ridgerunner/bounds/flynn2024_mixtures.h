#pragma once

#include <vector>

#include "ridgerunner/bounds/assumptions.h"
#include "ridgerunner/bounds/bound.h"

namespace ridgerunner {

// Martingale mixtures: Flynn & Reeb (2024, Tighter confidence bounds for sequential kernel regression).
//
// Guarantee. Rewards f*(s_i) + noise, the noise conditionally R-sub-Gaussian, |f*| <= B in the kernel's
// space. With α the ridge (the paper's R^2/c, c the scale of the mixture's covariance) and q(a) = y^T (K_t +
// aI)^-1 y,
//   R_t^2 = α q(α) + R^2 ln det(I + K_t/α) + 2 R^2 ln(1/delta).
// With probability at least 1 - delta, at all rounds t >= 0 at once, f* is in the set of functions with
// |f| <= B and Σ (f(s_i) - y_i)^2 <= R_t^2 (Theorem 4.4 and section 5). On that event, for all states s and
// all a > 0 (Corollary 4.6),
//   |f*(s) - mean_a(s)| <= sqrt(T(a)) sd_a(s),   T(a) = R_t^2 + a B^2 - a q(a).
// AMM takes a = α, where T = R^2 ln det(I + K_t/α) + α B^2 + 2 R^2 ln(1/delta); DMM the best a of a grid; CMM
// the best of all, which is the cone program (10) by its dual (12). T(a) < 0 means that the set is empty.
//
// On a growing subspace (ours; derivation in docs/decisions/4_growing_mixtures.md): features are those on
// arrival, r_i what they missed, e = B sqrt(Σ r_i). K and q are the projected ones, the radius at α is
//   S + e,   S^2 = R^2 ln det(I + K_t/α) + α B^2 + 2 R^2 ln(1/delta),
// and R_t^2 + 2 e S + e^2 stands for R_t^2: T(α) is then (S + e)^2, and without residuals all is as above.
//
// Names: R is noise_bound, B norm_bound, α the ridge.
// By hand: ridge 4, log-determinant 1, delta = 1/e, R = 2, B = 3: AMM's radius is sqrt(4 + 36 + 8)
// = 6.9282... With q(α) = 5: R_t^2 = 20 + 4 + 8 = 32. With Σ r_i = 1, e = 3: the radius is 9.9282..., the
// square 32 + 6 * 6.9282... + 9 = 82.5692...
namespace bounds {

struct Amm : Assumptions {
  static constexpr const char* kName = "amm";
  double mixture_scale = 1;  // c: the ridge is R^2/c if not set
  bool operator==(const Amm&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    Assumptions::fields(visit);
    visit("mixture_scale", &Amm::mixture_scale, positive(),
          "amm, dmm, cmm, ay-gp-ucb: c; the ridge is derived from it");
  }
};

struct Dmm : Amm {
  static constexpr const char* kName = "dmm";
  std::vector<double> grid = {0.1, 0.3, 1, 3, 10};  // multiples of the ridge
  bool operator==(const Dmm&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    Amm::fields(visit);
    visit("grid", &Dmm::grid, positive().described("> 0; one number or a list"),
          "dmm: multiples of the ridge to take the best of");
  }
};

struct Cmm : Amm {
  static constexpr const char* kName = "cmm";
  bool operator==(const Cmm&) const = default;
};

}  // namespace bounds

using MixtureInputs = bounds::Assumptions;

double flynn2024_squared_radius(const MixtureInputs& inputs,
                                const Evidence& evidence);  // R_t^2, or what stands for it
double flynn2024_amm_radius(const MixtureInputs& inputs, const Evidence& evidence);

BoundPtr amm_bound(const MixtureInputs& inputs);
BoundPtr dmm_bound(const MixtureInputs& inputs, std::vector<double> grid);  // multiples of α
BoundPtr cmm_bound(const MixtureInputs& inputs);

}  // namespace ridgerunner
