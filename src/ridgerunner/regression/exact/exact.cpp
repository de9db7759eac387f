#include "ridgerunner/regression/exact/exact.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/exact/exact_limits.h"
#include "ridgerunner/regression/joint_prediction.h"

namespace ridgerunner {

using exact::collapse_limit;
using exact::kChunk;

ExactRegression::ExactRegression(KernelPtr kernel, double ridge, std::optional<Matrix> arms,
                                 const std::vector<double>& further_ridges)
    : kernel_(std::move(kernel)), ridge_(ridge), collapse_at_(collapse_limit(0)) {
  require_positive("ridge", ridge);
  if (!kernel_) throw InvalidArgument("kernel must be a kernel, got none");
  for (const double further : further_ridges) {
    require_positive("ridge", further);
    further_.emplace_back().ridge = further;
  }
  if (!arms) return;
  require_arms(*arms);
  kernel_->check_dimension(arms->rows());
  const Index count = arms->cols();
  arms_.emplace(Arms{std::move(*arms), {}, GrowingColumns(count), Vector::Zero(count), {}});
  for (Index i = 0; i < count; ++i) arms_->index.add(arms_->points.col(i), i);
  Prediction& at = arms_->prediction;
  at = {Vector::Zero(count), Vector(count), diagonal(*kernel_, arms_->points), 0};
  require_priors(at.prior);
  at.clamped = scaled_sd(at.prior, arms_->explained, ridge_, at.sd);
}

void ExactRegression::check_shape(const MatrixIn& states) const {
  const Index dimension = arms_ ? arms_->points.rows() : rounds_ > 0 ? states_.rows() : states.rows();
  require_states(states, dimension);
  if (rounds_ == 0) kernel_->check_dimension(dimension);
}

void ExactRegression::check(const MatrixIn& states) const {
  check_shape(states);
  require_priors(diagonal(*kernel_, states));  // some kernels take only some points
}

bool ExactRegression::has_seen(const VectorIn& state) const {
  return rounds_ > 0 && index_.find(state, anchors_.view()).has_value();
}

void ExactRegression::observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) {
  learn(states, rewards, false, workspace);
}

void ExactRegression::observe_solved(const VectorIn& state, double reward, Workspace& workspace) {
  learn(state, Eigen::Map<const Vector>(&reward, 1), true, workspace);
}

ExactView ExactRegression::view(Workspace& workspace) const {
  if (!keeps_weights()) {
    workspace.weights = forward_.view();
    factor_.solve_transposed(workspace.weights);
  }
  return {*kernel_,
          states_.view(),
          noise_.view(),
          factor_,
          keeps_weights() ? VectorIn(weights_.view()) : VectorIn(workspace.weights),
          largest_diagonal_,
          ridge_};
}

// w = L^-1 k of states, with their means and |w|^2.
void ExactRegression::solve_at(const MatrixIn& states, const VectorIn& weights, MatrixOut cross,
                               VectorOut mean, VectorOut explained) const {
  kernel_->gram(states_.view(), states, cross);
  column_dots(cross, weights, mean);
  factor_.solve(cross);
  column_squares(cross, explained);
}

void ExactRegression::predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const {
  check_shape(states);
  const Index n = states.cols(), rows = factor_.size();
  out.mean.setZero(n);
  out.prior.resize(n);
  kernel_->diagonal(states, out.prior);
  require_priors(out.prior);
  workspace.explained.setZero(n);
  if (rows > 0) {
    const ExactView model = view(workspace);
    for (Index i = 0; i < n; i += kChunk) {
      const Index p = std::min(kChunk, n - i);
      solve_at(states.middleCols(i, p), model.weights, workspace.cross.get(rows, p), out.mean.segment(i, p),
               workspace.explained.segment(i, p));
    }
  }
  out.clamped = scaled_sd(out.prior, workspace.explained, ridge_, out.sd);
}

JointPrediction ExactRegression::predict_jointly(const MatrixIn& states, Workspace& workspace) const {
  check_shape(states);
  const Index n = states.cols(), rows = factor_.size();
  JointPrediction out{{}, states, Matrix(rows, n), Matrix(0, n), ridge_, kernel_};
  if (arms_ && n == arms_->points.cols() && states == arms_->points) {
    out.at = arms_->prediction;
    out.explained = arms_->rows.view().transpose();
    return out;
  }
  out.at = {Vector::Zero(n), Vector(), diagonal(*kernel_, states), 0};
  require_priors(out.at.prior);
  Vector explained = Vector::Zero(n);
  if (rows > 0) {
    const ExactView model = view(workspace);
    for (Index i = 0; i < n; i += kChunk) {
      const Index p = std::min(kChunk, n - i);
      solve_at(states.middleCols(i, p), model.weights, out.explained.middleCols(i, p),
               out.at.mean.segment(i, p), explained.segment(i, p));
    }
  }
  out.at.clamped = scaled_sd(out.at.prior, explained, ridge_, out.at.sd);
  return out;
}

Evidence ExactRegression::evidence() const {
  Evidence evidence;
  evidence.rounds = rounds_;
  evidence.anchors = anchors_.size();
  evidence.ridge = ridge_;
  evidence.log_determinant = std::max(log_determinant_, 0.0);  // rounding may leave -1e-15
  evidence.sum_of_squares = sum_of_squares_;
  evidence.quadratic_form = forward_.view().squaredNorm() + row_within_ / ridge_;
  evidence.largest_prior = largest_prior_;
  if (keeps_variance_sum_)
    evidence.variance_sum = std::max(static_cast<double>(factor_.size()) - unexplained_sum_, 0.0);
  return evidence;
}

// d_eff = tr(K_t (K_t + λI)^-1) = rows - Σ_i (λ/n_i) |L^-1 e_i|^2.
Diagnostics ExactRegression::diagnostics() const {
  constexpr Index kMostRows = 2000;  // a fifth of a second
  const Index rows = factor_.size();
  if (rows > kMostRows) return {std::nullopt, 0};
  Matrix inverse = Matrix::Identity(rows, rows);
  factor_.solve(inverse);
  const double missing = inverse.colwise().squaredNorm().dot(noise_.view().transpose());
  return {static_cast<double>(rows) - missing, 0};
}

BestUpper ExactRegression::best_arm(double radius) const {
  if (!arms_) throw InvalidArgument("this model has no arms of its own");
  BestUpper best = best_of(arms_->prediction, radius);
  best.clamped = check_variance(arms_->prediction.prior[best.index], arms_->explained[best.index]) ? 0 : 1;
  return best;
}

std::unique_ptr<Regression> ExactRegression::clone() const {
  return std::make_unique<ExactRegression>(*this);
}

}  // namespace ridgerunner
