#pragma once

#include "ridgerunner/environment/environment_spec.h"

namespace ridgerunner {

// The Bump of zenati2022 (Zenati et al. 2022, EK-UCB, section 5): contexts in [0,1]^5,
//
//   reward(x, a) = max(0, 1 - |a - best_action| - <slope, x - origin>).
//
// At (origin, best_action) it is 1; it exceeds 1 where the slope says so.
struct Bump {
  static constexpr Index context_dim = 5;

  double best_action;  // a*
  Vector origin;       // x*, 5
  Vector slope;        // w*, 5

  double reward(const VectorIn& context, double action) const;
};

// fresh: a* uniform among the anchors, x* uniform in [0,1]^5, w* uniform in [-1,1]^5, from part 1 of the
// problem's streams; paper: the authors' one draw, a* = 0.81.
Bump draw_bump(Draw draw, const VectorIn& anchors, std::uint64_t seed);

// `spec` is one that make_environment has accepted; so in the other problems' headers.
EnvironmentPtr bump(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
