// Dictionaries that are drawn anew, and choices in batches.
#include <algorithm>
#include <cmath>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/linalg/pivoted_cholesky.h"
#include "ridgerunner/random/stream.h"
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

double ProjectedRegression::frozen_variance(const Arrival& arrival) const {
  Vector solved = arrival.z;
  const Resampling& rule = *dictionary_->resampling();
  (rule.threshold > 1 ? model_.frozen : model_.precision).solve(solved);
  return arrival.residual / ridge_ + solved.squaredNorm();
}

bool ProjectedRegression::draw_is_due(double variances) const {
  const double threshold = dictionary_->resampling()->threshold;
  return threshold <= 1 || model_.drawn.empty() || 1 + variances > threshold;
}

// Each point that has been seen, with the probability its variance and its count give it; `always` in any
// case.
std::vector<Index> ProjectedRegression::draw(Index always) const {
  const ProjectedPoints& points = model_.points;
  const double oversampling = dictionary_->resampling()->oversampling;
  Stream random(options_.seed, Purpose::dictionary, static_cast<std::uint64_t>(model_.rounds));
  std::vector<Index> drawn;
  for (Index i = 0; i < points.size(); ++i) {
    if (points.count[i] == 0) continue;
    const double variance = points.residual[i] / ridge_ + points.spread[i];
    const bool in = random.uniform() < points.count[i] * oversampling * variance;
    if (in || i == always) drawn.push_back(i);
  }
  return drawn;
}

void ProjectedRegression::observe_resampled(Arrival arrival, double reward) {
  const double variances = model_.variances + frozen_variance(arrival);
  if (!draw_is_due(variances)) {
    add_to_precision(arrival, reward);
    count(point_of(arrival), reward);
    model_.variances = variances;
    return;
  }
  const bool known = arrival.point.has_value();
  arrival.point = point_of(arrival);
  try {
    observe_drawing(std::move(arrival), reward);
  } catch (...) {
    if (!known) model_.points.remove_last();
    throw;
  }
}

// The draw knows of this round, by the variances of the model before it.
void ProjectedRegression::observe_drawing(Arrival arrival, double reward) {
  const Index point = *arrival.point;
  const Index always = model_.first < 0 ? point : model_.first;
  model_.points.count[point] += 1;
  std::vector<Index> drawn = draw(always);
  model_.points.count[point] -= 1;
  const std::vector<Index> added = added_to_drawn(drawn);
  if (!std::includes(drawn.begin(), drawn.end(), model_.drawn.begin(), model_.drawn.end())) {
    rebuild(drawn, point, reward);
  } else if (added.empty() || (added.size() == 1 && added[0] == point)) {
    if (!added.empty()) add_anchor(arrival);
    add_to_precision(arrival, reward);
    count(point, reward);
  } else {
    Memory before = model_;
    try {
      extend(added);
      add_to_precision(arrive(arrival.state), reward);
      count(point, reward);
    } catch (...) {
      model_ = std::move(before);
      throw;
    }
  }
  model_.first = always;
  start_epoch(std::move(drawn));
}

void ProjectedRegression::count(Index point, double reward) {
  model_.points.count[point] += 1;
  model_.points.reward[point] += reward;
}

std::vector<Index> ProjectedRegression::added_to_drawn(const std::vector<Index>& drawn) const {
  std::vector<Index> added;
  std::set_difference(drawn.begin(), drawn.end(), model_.drawn.begin(), model_.drawn.end(),
                      std::back_inserter(added));
  return added;
}

void ProjectedRegression::start_epoch(std::vector<Index> drawn) {
  model_.drawn = std::move(drawn);
  model_.variances = 0;
  if (dictionary_->resampling()->threshold > 1) model_.frozen = model_.precision;
}

void ProjectedRegression::extend(const std::vector<Index>& added) {
  const ProjectedPoints& points = model_.points;
  for (const Index i : added) {
    Vector z(model_.basis.size());
    points.features.gather(i, z);
    const Vector state = points.states.col(i);
    Arrival anchor{state, points.prior[i], std::max(points.prior[i] - z.squaredNorm(), 0.0), z, i};
    add_anchor(anchor);
  }
}

Matrix ProjectedRegression::points_at(const std::vector<Index>& drawn) const {
  return model_.points.states.view()(Eigen::all, drawn);
}

