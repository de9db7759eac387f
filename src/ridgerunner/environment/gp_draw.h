#pragma once

#include "ridgerunner/environment/environment_spec.h"

namespace ridgerunner {

// A Gaussian process's sample path on the line, as in figure 1 of calandriello2019 (Calandriello et al. 2019,
// BKB): f ~ N(0, K) at the arms, a regular grid of [0,1]. The figure's Gaussian kernel has "bandwidth 100",
// read as exp(-100 (x - y)^2 / 2), a length-scale of 0.1; any kernel of one-dimensional points will do.
//
// f = L z with K = L L' up to 1e-12 of the largest variance and z ~ N(0, I), from part 0 of the problem's
// streams. The path's norm is not given: it grows with the number of arms.
EnvironmentPtr gp_draw(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
