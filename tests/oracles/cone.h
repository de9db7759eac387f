#pragma once

#include "ridgerunner/kernel/kernel.h"

namespace ridgerunner::oracle {

// The largest f(s) over functions of the kernel's space with |f| <= norm_bound and
// Σ (f(s_i) - y_i)^2 <= radius_squared: the cone program (10) of Flynn & Reeb 2024, by an interior-point
// method on the program itself (a logarithmic barrier for each constraint, Newton steps). Dense; for small
// data. NaN if no strictly feasible function was found.
double cone_program(const Kernel& kernel, const MatrixIn& states, const VectorIn& rewards,
                    double radius_squared, double norm_bound, const VectorIn& at);

}  // namespace ridgerunner::oracle
