#pragma once

#include <optional>

#include "ridgerunner/codec/range.h"
#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/regression/dictionary/dictionary.h"

namespace ridgerunner {

// Kernel online row sampling: algorithm 1 of Zenati et al. 2022 (EK-UCB), after Calandriello et al. 2017.
//
// Anchors carry the probability p_j with which they came in, the first state 1. With b_j =
// k(z_j,s)/sqrt(p_j), G = [k(z_i,z_j)/sqrt(p_i p_j)] + μI and u = b^T G^-1 b, the leverage score of eq. (41)
// is
//   τ = (1 + ε) (k(s,s) - u) / (k(s,s) + μ - u),   and s comes in with probability min(γ τ, 1).
// It is large where the anchors leave much unexplained. (The authors' published code computes the explained
// part instead.)
//
// Guarantee (Prop. 4.1). With ε = 1/2 and γ = 12 ln(T/δ), with probability 1 - δ, for all t <= T:
//   K - K_projected <= μ I in the order of positive semidefinite matrices, and the dictionary stays small.
// Practice: γ about the ridge. Cost of a score: q^2/2 multiply-adds and q kernel values for q members.
namespace dictionaries {
struct Kors {
  static constexpr const char* kName = "kors";
  std::optional<double> projection;  // μ; the ridge if not set
  double oversampling = 1;           // γ

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("projection", &Kors::projection, positive(),
          "kors: mu, how much the anchors may miss; the ridge if not set");
    visit("oversampling", &Kors::oversampling, positive(),
          "factor of the probability to become an anchor; bkb, bbkb: 2 if not set");
  }
};
}  // namespace dictionaries

struct KorsParameters {
  double projection = 1;    // μ > 0
  double oversampling = 1;  // γ > 0
  double accuracy = 0.5;    // ε, 0 < ε < 1
};

std::unique_ptr<Dictionary> kors(KernelPtr kernel, const KorsParameters& parameters);

// The oversampling of the theory, 12 ln(T/δ).
double zenati2022_oversampling(double horizon, double delta);

}  // namespace ridgerunner
