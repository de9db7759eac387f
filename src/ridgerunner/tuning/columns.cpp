#include "ridgerunner/tuning/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ridgerunner {
namespace {

constexpr std::size_t kManyColumns = 8;

struct Spread {
  double variance = 0, range = 0;
};

Spread spread_of(const MatrixIn& states, Index column) {
  const auto values = states.row(column);
  const double mean = values.mean();
  return {(values.array() - mean).square().mean(), values.maxCoeff() - values.minCoeff()};
}

Index one_hot_columns(const MatrixIn& states) {
  const Index d = states.rows();
  Vector ones = Vector::Zero(states.cols());
  Index longest = 0;
  for (Index width = 1; width <= d; ++width) {
    const auto row = states.row(d - width);
    if (!((row.array() == 0) || (row.array() == 1)).all()) break;
    ones += row.transpose();
    if ((ones.array() > 1).any()) break;
    if (width >= 2 && (ones.array() == 1).all()) longest = width;
  }
  return longest;
}

// At least half of many columns have a range of at least half of the largest. Among few it is an accident.
bool same_unit(const std::vector<Spread>& moved) {
  double largest = 0;
  for (const Spread& spread : moved) largest = std::max(largest, spread.range);
  const auto wide = std::count_if(moved.begin(), moved.end(),
                                  [&](const Spread& spread) { return spread.range >= largest / 2; });
  return moved.size() >= kManyColumns && 2 * wide >= std::ssize(moved);
}

}  // namespace

Columns look_at_columns(const MatrixIn& states, const ColumnHints& hints) {
  const Index d = states.rows();
  Columns out;
  out.arm_columns = hints.arm_columns > 0 ? hints.arm_columns
                    : hints.group.empty() ? one_hot_columns(states)
                                          : 0;
  out.group.assign(static_cast<std::size_t>(d), -1);
  out.scale.assign(static_cast<std::size_t>(d), 1);
  std::map<int, Spread> spreads;  // by the hints' group
  const auto hinted = [&](Index j) {
    return hints.group.empty() ? static_cast<int>(j) : hints.group[static_cast<std::size_t>(j)];
  };
  std::vector<Spread> moved;
  for (Index j = 0; j < d - out.arm_columns; ++j) {
    const Spread one = spread_of(states, j);
    Spread& all = spreads[hinted(j)];
    all.variance += one.variance;
    all.range = std::hypot(all.range, one.range);
    if (one.range > 0) moved.push_back(one);
  }
  std::map<int, int> numbers;
  for (Index j = 0; j < d - out.arm_columns; ++j) {
    const Spread& spread = spreads[hinted(j)];
    const auto at = static_cast<std::size_t>(j);
    const double scale = std::max(std::sqrt(spread.variance), spread.range / 8);
    if (!(spread.range > 0) || !(scale > 0) || !std::isfinite(scale)) {
      out.never_moved.push_back(j);
      continue;
    }
    out.group[at] = numbers.try_emplace(hinted(j), static_cast<int>(numbers.size())).first->second;
    out.scale[at] = scale;
  }
  out.groups = static_cast<int>(numbers.size());
  if (hints.group.empty() && same_unit(moved)) {
    double total = 0;
    for (const Spread& spread : moved) total += spread.variance;
    const double scale = std::sqrt(total / static_cast<double>(moved.size()));
    if (std::isfinite(scale) && scale > 0) out.common_scale = scale;
  }
  return out;
}

double typical_distance(const MatrixIn& points, const MatrixIn& arms) {
  std::vector<double> nearest;
  for (Index i = 0; i < points.cols(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < points.cols(); ++j) {
      if (j == i || arms.col(i) != arms.col(j)) continue;
      const double squared = (points.col(i) - points.col(j)).squaredNorm();
      if (squared > 0) least = std::min(least, squared);
    }
    if (std::isfinite(least)) nearest.push_back(std::sqrt(least));
  }
  if (nearest.empty()) return 0;
  const auto middle = nearest.begin() + std::ssize(nearest) / 2;
  std::nth_element(nearest.begin(), middle, nearest.end());
  return *middle;
}

}  // namespace ridgerunner
