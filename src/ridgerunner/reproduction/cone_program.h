#pragma once

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// The largest value at the last state that a function f of the kernel's space can have if
//   Σ_{i<t} (f(s_i) - y_i)^2 <= radius^2   and   |f| <= norm_bound:
// program (10) of flynn2024 (Flynn & Reeb 2024), whose figure 3 hands it to a cone solver. Here it is solved
// as it stands, by Newton steps along a logarithmic barrier, O(t^3) each, from inside the set, so the result
// is attained and at most `accuracy` below the maximum. Slow, and independent of how bounds are computed.
// between: the kernel matrix of the t + 1 states; rewards: t. Throws NumericalError if no function is found
// that has both to spare.
double cone_program_maximum(const Matrix& between, const Vector& rewards, double radius, double norm_bound,
                            double accuracy);

}  // namespace ridgerunner
