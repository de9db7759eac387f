#pragma once

#include "ridgerunner/environment/environment_spec.h"

namespace ridgerunner {

// f(s) = sum_i weights_i k(s, points_i), whose norm in the space of k is sqrt(w' K w), K = k(points, points).
struct RkhsFunction {
  KernelPtr kernel;
  Matrix points;   // d x m
  Vector weights;  // m

  // out(j) = f(x_j); x: d x n, out: n. Allocates nothing, unless the kernel does.
  void evaluate(const MatrixIn& x, VectorOut out) const;
  double norm() const;
};

// Points uniform in [0,1]^dimension, from part 0 of the problem's streams, weights N(0, 1), from part 1, then
// scaled to the norm asked for. Throws NumericalError if the sum of the draw vanishes and cannot be scaled.
RkhsFunction draw_rkhs_function(KernelPtr kernel, Index dimension, Index inducing, double norm,
                                std::uint64_t seed);

// The problem of flynn2024 (Flynn & Reeb 2024, Tighter Confidence Bounds for Sequential Kernel Regression,
// section 7): such a function of 20 points and norm 10, and in every round 100 candidates uniform in
// [0,1]^dimension; the paper has dimensions 2 to 4 and Gaussian noise of sd 0.1.
// With `fixed_arms` the candidates are drawn once, from part 2.
EnvironmentPtr rkhs_sample(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
