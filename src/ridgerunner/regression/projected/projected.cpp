#include "ridgerunner/regression/projected/projected.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {
namespace {

constexpr Index kChunk = 256;         // points projected at once
constexpr double kMostPrior = 1e290;  // sums of such are still numbers
constexpr Index kFreshAtLeast = 64;   // updates between two computations from scratch

}  // namespace

double projected_residual(double prior, double explained, double rounding, Index& clamped) {
  const double left = prior - explained;
  if (!std::isfinite(left) || prior < 0 || left < -rounding * prior) check_variance(prior, explained);
  if (left < -kDependent * prior) ++clamped;
  return std::max(left, 0.0);
}

double projected_sd(double residual, double spread, double ridge) {
  return std::sqrt(residual / ridge + spread);
}

ProjectedRegression::ProjectedRegression(KernelPtr kernel, double ridge,
                                         std::unique_ptr<Dictionary> dictionary,
                                         const ProjectedOptions& options)
    : kernel_(std::move(kernel)), ridge_(ridge), dictionary_(std::move(dictionary)), options_(options) {
  require_positive("ridge", ridge);
  if (!kernel_) throw InvalidArgument("kernel must be a kernel, got none");
  if (!dictionary_) throw InvalidArgument("dictionary must be a dictionary, got none");
  if (dictionary_->resampling() && options.arrival_features)
    throw InvalidArgument("arrival_features needs anchors that stay: bkb and bbkb draw them anew");
  if (dictionary_->resampling() && options.moving_ridge)
    throw InvalidArgument("a moving ridge needs anchors that stay: bkb and bbkb draw them by one ridge");
  if (options.arms) {
    require_arms(*options.arms);
    arms_ = options.arms->cols();
    model_.dimension = options.arms->rows();
    kernel_->check_dimension(model_.dimension);
    const Vector prior = diagonal(*kernel_, *options.arms);
    for (Index i = 0; i < arms_; ++i) {
      check_prior(prior[i]);
      model_.points.append(options.arms->col(i), prior[i], Vector(), prior[i]);
    }
  }
  if (!options.anchors) return;
  require_states(*options.anchors, options.arms ? model_.dimension : options.anchors->rows());
  kernel_->check_dimension(options.anchors->rows());
  model_.dimension = options.anchors->rows();
  for (Index i = 0; i < options.anchors->cols(); ++i) {
    Arrival anchor = arrive(options.anchors->col(i));
    add_anchor(anchor);
  }
  prepare();
}

ProjectedRegression::ProjectedRegression(const ProjectedRegression& other)
    : kernel_(other.kernel_),
      ridge_(other.ridge_),
      dictionary_(other.dictionary_->clone()),
      options_(other.options_),
      arms_(other.arms_),
      model_(other.model_),
      ready_(other.ready_) {}

std::unique_ptr<Regression> ProjectedRegression::clone() const {
  return std::make_unique<ProjectedRegression>(*this);
}

void ProjectedRegression::check_shape(const MatrixIn& states) const {
  require_states(states, model_.dimension > 0 ? model_.dimension : states.rows());
  if (model_.dimension == 0) kernel_->check_dimension(states.rows());
}

bool ProjectedRegression::are_arms(const MatrixIn& states) const {
  return arms_ > 0 && states.cols() == arms_ && states == *options_.arms;
}

void ProjectedRegression::check(const MatrixIn& states) const {
  check_shape(states);
  require_priors(diagonal(*kernel_, states));  // some kernels take only some points
}

void ProjectedRegression::check_prior(double prior) {
  require_priors(Vector::Constant(1, prior));
  if (!(prior <= kMostPrior))
    throw NumericalError(fmt::format("k(s, s) is {}, too large to compute with", prior));
  check_variance(prior, 0);
}

ProjectedRegression::Arrival ProjectedRegression::arrive(const VectorIn& state) const {
  Vector z(model_.basis.size());
  if (z.size() > 0) kernel_->gram(model_.anchors.view(), state, z);
  model_.basis.solve(z);
  return arrive(state, std::move(z));
}

// z: the state's features.
ProjectedRegression::Arrival ProjectedRegression::arrive(const VectorIn& state, Vector z) const {
  Arrival arrival{state, 0, 0, std::move(z), {}};
  kernel_->diagonal(state, Eigen::Map<Vector>(&arrival.prior, 1));
  check_prior(arrival.prior);
  Index clamped = 0;
  arrival.residual = projected_residual(arrival.prior, arrival.z.squaredNorm(), residual_rounding(), clamped);
  if (model_.points.size() > 0) arrival.point = model_.points.index.find(state, model_.points.states.view());
  return arrival;
}

void ProjectedRegression::observe(const MatrixIn& states, const VectorIn& rewards, Workspace&) {
  check_shape(states);
  require_rewards(states, rewards);
  if (states.cols() == 1) {
    observe_one(states.col(0), rewards[0]);
    return;
  }
  ProjectedRegression before(*this);  // all of them or none
  try {
    for (Index i = 0; i < states.cols(); ++i) observe_one(states.col(i), rewards[i]);
  } catch (...) {
    *this = std::move(before);
    throw;
  }
}

