#pragma once

#include <vector>

namespace ridgerunner {

// The e of y ~ x^e: the least-squares slope of ln y over ln x, over the points with x >= max x / span, where
// the leading term rules. NaN unless at least two such points have different x, x > 0 and y > 0.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y, double span = 4);

}  // namespace ridgerunner
