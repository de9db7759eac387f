#pragma once

#include "ridgerunner/kernel/kernel.h"

namespace ridgerunner {

// variance * (x.y + offset): Bayesian linear regression, i.e. a linear bandit.
KernelPtr linear(double variance = 1, double offset = 0);

// variance * (x.y + offset)^degree, degree >= 1, offset >= 0.
KernelPtr polynomial(int degree = 2, double variance = 1, double offset = 1);

}  // namespace ridgerunner
