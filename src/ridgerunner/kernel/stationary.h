#pragma once

#include <vector>

#include "ridgerunner/kernel/kernel.h"

namespace ridgerunner {

// Kernels of the scaled distance r = |(x - y) / lengthscale|, times `variance` = k(s, s). One length-scale
// serves every dimension; one per dimension (automatic relevance determination) fixes the dimension.
// At r = 0 each is `variance`; at r = 1, variance 1:
KernelPtr gaussian(std::vector<double> lengthscale, double variance = 1);  // exp(-r^2/2)             0.606531
KernelPtr matern12(std::vector<double> lengthscale, double variance = 1);  // exp(-r)                 0.367879
KernelPtr matern32(std::vector<double> lengthscale, double variance = 1);  // (1+u) exp(-u), u=√3 r   0.483358
KernelPtr matern52(std::vector<double> lengthscale,
                   double variance = 1);  // (1+u+u²/3) exp(-u), u=√5 r  0.523994

// (1 + r^2 / (2 shape))^-shape: a mixture of Gaussians over length-scales; shape -> infinity is the Gaussian.
KernelPtr rational_quadratic(std::vector<double> lengthscale, double shape = 1, double variance = 1);

inline KernelPtr gaussian(double lengthscale, double variance = 1) {
  return gaussian(std::vector<double>{lengthscale}, variance);
}
inline KernelPtr matern12(double lengthscale, double variance = 1) {
  return matern12(std::vector<double>{lengthscale}, variance);
}
inline KernelPtr matern32(double lengthscale, double variance = 1) {
  return matern32(std::vector<double>{lengthscale}, variance);
}
inline KernelPtr matern52(double lengthscale, double variance = 1) {
  return matern52(std::vector<double>{lengthscale}, variance);
}
inline KernelPtr rational_quadratic(double lengthscale, double shape = 1, double variance = 1) {
  return rational_quadratic(std::vector<double>{lengthscale}, shape, variance);
}

}  // namespace ridgerunner
