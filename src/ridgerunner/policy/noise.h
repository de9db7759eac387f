#pragma once

#include <optional>

#include "ridgerunner/bounds/durand2018_streaming.h"
#include "ridgerunner/policy/spec.h"

namespace ridgerunner {

// What a policy with an unknown noise has learnt of it: the running bounds of Corollary 1 of Durand et al.
// 2018. lower never falls, upper never rises, lower <= upper.
struct NoiseBounds {
  double lower = 0.01;         // σ_-
  double upper = 1;            // σ_+
  double log_determinant = 0;  // ln det(I + K/l_-) of all data, l_- = (lower/norm_bound)^2
  bool crossed = false;        // a lower bound exceeded the upper one: the assumptions are wrong

  bool operator==(const NoiseBounds&) const = default;
};

bounds::EmpiricalBernstein streaming_inputs(const BoundSpec& bound);

// Before any data; nothing for bounds that know the noise.
std::optional<NoiseBounds> initial_noise(const BoundSpec& bound);

// After one more observation, of which the regression knows already, at the ridge it was chosen with.
NoiseBounds learn_noise(const NoiseBounds& before, const BoundSpec& bound, const Regression& regression);

// The ridge that the next choice is made with: (upper/norm_bound)^2.
double next_ridge(const NoiseBounds& noise, const BoundSpec& bound);

// The band that rests on it.
BoundPtr noise_bound(const NoiseBounds& noise, const BoundSpec& bound);

}  // namespace ridgerunner
