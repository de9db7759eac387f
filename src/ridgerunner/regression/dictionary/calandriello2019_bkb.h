#pragma once

#include "ridgerunner/codec/range.h"
#include "ridgerunner/regression/dictionary/dictionary.h"

namespace ridgerunner {

// The dictionary of BKB (algorithm 1 of Calandriello et al. 2019): after each round all anchors are drawn
// anew. A state seen n times comes in, once, with probability min(n qbar sd^2(s), 1), where sd is that of the
// model before the round: n sd^2 is the leverage of sqrt(n) φ(s), as if its repeats were drawn one by one.
// The first state always stays, so that the dictionary is never empty.
//
// Guarantee (theorem 1), with qbar = 6 α ln(4T/δ)/ε^2 and α = (1 + ε)/(1 - ε): with probability 1 - δ, for
// all rounds and states, sd_exact^2/α <= sd^2 <= α sd_exact^2, and the anchors number at most 3 (1 + κ^2/λ) α
// qbar d_eff. Smaller qbar lose directions: 1 costs much regret, 2 is the least to recommend.
namespace dictionaries {
struct Bkb {
  static constexpr const char* kName = "bkb";
  double oversampling = 2;  // qbar

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("oversampling", &Bkb::oversampling, positive(), "qbar: factor of the probability to stay");
  }
};
}  // namespace dictionaries

std::unique_ptr<Dictionary> bkb_dictionary(double oversampling);

double calandriello2019_alpha(double accuracy);  // (1 + ε)/(1 - ε)
double calandriello2019_oversampling(double accuracy, double horizon, double delta);

// BBKB (Calandriello et al. 2020; in contextual form in Zenati et al. 2022): the draw waits until
// 1 + Σ sd^2(s_i) over the rounds since the last one, with the sds of that one, exceeds `threshold`. Until
// then no variance has shrunk by more than that factor. With fixed arms rewards wait as well: the choices in
// between are a batch.
namespace dictionaries {
struct Bbkb : Bkb {
  static constexpr const char* kName = "bbkb";
  double batch_threshold = 10;  // C

  template <class Visit>
  static void fields(Visit&& visit) {
    Bkb::fields(visit);
    visit("batch_threshold", &Bbkb::batch_threshold, at_least(1),
          "bbkb: anchors are drawn anew when 1 + the variances chosen since exceed it");
  }
};
}  // namespace dictionaries

std::unique_ptr<Dictionary> bbkb_dictionary(double oversampling, double threshold);

}  // namespace ridgerunner
