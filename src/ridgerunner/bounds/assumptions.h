#pragma once

#include "ridgerunner/codec/range.h"

namespace ridgerunner::bounds {

// What most theorems assume, and how surely they are to hold.
struct Assumptions {
  double delta = 0.01;       // probability that the band may miss
  double norm_bound = 10;    // B: |f*| <= B in the kernel's space
  double noise_bound = 0.1;  // R: the noise is conditionally R-sub-Gaussian
  bool operator==(const Assumptions&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("delta", &Assumptions::delta, between(0, 1),
          "probability that the band may miss, over all rounds together");
    visit("norm_bound", &Assumptions::norm_bound, at_least(0),
          "B: at least the norm of the reward function in the kernel's space");
    visit("noise_bound", &Assumptions::noise_bound, at_least(0),
          "R: the noise is R-sub-Gaussian (its sd, if Gaussian)");
  }
};

}  // namespace ridgerunner::bounds
