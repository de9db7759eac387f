// How well the anchors of a projected model stand for its data.
#include <algorithm>
#include <cmath>

#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {
namespace {

// By power iteration: from below. It starts at random: any fixed direction is orthogonal to some data's
// largest.
double largest_eigenvalue(const Matrix& positive) {
  Stream random(0, Purpose::dictionary);
  Vector x = positive.diagonal().cwiseAbs().cwiseSqrt();
  for (double& entry : x) entry *= random.normal();
  double value = 0;
  for (int step = 0; step < 100 && x.norm() > 0; ++step) {
    x = positive * x.normalized();
    value = x.norm();
  }
  return value;
}

}  // namespace

// The projection error is that of at most a few hundred points, drawn evenly in what the anchors miss of each
// and weighted by the inverse: then the sum of what is missed of them stands for that of all.
Diagnostics ProjectedRegression::diagnostics() const {
  constexpr Index kMost = 512;
  // No more directions than data.
  Diagnostics out{std::min(evidence().variance_sum, static_cast<double>(model_.choices)), std::nullopt};
  if (!keeps_history()) return out;
  const ProjectedPoints& points = model_.points;
  const Vector missed = points.count.view().cwiseProduct(points.residual.view());
  const double all = missed.sum();
  const bool every = (missed.array() > 0).count() <= kMost;
  std::vector<Index> drawn;
  std::vector<double> weights;
  double passed = 0;  // the share of those before, in draws
  for (Index i = 0; i < points.size(); ++i) {
    if (!(missed[i] > 0)) continue;
    const double share = static_cast<double>(kMost) * missed[i] / all;
    const double times = every ? 1 : std::floor(passed + share + 0.5) - std::floor(passed + 0.5);
    passed += share;
    if (times == 0) continue;
    drawn.push_back(i);
    weights.push_back(points.count[i] * (every ? 1 : times / share));
  }
  out.projection_error = 0;
  if (drawn.empty()) return out;
  const Vector scale = Eigen::Map<const Vector>(weights.data(), std::ssize(weights)).cwiseSqrt();
  Matrix z(model_.basis.size(), std::ssize(drawn));
  for (Index i = 0; i < z.cols(); ++i) {  // of an anchor nothing is missed, so all are carried
    const auto found =
        std::lower_bound(points.carried.begin(), points.carried.end(), drawn[static_cast<std::size_t>(i)]);
    points.features.gather(found - points.carried.begin(), z.col(i));
  }
  Matrix residual = gram(*kernel_, points_at(drawn), points_at(drawn));
  residual.noalias() -= z.transpose() * z;
  residual = scale.asDiagonal() * residual * scale.asDiagonal();
  out.projection_error = largest_eigenvalue(residual);
  return out;
}

}  // namespace ridgerunner
