#include "ridgerunner/regression/factored_model.h"

#include <cmath>

namespace ridgerunner {

std::size_t FactoredModel::nearest(double ridge) const {
  const auto distance = [&](const RidgeFactor& at) { return std::abs(std::log(at.ridge / ridge)); };
  std::size_t best = 0;
  for (std::size_t j = 1; j < ridges.size(); ++j)
    if (distance(ridges[j]) < distance(ridges[best])) best = j;
  return best;
}

ExactView FactoredModel::view(std::size_t ridge, Vector& weights) const {
  const RidgeFactor& at = ridges[ridge];
  weights = at.forward;
  at.factor.solve_transposed(weights);
  return {kernel, states, at.noise, at.factor, weights, at.largest_diagonal, at.ridge};
}

}  // namespace ridgerunner