// The workspace has the features of the state and L_V^-1 of them.
void ProjectedRegression::observe_solved(const VectorIn& state, double reward, Workspace& workspace) {
  check_shape(state);
  require_rewards(state, Eigen::Map<const Vector>(&reward, 1));
  if (batches()) return observe_one(state, reward);
  const auto solved = workspace.solved.get(model_.basis.size(), 2);
  Arrival arrival = arrive(state, solved.col(0));
  arrival.half = solved.col(1);
  observe_arrival(std::move(arrival), reward);
  finish_observation(state, reward);
}

// of_choice: the reward of a choice that was told of before.
void ProjectedRegression::observe_one(const VectorIn& state, double reward, bool of_choice) {
  if (batches()) {
    observe_batched(state, reward, of_choice);
  } else {
    observe_arrival(arrive(state), reward);
  }
  finish_observation(state, reward);
}

void ProjectedRegression::observe_arrival(Arrival arrival, double reward) {
  if (dictionary_->resampling()) {
    observe_resampled(std::move(arrival), reward);
  } else {
    observe_growing(std::move(arrival), reward);
  }
}

void ProjectedRegression::finish_observation(const VectorIn& state, double reward) {
  model_.dimension = state.size();
  model_.sum_of_squares += reward * reward;
  ++model_.rounds;
  refresh_if_stale();
  prepare();
}

void ProjectedRegression::observe_growing(Arrival arrival, double reward) {
  if (arrival.half.size() == 0) {
    arrival.half = arrival.z;
    model_.precision.solve(arrival.half);
  }
  Stream random(options_.seed, Purpose::dictionary, static_cast<std::uint64_t>(model_.rounds));
  const double drawn = random.uniform();
  Vector solved;
  const Newcomer newcomer{arrival.state, arrival.prior, arrival.residual, model_.rounds, drawn, &solved};
  const double probability = dictionary_->admission(newcomer);
  // What only rounding makes independent becomes no anchor (add_anchor): the dictionary need not keep it.
  const auto rounding = [&] {
    return arrival.residual > dependent() * arrival.prior &&
           !(arrival.residual > least_residual() * arrival.prior);
  };
  if (drawn < probability && !rounding()) {
    dictionary_->admitted(newcomer, probability);
    try {
      add_anchor(arrival);
    } catch (...) {
      dictionary_->retract();
      throw;
    }
  } else {
    turn_away(arrival);
  }
  add_to_precision(arrival, reward);
  if (keeps_history()) count(point_of(arrival), reward);
}

// The point of a state; a new one if it has none.
Index ProjectedRegression::point_of(const Arrival& arrival) {
  ProjectedPoints& points = model_.points;
  if (arrival.point) return *arrival.point;
  const bool carry = tracks() || !arrival.is_anchor;
  const Index point = points.append(arrival.state, arrival.prior, arrival.z, arrival.residual, carry);
  if (tracks()) {
    Vector solved = arrival.z;
    model_.precision.solve(solved);
    points.spread[point] = solved.squaredNorm();
    points.mean[point] = arrival.z.dot(model_.weights);
  }
  return point;
}

// V <- V + z z^T, with everything that hangs on V; without a reward the means stay as they are.
void ProjectedRegression::add_to_precision(const Arrival& arrival, std::optional<double> reward) {
  const Vector& z = arrival.z;
  Vector half = arrival.half;
  if (half.size() == 0) {
    half = z;
    model_.precision.solve(half);
  }
  const double gain = 1 / (1 + half.squaredNorm());
  if (arrival.whole.size() > 0) {
    half = arrival.whole;
  } else {
    model_.precision.solve_transposed(half);  // V^-1 z
  }
  const double surprise = reward.value_or(0) - z.dot(model_.weights);
  model_.trace_inverse -= gain * half.squaredNorm();
  if (tracks()) {
    const Vector covariance = model_.points.features.products(half);
    model_.points.spread.view() = (model_.points.spread.view() - gain * covariance.cwiseAbs2()).cwiseMax(0.0);
    if (reward && arms_ > 0) model_.points.mean.view() += gain * surprise * covariance;
  }
  if (reward) {
    model_.moment.view() += *reward * z;
    model_.weights += gain * surprise * half;
  }
  half = z;
  model_.precision.update(half);
  if (options_.moving_ridge) model_.information.selfadjointView<Eigen::Lower>().rankUpdate(z);
  model_.residual_sum += arrival.residual;
  model_.largest_prior = std::max(model_.largest_prior, arrival.prior);
  ++model_.choices;
  ++model_.since_fresh;
}

// V^-1 b.
void ProjectedRegression::solve_weights(Memory& model) const {
  model.weights = model.moment.view();
  model.precision.solve(model.weights);
  model.precision.solve_transposed(model.weights);
}

