// Dictionaries that are drawn anew, and choices in batches.
#include <algorithm>
#include <cmath>

#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {

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