void ProjectedRegression::rebuild(const std::vector<Index>& drawn, Index point, double reward) {
  const double before = model_.points.reward[point];
  count(point, reward);
  try {
    rebuild(points_at(drawn));
  } catch (...) {
    model_.points.count[point] -= 1;
    model_.points.reward[point] = before;
    throw;
  }
  ++model_.choices;
  model_.largest_prior = std::max(model_.largest_prior, model_.points.prior[point]);
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

// A choice in a batch: variances shrink, means wait.
void ProjectedRegression::chosen(const VectorIn& state, int) {
  if (!batches()) return;
  check_shape(state);
  model_.points.open[choose(arrive(state))] += 1;
  prepare();
}

void ProjectedRegression::rewarded(const VectorIn& state, int, double reward, Workspace&) {
  check_shape(state);
  require_rewards(state, Eigen::Map<const Vector>(&reward, 1));
  observe_one(state, reward, true);
}

void ProjectedRegression::withdrawn(const VectorIn& state, int) {
  if (!batches()) return;
  check_shape(state);
  const auto point = model_.points.index.find(state, model_.points.states.view());
  if (!point || model_.points.open[*point] == 0)
    throw InvalidArgument("no choice of this state waits for its reward");
  Memory before = model_;
  try {
    take_back(*point);
    const bool over = model_.points.open.view().sum() == 0 && !model_.drawn.empty();
    if (over && batch_ends(model_.variances, 0)) end_batch();
  } catch (...) {
    model_ = std::move(before);
    throw;
  }
  prepare();
}

// A choice of the point that has no reward yet is undone: V from the counts that are left.
void ProjectedRegression::take_back(Index point) {
  ProjectedPoints& points = model_.points;
  points.open[point] -= 1;
  points.count[point] -= 1;
  --model_.choices;
  if (points.count[model_.first] == 0) {  // another point is always drawn
    Index next = 0;
    while (next < points.size() && points.count[next] == 0) ++next;
    model_.first = next < points.size() ? next : -1;
  }
  model_.precision = factor_precision(weighted_squares(points.count.view()), ridge_);
  model_.residual_sum = points.count.view().dot(points.residual.view());
  compute_tracked(model_);
}

Index ProjectedRegression::choose(const Arrival& arrival) {
  model_.variances += frozen_variance(arrival);
  add_to_precision(arrival, std::nullopt);
  const Index point = point_of(arrival);
  count(point, 0);
  if (model_.first < 0) model_.first = point;
  return point;
}

void ProjectedRegression::observe_batched(const VectorIn& state, double reward, bool of_choice) {
  const Arrival arrival = arrive(state);
  Memory before;
  const bool open = of_choice && arrival.point && model_.points.open[*arrival.point] > 0;
  const bool ends = batch_ends(model_.variances + (open ? 0 : frozen_variance(arrival)),
                               model_.points.open.view().sum() - (open ? 1 : 0));
  if (ends) before = model_;
  const Index point = open ? *arrival.point : choose(arrival);
  if (open) model_.points.open[point] -= 1;
  model_.points.reward[point] += reward;
  if (!ends) return;
  try {
    end_batch();
  } catch (...) {
    model_ = std::move(before);
    throw;
  }
}

void ProjectedRegression::end_batch() {
  std::vector<Index> drawn = draw(model_.first);
  if (std::includes(drawn.begin(), drawn.end(), model_.drawn.begin(), model_.drawn.end())) {
    extend(added_to_drawn(drawn));
  } else {
    rebuild(points_at(drawn));
  }
  fold_rewards();
  start_epoch(std::move(drawn));
}

// Once the threshold is passed, when every choice has its reward; some may never come, so not for ever.
bool ProjectedRegression::batch_ends(double variances, double open) const {
  const double threshold = dictionary_->resampling()->threshold;
  return model_.drawn.empty() || 1 + variances > (open > 0 ? 2 * threshold : threshold);
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

// Means from all rewards so far, and only the choices that have theirs.
void ProjectedRegression::fold_rewards() {
  ProjectedPoints& points = model_.points;
  model_.moment.view() = points.features.sums(points.reward.view());
  model_.open_variances = 0;
  if (points.open.view().sum() == 0) {
    solve_weights(model_);
  } else {
    const Index m = model_.basis.size();
    const GrowingCholesky known =
        factor_precision(weighted_squares(points.count.view() - points.open.view()), ridge_);
    model_.weights = model_.moment.view();
    known.solve(model_.weights);
    known.solve_transposed(model_.weights);
    for (Index i = 0; i < points.size(); ++i) {
      if (points.open[i] == 0) continue;
      Vector z(m);
      points.features.gather(i, z);
      known.solve(z);
      model_.open_variances += points.open[i] * (points.residual[i] / ridge_ + z.squaredNorm());
    }
  }
  points.mean.view() = points.features.products(model_.weights);
}

}  // namespace ridgerunner
