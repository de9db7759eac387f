// The exact model from scratch: one row for each distinct state, at its ridge or at another.
#include <cmath>
#include <utility>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/exact/exact_limits.h"

namespace ridgerunner {

using exact::collapse_limit;
using exact::kChunk;

GrowingCholesky ExactRegression::factor_anchors(double ridge) const {
  GrowingCholesky factor;
  for (Index i = 0; i < anchors_.size(); i += kChunk) {
    const Index p = std::min(kChunk, anchors_.size() - i);
    const auto block = anchors_.view().middleCols(i, p);
    Matrix cross = gram(*kernel_, anchors_.view().leftCols(i), block), corner = gram(*kernel_, block, block);
    corner.diagonal() += ridge * by_anchor_.count.view().segment(i, p).cwiseInverse();
    factor.append(cross, corner);
  }
  return factor;
}

void ExactRegression::collapse() {
  collapse_at_ = collapse_limit(anchors_.size());
  try {
    refactor();
  } catch (const NumericalError&) {
    // λ/n has sunk below rounding. The rows as they are still serve.
    collapse_at_ = 2 * factor_.size();
  }
}

// One row for each distinct state, at the present ridge. Fails before it changes anything.
void ExactRegression::refactor() {
  const Index m = anchors_.size();
  GrowingCholesky fresh = factor_anchors(ridge_);
  std::vector<GrowingCholesky> fresh_further;
  for (const FurtherRidge& further : further_) fresh_further.push_back(factor_anchors(further.ridge));
  Matrix arm_rows(arms_ ? m : 0, arms_ ? arms_->points.cols() : 0);  // W
  Vector explained = Vector::Zero(arm_rows.cols()), sd;
  Index clamped = 0;
  if (arms_) {
    if (m > 0) {
      kernel_->gram(anchors_.view(), arms_->points, arm_rows);
      fresh.solve(arm_rows);
      column_squares(arm_rows, explained);
    }
    clamped = scaled_sd(arms_->prediction.prior, explained, ridge_, sd);
  }
  factor_ = std::move(fresh);
  states_ = anchors_;
  counts_ = by_anchor_.count;
  row_within_ = by_anchor_.within;
  noise_.resize(m);
  noise_.view() = ridge_ * counts_.view().cwiseInverse();
  forward_ = by_anchor_.reward;
  factor_.solve(forward_.view());
  if (!further_.empty()) rewards_ = by_anchor_.reward;
  for (std::size_t i = 0; i < further_.size(); ++i) {
    FurtherRidge& further = further_[i];
    further.factor = std::move(fresh_further[i]);
    further.noise.resize(m);
    further.noise.view() = further.ridge * counts_.view().cwiseInverse();
    further.forward = by_anchor_.reward;
    further.factor.solve(further.forward.view());
  }
  log_determinant_ = factor_.log_determinant() + counts_.view().array().log().sum() -
                     static_cast<double>(m) * std::log(ridge_);
  if (!arms_) return;
  arms_->rows = GrowingColumns(arm_rows.cols());
  for (Index i = 0; i < m; ++i) arms_->rows.append(arm_rows.row(i).transpose());
  arms_->explained = std::move(explained);
  arms_->prediction.mean.setZero();
  if (m > 0) column_dots(arm_rows, forward_.view(), arms_->prediction.mean);
  arms_->prediction.sd = std::move(sd);
  arms_->prediction.clamped = clamped;
}

void ExactRegression::set_ridge(double ridge) {
  require_positive("ridge", ridge);
  if (ridge == ridge_) return;
  const double before = std::exchange(ridge_, ridge);
  try {
    refactor();
  } catch (...) {
    ridge_ = before;
    throw;
  }
  collapse_at_ = collapse_limit(anchors_.size());
  largest_diagonal_ = std::max(largest_diagonal_, largest_prior_ + ridge_);
  if (keeps_weights()) refresh_weights(0);
}

double ExactRegression::log_determinant(double ridge) const {
  require_positive("ridge", ridge);
  if (ridge == ridge_) return std::max(log_determinant_, 0.0);
  const double logs = factor_anchors(ridge).log_determinant() + by_anchor_.count.view().array().log().sum();
  return std::max(logs - static_cast<double>(anchors_.size()) * std::log(ridge), 0.0);
}

// (K + λ N^-1) weights = ȳ, so what a row's mean misses of ȳ is λ/n times its weight.
double ExactRegression::squared_error() const {
  Vector weights = keeps_weights() ? weights_.view() : forward_.view();
  if (!keeps_weights()) factor_.solve_transposed(weights);
  return row_within_ + ridge_ * noise_.view().dot(weights.cwiseAbs2());
}

// With x = L^-T e_i for row i, x_j^2 is what the row adds to (A^-1)_jj; rows before it are as they were. One
// pass over the factor does a few rows and the weights.
void ExactRegression::refresh_weights(Index first) {
  const Index rows = forward_.size();
  weights_.resize(rows);
  if (!keeps_variance_sum_) {
    weights_.view() = forward_.view();
    factor_.solve_transposed(weights_.view());
    return;
  }
  if (first == 0) unexplained_sum_ = 0;
  Scratch scratch;
  for (Index i = first; i < rows || i == first; i += kChunk) {
    const Index p = std::min(kChunk, rows - i);
    auto columns = scratch.get(rows, p + 1);
    columns.setZero();
    columns.col(0) = forward_.view();
    for (Index j = 0; j < p; ++j) columns(i + j, j + 1) = 1;
    factor_.solve_transposed(columns);
    weights_.view() = columns.col(0);
    for (Index j = 1; j <= p; ++j) unexplained_sum_ += noise_.view().dot(columns.col(j).cwiseAbs2());
  }
}

void ExactRegression::keep_variance_sum() {
  if (!keeps_weights()) throw InvalidArgument("variances of arms, or at further ridges, are not summed");
  keeps_variance_sum_ = true;
  refresh_weights(0);
}

void ExactRegression::restore_variance_sum(double unexplained) {
  keeps_variance_sum_ = true;
  unexplained_sum_ = unexplained;
}

}  // namespace ridgerunner
