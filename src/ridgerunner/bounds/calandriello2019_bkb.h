#pragma once

#include "ridgerunner/bounds/assumptions.h"
#include "ridgerunner/bounds/bound.h"

namespace ridgerunner {

// The radius of BKB: Theorem 9 (the one of Theorem 2) of Calandriello et al. 2019, for projected engines.
//
// Guarantee. Let rewards be f*(s_i) + noise, the noise conditionally R-sub-Gaussian, |f*| <= B in the
// kernel's space, and let the anchors be drawn as BKB does with qbar >= 6 α ln(4T/delta)/ε^2. Then with
// probability at least 1 - 2 delta (one for the anchors, one for the noise), for all rounds 0 <= t <= T and
// all states s at once,
//   |f*(s) - mean_t(s)| <= radius_t sd_t(s),
//   radius_t = R sqrt(α (1 + ln(1 + κ^2 t/λ)) Σ sd_t^2(s_i) + 2 ln(1/delta)) + (1 + 1/sqrt(1 - ε)) sqrt(λ) B,
//   α = (1 + ε)/(1 - ε).
//
// Names: R is noise_bound (their ξ), B norm_bound (their F), λ the ridge, ε accuracy, κ^2 the largest
// k(s_i, s_i), Σ sd^2 variance_sum.
// Deviations:
// - `printed` is the radius as printed,
//     2R sqrt(α ln(κ^2 t) Σ sd_t^2(s_i) + ln(1/delta)) + (1 + 1/sqrt(1 - ε)) sqrt(λ) B,
//   the logarithm cut off at 0. It has lost the 1 and the 1/λ of eq. (6) on the way and is no bound when
//   κ^2 t is near 1 or λ is small.
// - The paper says 1 - delta, but its proof uses two events of that probability.
// - α is as printed. Σ sd^2 is never less than the effective dimension, so 1 would do.
// - The last term needs the anchors to suit all data. Where they are drawn now and then only (bbkb without
//   fixed arms), the data since add Σ r_i <= λ Σ sd^2(s_i), by the sds of the draw, to what they miss: the
//   term becomes (1 + sqrt(1/(1 - ε) + Σ sd^2)) sqrt(λ) B.
// By hand: λ = 4, t = 0, delta = 1/e, R = 3, B = 5, ε = 3/4 give 3 sqrt(2) + 3 * 2 * 5 = 34.2426...
namespace bounds {
struct Bkb : Assumptions {
  static constexpr const char* kName = "bkb";
  bool printed = false;  // the radius as it is printed
  bool operator==(const Bkb&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    Assumptions::fields(visit);
    visit("printed", &Bkb::printed, any_value(),
          "bkb, empirical_bernstein: as the paper prints it, for comparison");
  }
};
}  // namespace bounds

struct BkbInputs : bounds::Bkb {
  double accuracy = 0.5;  // ε of the dictionary
};

double calandriello2019_radius(const BkbInputs& inputs, const Evidence& evidence);

BoundPtr bkb_bound(const BkbInputs& inputs);

}  // namespace ridgerunner
