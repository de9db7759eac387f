#pragma once

#include "ridgerunner/environment/environment_spec.h"

namespace ridgerunner {

// The Chessboard of zenati2022 (Zenati et al. 2022, EK-UCB, appendix F.2.2): context and action in [0,1],
// each cut into quarters [0,1/4), [1/4,1/2), [1/2,3/4), [3/4,1]. The reward of a square, contexts to the
// right, actions upwards:
//
//   a in [3/4,1]     0    0   0.5   0
//   [1/2,3/4)        0    1    0    1
//   [1/4,1/2)       0.5   0   0.5   0
//   [0,1/4)          0    1    0    0
double chessboard_reward(double context, double action);

EnvironmentPtr chessboard(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
