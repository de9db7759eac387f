#include "ridgerunner/reproduction/exponent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgerunner/error.h"

namespace ridgerunner {

double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y, double span) {
  if (x.size() != y.size()) throw InvalidArgument("x and y must have the same length");
  const double from = x.empty() ? 0 : *std::max_element(x.begin(), x.end()) / span;
  double n = 0, sum_x = 0, sum_y = 0;
  const auto counts = [&](std::size_t i) { return x[i] >= from && x[i] > 0 && y[i] > 0; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!counts(i)) continue;
    ++n, sum_x += std::log(x[i]), sum_y += std::log(y[i]);
  }
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!counts(i)) continue;
    const double dx = std::log(x[i]) - sum_x / n, dy = std::log(y[i]) - sum_y / n;
    products += dx * dy, squares += dx * dx;
  }
  return squares > 1e-12 ? products / squares : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ridgerunner
