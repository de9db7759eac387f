#pragma once

#include "ridgerunner/environment/environment_spec.h"

namespace ridgerunner {

// Features of the Gaussian kernel on the line, from the Taylor series of exp(x y / rho^2), i = 1, 2, ...:
//
//   phi_i(x) = exp(-x^2 / (2 rho^2)) (x / rho)^(i-1) / sqrt((i-1)!),
//   sum_i phi_i(x) phi_i(y) = exp(-(x - y)^2 / (2 rho^2)).
//
// They are an orthonormal basis of the kernel's space, so |sum_i theta_i phi_i| = |theta|. The terms of the
// sum die out beyond i = x y / rho^2: 60 leave less than 1e-20 of it on [0,1] with rho = 0.3. Returns
// features x n for x = 1 x n, x >= 0.
Matrix taylor_features(const MatrixIn& x, double rho, Index features);

// The problem of durand2018 (Durand et al. 2018, Streaming kernel regression, section 6): theta' phi(x) on
// 100 arms, here a regular grid of [0,1], with rho = 0.3, |theta| = 2.06 and noise of sd 0.1. The authors do
// not give their theta; ours has N(0, 1) entries, from part 0 of the problem's streams, scaled to `norm`. A
// kernel of variance v has features sqrt(v) phi_i.
EnvironmentPtr taylor_function(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