void ProjectedRegression::refresh_if_stale() {
  if (model_.since_fresh < std::max(kFreshAtLeast, model_.basis.size())) return;
  compute_tracked(model_);
  if (batches()) return;
  solve_weights(model_);
  if (arms_ > 0) model_.points.mean.view() = model_.points.features.products(model_.weights);
}

// From the factor, what updates carry along.
void ProjectedRegression::compute_tracked(Memory& model) const {
  const Index m = model.basis.size();
  ProjectedPoints& points = model.points;
  Scratch scratch;
  for (Index i = 0; tracks() && i < points.size(); i += kChunk) {
    auto z = scratch.get(m, std::min(kChunk, points.size() - i));
    points.features.gather(i, z);
    model.precision.solve(z);
    column_squares(z, points.spread.view().segment(i, z.cols()));
  }
  if (tracks() && keeps_history()) {  // Σ n z^T V^-1 z = m - λ tr V^-1
    model.trace_inverse = (static_cast<double>(m) - points.count.view().dot(points.spread.view())) / ridge_;
  } else {
    Matrix inverse = Matrix::Identity(m, m);
    model.precision.solve(inverse);
    model.trace_inverse = inverse.squaredNorm();
  }
  model.since_fresh = 0;
}

// Features of states, the means by them, and what they miss.
void ProjectedRegression::project(const MatrixIn& states, const VectorIn& prior, MatrixOut z, VectorOut mean,
                                  VectorOut residual, Index& clamped) const {
  mean.setZero();
  residual.setZero();
  if (z.rows() > 0) {
    kernel_->gram(model_.anchors.view(), states, z);
    model_.basis.solve(z);
    column_squares(z, residual);
    column_dots(z, model_.weights, mean);
  }
  for (Index i = 0; i < states.cols(); ++i)
    residual[i] = projected_residual(prior[i], residual[i], residual_rounding(), clamped);
}

void ProjectedRegression::predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const {
  check_shape(states);
  const Index n = states.cols(), m = model_.basis.size();
  out.mean.resize(n);
  out.sd.resize(n);
  out.prior.resize(n);
  out.clamped = 0;
  kernel_->diagonal(states, out.prior);
  require_priors(out.prior);
  workspace.explained.resize(n);
  for (Index i = 0; i < n; i += kChunk) {
    const Index p = std::min(kChunk, n - i);
    auto z = workspace.cross.get(m, p);
    auto spread = workspace.explained.segment(i, p);
    project(states.middleCols(i, p), out.prior.segment(i, p), z, out.mean.segment(i, p), out.sd.segment(i, p),
            out.clamped);
    model_.precision.solve(z);
    column_squares(z, spread);
    for (Index j = 0; j < p; ++j) out.sd[i + j] = projected_sd(out.sd[i + j], spread[j], ridge_);
  }
}

Prediction ProjectedRegression::arm_prediction() const {
  const ProjectedPoints& points = model_.points;
  Prediction out{points.mean.view().head(arms_), Vector(arms_), points.prior.view().head(arms_), 0};
  for (Index i = 0; i < arms_; ++i) out.sd[i] = projected_sd(points.residual[i], points.spread[i], ridge_);
  return out;
}

BestUpper ProjectedRegression::best_arm(double radius) const {
  if (arms_ == 0) throw InvalidArgument("this model has no arms of its own");
  return best_of(arm_prediction(), radius);
}

Evidence ProjectedRegression::evidence() const {
  const auto m = static_cast<double>(model_.basis.size());
  Evidence evidence;
  evidence.rounds = model_.rounds;
  evidence.anchors = model_.basis.size();
  evidence.ridge = ridge_;
  evidence.log_determinant = std::max(ready_.log_determinant - m * std::log(ridge_), 0.0);
  evidence.sum_of_squares = model_.sum_of_squares;
  evidence.quadratic_form =
      std::max(model_.sum_of_squares - model_.moment.view().dot(model_.weights), 0.0) / ridge_;
  evidence.residual_sum = model_.residual_sum;
  evidence.variance_sum = std::max(m - ridge_ * model_.trace_inverse, 0.0) + model_.residual_sum / ridge_;
  evidence.largest_prior = model_.largest_prior;
  evidence.arrival_features = options_.arrival_features;
  if (batches()) {
    evidence.batch_growth = (1 + model_.open_variances) * (1 + model_.variances);
  } else {
    evidence.draw_growth = 1 + model_.variances;
  }
  return evidence;
}

void ProjectedRegression::restore(Memory memory, const Members& members) {
  for (Index i = 0; i < members.states.cols(); ++i) {
    double prior = 0;
    kernel_->diagonal(members.states.col(i), Eigen::Map<Vector>(&prior, 1));
    dictionary_->admitted({members.states.col(i), prior, 0, 0}, members.probabilities[i]);
  }
  model_ = std::move(memory);
  ready_ = {};
  prepare();
}

}  // namespace ridgerunner
