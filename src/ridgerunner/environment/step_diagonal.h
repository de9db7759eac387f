#pragma once

#include "ridgerunner/environment/environment_spec.h"

namespace ridgerunner {

// The Step Diagonal of zenati2022 (Zenati et al. 2022, EK-UCB, appendix F.2.2): context and action in [0,1],
//
//   reward(x, a) = 1    if |x - (a + 0.15)| < 0.1,
//                  0.5  if |x - (a - 0.15)| < 0.1,
//                  0    otherwise, as on the diagonal itself.
double step_diagonal_reward(double context, double action);

EnvironmentPtr step_diagonal(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
