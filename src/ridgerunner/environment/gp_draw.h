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

// L, n x rank, rows in the order of `gram`, of the Cholesky factorisation that eliminates the largest
// remaining variance first and stops when none exceeds tolerance * max diagonal. A singular matrix needs no
// jitter: what is left out has no variance. Points that symmetry makes equal are told apart by their index,
// never by rounding: the pivot is the first variance within 1e-6 (relative) of the largest. Cost: n rank^2.
Matrix pivoted_cholesky(const MatrixIn& gram, double tolerance);

}  // namespace ridgerunner
