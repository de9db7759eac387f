#include "ridgerunner/regression/neighbours.h"

#include <array>
#include <cmath>
#include <limits>

namespace ridgerunner {
namespace {

using Neighbours = std::array<Index, kNeighbours>;

// The largest kernel values, falling. Whole lines are skipped while nothing in them is larger than the least.
Neighbours nearest(const VectorIn& k, std::array<double, kNeighbours>& value) {
  constexpr Index kLine = 64;
  Neighbours found{};
  value.fill(-std::numeric_limits<double>::infinity());
  const auto insert = [&](Index u) {
    Index at = kNeighbours - 1;
    for (; at > 0 && value[at - 1] < k[u]; --at) {
      value[at] = value[at - 1];
      found[at] = found[at - 1];
    }
    value[at] = k[u];
    found[at] = u;
  };
  const Index whole = k.size() / kLine * kLine;
  for (Index line = 0; line < whole; line += kLine) {
    if (k.segment<kLine>(line).maxCoeff() <= value.back()) continue;
    for (Index u = line; u < line + kLine; ++u) {
      if (k[u] > value.back()) insert(u);
    }
  }
  for (Index u = whole; u < k.size(); ++u) {
    if (k[u] > value.back()) insert(u);
  }
  return found;
}

}  // namespace

double explained_by_neighbours(const Kernel& kernel, const MatrixIn& points, const VectorIn& noise,
                               const VectorIn& k, Scratch& scratch) {
  std::array<double, kNeighbours> value;
  const Neighbours near = nearest(k, value);
  auto chosen = scratch.get(points.rows(), kNeighbours);
  for (Index j = 0; j < kNeighbours; ++j) chosen.col(j) = points.col(near[j]);
  Eigen::Matrix<double, kNeighbours, kNeighbours> l;
  kernel.gram(chosen, chosen, l);
  double sum = 0;
  std::array<double, kNeighbours> w;
  for (Index j = 0; j < kNeighbours; ++j) {
    double pivot = l(j, j) + noise[near[j]], rest = value[j];
    for (Index p = 0; p < j; ++p) {
      pivot -= l(j, p) * l(j, p);
      rest -= l(j, p) * w[p];
    }
    if (!(pivot > 0)) return sum;  // the points so far are a bound as well
    pivot = std::sqrt(pivot);
    w[j] = rest / pivot;
    sum += w[j] * w[j];
    for (Index i = j + 1; i < kNeighbours; ++i) {
      for (Index p = 0; p < j; ++p) l(i, j) -= l(i, p) * l(j, p);
      l(i, j) /= pivot;
    }
  }
  return sum;
}

}  // namespace ridgerunner
