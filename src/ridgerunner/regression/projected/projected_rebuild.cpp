// A projected model from scratch: other anchors for the same data.
#include <algorithm>
#include <cmath>

#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/linalg/pivoted_cholesky.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {
namespace {

constexpr Index kChunk = 256;  // points projected at once

// sum += Σ n z z^T (lower triangle) over the columns with n > 0.
void add_weighted(const MatrixIn& z, const VectorIn& count, Matrix& sum) {
  Matrix scaled(z.rows(), z.cols());
  Index used = 0;
  for (Index i = 0; i < z.cols(); ++i) {
    if (count[i] > 0) scaled.col(used++) = std::sqrt(count[i]) * z.col(i);
  }
  if (used > 0) sum.selfadjointView<Eigen::Lower>().rankUpdate(scaled.leftCols(used));
}

}  // namespace

// V = λI + sum (lower triangle), factored in blocks.
GrowingCholesky ProjectedRegression::factor_precision(Matrix sum, double ridge) {
  constexpr Index kBlock = 128;
  sum.diagonal().array() += ridge;
  GrowingCholesky factor;
  for (Index i = 0; i < sum.cols(); i += kBlock) {
    const Index p = std::min(kBlock, sum.cols() - i);
    Matrix cross = sum.block(i, 0, p, i).transpose(), corner = sum.block(i, i, p, p);
    factor.append(cross, corner);
  }
  return factor;
}

// The states that add a direction to the others, and the factor of their kernel matrix. In the order given;
// but if some add very little, largest residual first: then the factor is as well conditioned as it can be.
std::pair<GrowingColumns, GrowingCholesky> ProjectedRegression::span_of(const Matrix& states) const {
  const Matrix between = gram(*kernel_, states, states);
  std::pair<GrowingColumns, GrowingCholesky> found{GrowingColumns(states.rows()), {}};
  const auto keep = [&](Index state, const VectorIn& row) {
    found.first.append(states.col(state));
    found.second.append_row(row);
  };
  Vector row;
  for (Index j = 0; j < states.cols(); ++j) {
    row = between.col(j).head(j + 1);
    found.second.solve(row.head(j));
    const double left = row[j] - row.head(j).squaredNorm();
    if (!(left > kNearlyDependent * row[j])) break;
    row[j] = std::sqrt(left);
    keep(j, row);
  }
  if (found.second.size() == states.cols()) return found;
  found = {GrowingColumns(states.rows()), {}};
  // A residual counts by its own prior; a state without one is never chosen.
  const Vector scale = between.diagonal().unaryExpr([](double k) { return k > 0 ? 1 / std::sqrt(k) : 0; });
  const PivotedCholesky pivoted =
      pivoted_cholesky(scale.asDiagonal() * between * scale.asDiagonal(), dependent());
  for (Index j = 0; j < std::ssize(pivoted.pivots); ++j) {
    const Index state = pivoted.pivots[static_cast<std::size_t>(j)];
    keep(state, pivoted.factor.row(state).head(j + 1).transpose() / scale[state]);
  }
  return found;
}

// The points whose features must be kept: with these anchors, the others; or all, if their variances are
// tracked.
std::vector<Index> ProjectedRegression::carried_without(const MatrixIn& anchors) const {
  const ProjectedPoints& points = model_.points;
  std::vector<bool> left_out(static_cast<std::size_t>(points.size()));
  for (Index j = 0; !tracks() && j < anchors.cols(); ++j) {
    if (const auto point = points.index.find(anchors.col(j), points.states.view()))
      left_out[static_cast<std::size_t>(*point)] = true;
  }
  std::vector<Index> carried;
  for (Index i = 0; i < points.size(); ++i)
    if (!left_out[static_cast<std::size_t>(i)]) carried.push_back(i);
  return carried;
}

void ProjectedRegression::start_full(const MatrixIn& states, const VectorIn& rewards) {
  check_shape(states);
  require_rewards(states, rewards);
  const Vector prior = diagonal(*kernel_, states);
  for (Index i = 0; i < states.cols(); ++i) {
    check_prior(prior[i]);
    dictionary_->admitted({states.col(i), prior[i], 0, i}, 1);
    count(model_.points.append(states.col(i), prior[i], Vector(), prior[i]), rewards[i]);
  }
  model_.dimension = states.rows();
  model_.rounds = model_.choices = states.cols();
  model_.sum_of_squares = rewards.squaredNorm();
  model_.largest_prior = prior.maxCoeff();
  rebuild(states);
  prepare();
}

// The same data on other anchors, from scratch: O(P m^2).
void ProjectedRegression::rebuild(const Matrix& candidates) {
  ProjectedPoints& points = model_.points;
  auto [anchors, basis] = span_of(candidates);
  const Index m = basis.size();
  std::vector<Vector> features(static_cast<std::size_t>(m), Vector(points.size()));
  Vector explained(points.size()), moment = Vector::Zero(m);
  Matrix sum = Matrix::Zero(m, m);
  Scratch scratch;
  for (Index i = 0; i < points.size(); i += kChunk) {
    const Index n = std::min(kChunk, points.size() - i);
    auto z = scratch.get(m, n);
    kernel_->gram(anchors.view(), points.states.view().middleCols(i, n), z);
    basis.solve(z);
    column_squares(z, explained.segment(i, n));
    for (Index j = 0; j < m; ++j) features[static_cast<std::size_t>(j)].segment(i, n) = z.row(j).transpose();
    add_weighted(z, points.count.view().segment(i, n), sum);
    moment.noalias() += z * points.reward.view().segment(i, n);
  }
  Matrix information = options_.moving_ridge ? sum : Matrix();
  GrowingCholesky precision = factor_precision(std::move(sum), ridge_);
  Index clamped = 0;
  for (Index i = 0; i < points.size(); ++i)
    projected_residual(points.prior[i], explained[i], residual_rounding(), clamped);
  std::vector<Index> carried = carried_without(anchors.view());
  FeatureTiles kept(std::ssize(carried));
  for (const Vector& feature : features) kept.append_coordinate(feature(carried));
  // Nothing below fails.
  ready_.screen.reset();  // features have changed
  model_.anchors = std::move(anchors);
  model_.basis = std::move(basis);
  model_.precision = std::move(precision);
  model_.information = std::move(information);
  model_.moment.resize(m);
  model_.moment.view() = moment;
  points.features = std::move(kept);
  points.residual.view().setZero();  // of anchors
  for (const Index i : carried) points.residual[i] = std::max(points.prior[i] - explained[i], 0.0);
  points.carried = std::move(carried);
  model_.residual_sum = points.count.view().dot(points.residual.view());
  solve_weights(model_);
  compute_tracked(model_);
  if (arms_ > 0) points.mean.view() = points.features.products(model_.weights);
}

// Σ weight z z^T over the points: the lower triangle.
Matrix ProjectedRegression::weighted_squares(const VectorIn& weights) const {
  const ProjectedPoints& points = model_.points;
  Matrix sum = Matrix::Zero(model_.basis.size(), model_.basis.size());
  Scratch scratch;
  for (Index i = 0; i < points.size(); i += kChunk) {
    auto z = scratch.get(sum.rows(), std::min(kChunk, points.size() - i));
    points.features.gather(i, z);
    add_weighted(z, weights.segment(i, z.cols()), sum);
  }
  return sum;
}

}  // namespace ridgerunner
