// A dictionary that grows: new anchors, states that become none, and what rounding leaves of either.
#include <algorithm>
#include <cmath>

#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {
namespace {

constexpr double kRounding = 1e-15;  // of k(s, s): of kernel values and their sums
constexpr double kUnit = 5e-16;      // of k(s, s): of a kernel value

}  // namespace

// A state that is no anchor. The first one ends the time when all were, and with it the use of the weakest.
void ProjectedRegression::turn_away(Arrival& arrival) {
  if (!keeps_history() || (arrival.point && model_.points.count[*arrival.point] > 0)) return;
  const bool full = model_.outsiders == 0;
  bool weak = false;
  for (Index i = 0; full && i < model_.basis.size(); ++i) {
    const double pivot = model_.basis(i, i);
    weak = weak || !(pivot * pivot > kDependent * model_.basis.row(i).squaredNorm());
  }
  if (!weak) {
    ++model_.outsiders;
    return;
  }
  Memory before = model_;
  try {
    ++model_.outsiders;
    rebuild(Matrix(model_.anchors.view()));
    arrival = arrive(arrival.state);  // the order of anchors may be another
  } catch (...) {
    model_ = std::move(before);
    throw;
  }
}

double ProjectedRegression::dependent() const {
  const bool full =
      keeps_history() && !dictionary_->resampling() && !options_.anchors && model_.outsiders == 0;
  return full ? kDependentIfFull : kDependent;
}

// The least residual of a new anchor, of its prior. Where anchors cannot be put in a better order, it must
// also be more than rounding makes of a residual on the weakest of them: an anchor made of rounding alone
// spoils all features, the next such anchor more, and so on.
double ProjectedRegression::least_residual() const {
  if (keeps_history()) return dependent();
  double weakest = 1;
  for (Index i = 0; i < model_.basis.size(); ++i) {
    const double pivot = model_.basis(i, i);
    weakest = std::min(weakest, pivot * pivot / model_.basis.row(i).squaredNorm());
  }
  return std::max(dependent(), kUnit / weakest);
}

// The arrival becomes an anchor, unless it depends on the others; its features follow.
void ProjectedRegression::add_anchor(Arrival& arrival) {
  if (!(arrival.residual > least_residual() * arrival.prior)) return;
  if (arrival.residual > kNearlyDependent * arrival.prior || !keeps_history()) {
    append_anchor(arrival);
    return;
  }
  Matrix candidates(arrival.state.size(), model_.anchors.size() + 1);
  candidates << model_.anchors.view(), arrival.state;
  Memory before = model_;
  try {
    rebuild(candidates);
    arrival = arrive(arrival.state);  // may throw as well
  } catch (...) {
    model_ = std::move(before);
    throw;
  }
}

// A new coordinate for everybody. Of an independent state a with features z, what it adds to V is the row
// [v^T, c], v = Σ n ζ z and c = Σ n ζ^2 over the history with ζ its new coordinates. Anchors have ζ = 0.
void ProjectedRegression::append_anchor(Arrival& arrival) {
  ProjectedPoints& points = model_.points;
  const Index m = model_.basis.size();
  const double pivot = std::sqrt(arrival.prior - arrival.z.squaredNorm());
  FeatureTiles::NewCoordinate fresh{Vector(), Vector(), Vector::Zero(m)};
  if (!points.carried.empty()) {
    Vector k(std::ssize(points.carried));
    kernel_->gram(points.carried_states(), arrival.state, k);
    fresh = points.features.new_coordinate(k, arrival.z, pivot, points.of_carried(points.count));
    check_residuals(fresh.entries);
  }
  const Vector& coordinate = fresh.entries;
  double corner = 0, moment = 0;
  if (keeps_history()) {
    corner = fresh.weighted.dot(coordinate);
    moment = points.of_carried(points.reward).dot(coordinate);
  } else {
    fresh.sums.setZero();
  }
  const double unexplained = moment - fresh.sums.dot(model_.weights);
  const bool alone = fresh.sums.isZero(0);
  Vector half = fresh.sums;
  if (!alone) model_.precision.solve(half);
  const double schur = ridge_ + corner - half.squaredNorm();
  const Vector solution = solve_for_anchor(half, alone, pivot, schur, arrival);
  model_.basis.append_solved(arrival.z, arrival.prior);
  try {
    model_.precision.append_solved(half, ridge_ + corner);
  } catch (...) {
    model_.basis.truncate(m);
    throw;
  }
  if (options_.moving_ridge) {
    model_.information.conservativeResize(m + 1, m + 1);
    model_.information.col(m).setZero();
    model_.information.row(m) << fresh.sums.transpose(), corner;
  }
  model_.trace_inverse += (1 + solution.squaredNorm()) / schur;
  if (tracks()) points.spread.view() += (coordinate - points.features.products(solution)).cwiseAbs2() / schur;
  points.add_coordinate(coordinate);
  if (m == 0) model_.anchors = GrowingColumns(arrival.state.size());
  model_.anchors.append(arrival.state);
  model_.moment.append(moment);
  if (keeps_history()) model_.residual_sum = points.count.view().dot(points.residual.view());
  model_.weights -= unexplained / schur * solution;
  model_.weights.conservativeResize(m + 1);
  model_.weights[m] = unexplained / schur;
  if (arms_ > 0 && !batches()) points.mean.view() = points.features.products(model_.weights);
  arrival.z = model_.basis.row(m).transpose();
  arrival.residual = 0;
  arrival.is_anchor = true;
}

// V^-1 v of the row that a new anchor adds to V, from half = L_V^-1 v; alone: v = 0. If L_V^-1 z of the
// anchor is known, V^-1 z is found in the same pass over L_V: with [half^T, sqrt(schur)] the factor's new row
// and z's new coordinate `pivot`,
//   L_V^-1 z <- [x, e], e = (pivot - half . x)/sqrt(schur),   V^-1 z <- [L_V^-T (x - half e/sqrt(schur)),
//   e/sqrt(schur)].
Vector ProjectedRegression::solve_for_anchor(const Vector& half, bool alone, double pivot, double schur,
                                             Arrival& arrival) const {
  const Index m = half.size();
  if (arrival.half.size() != m || m == 0 || !(schur > 0)) {
    arrival.half.resize(0);
    Vector solution = half;
    if (!alone) model_.precision.solve_transposed(solution);
    return solution;
  }
  const double root = std::sqrt(schur), last = (pivot - half.dot(arrival.half)) / root;
  Matrix columns(m, alone ? 1 : 2);
  columns.col(0) = arrival.half - last / root * half;
  if (!alone) columns.col(1) = half;
  model_.precision.solve_transposed(columns);
  arrival.half.conservativeResize(m + 1);
  arrival.half[m] = last;
  arrival.whole.resize(m + 1);
  arrival.whole << columns.col(0), last / root;
  return alone ? Vector::Zero(m) : Vector(columns.col(1));
}

// Whether with another coordinate features explain no more of the points than there is.
void ProjectedRegression::check_residuals(const Vector& coordinate) const {
  const ProjectedPoints& points = model_.points;
  Index clamped = 0;
  for (Index c = 0; c < coordinate.size(); ++c) {
    const Index i = points.carried[static_cast<std::size_t>(c)];
    const double explained = points.prior[i] - points.residual[i] + coordinate[c] * coordinate[c];
    projected_residual(points.prior[i], explained, residual_rounding(), clamped);
  }
}

// How much rounding can make of a residual, as a part of the prior, on anchors that may leave as little as
// dependent() of each other.
double ProjectedRegression::residual_rounding() const {
  return kRounding / dependent();
}

}  // namespace ridgerunner
