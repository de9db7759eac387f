#include "ridgerunner/regression/exact/exact.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/joint_prediction.h"

namespace ridgerunner {
namespace {

constexpr Index kChunk = 256;      // candidates solved, or rows appended, at once
constexpr Index kFewRepeats = 32;  // not worth collapsing

// Repeats that may stay uncollapsed: a quarter of the distinct states.
Index collapse_limit(Index distinct) {
  return distinct + std::max(distinct / 4, kFewRepeats);
}

}  // namespace

void ExactRegression::Averages::merge(Index i, double more, double average) {
  const double n = count[i], change = average - reward[i];
  within += change * change * n * more / (n + more);
  reward[i] += change * more / (n + more);
  count[i] = n + more;
}

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

void ExactRegression::observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) {
  check_shape(states);
  require_rewards(states, rewards);
  // What follows may fail half-way, by a kernel of the user's own: then the model is put back as it was.
  std::unique_ptr<ExactRegression> before;
  if (states.cols() > kChunk || may_collapse(states)) before = std::make_unique<ExactRegression>(*this);
  try {
    if (states.cols() == 1) {
      append(states, Eigen::Matrix<double, 1, 1>(1.0), rewards, workspace);
    } else {
      append_batch(states, rewards, workspace);
    }
    sum_of_squares_ += rewards.squaredNorm();
    rounds_ += states.cols();
    if (factor_.size() >= collapse_at_) collapse();
  } catch (...) {
    if (before) *this = std::move(*before);
    throw;
  }
  if (keeps_weights()) refresh_weights();
}

// Whether these states may make so many repeats that rows are collapsed. A new state never does.
bool ExactRegression::may_collapse(const MatrixIn& states) const {
  if (factor_.size() + states.cols() < collapse_at_) return false;
  return states.cols() > 1 || (factor_.size() > 0 && index_.find(states.col(0), anchors_.view()));
}

// Equal states of a batch make one row.
void ExactRegression::append_batch(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) {
  StateIndex seen;
  std::vector<Index> columns, row_of(states.cols());
  Averages batch;
  for (Index i = 0; i < states.cols(); ++i) {
    if (const auto twin = seen.find(states.col(i), states)) {
      batch.merge(row_of[*twin], 1, rewards[i]);
      continue;
    }
    row_of[i] = std::ssize(columns);
    seen.add(states.col(i), i);
    columns.push_back(i);
    batch.count.append(1);
    batch.reward.append(rewards[i]);
  }
  const Matrix distinct = states(Eigen::all, columns);
  for (Index i = 0; i < distinct.cols(); i += kChunk) {  // a block is appended in full or not at all
    const Index p = std::min(kChunk, distinct.cols() - i);
    append(distinct.middleCols(i, p), batch.count.view().segment(i, p), batch.reward.view().segment(i, p),
           workspace);
  }
  row_within_ += batch.within;
  by_anchor_.within += batch.within;
}

void ExactRegression::append(const MatrixIn& states, const VectorIn& counts, const VectorIn& rewards,
                             Workspace& workspace) {
  const Index rows = factor_.size(), p = states.cols();
  auto arm_cross = workspace.leaders.get(arms_ ? arms_->points.cols() : 0, p);
  if (arms_) kernel_->gram(arms_->points, states, arm_cross);
  const Largest largest = factor_rows(states, counts, workspace);
  if (arms_) {
    try {
      workspace.explained = arms_->explained;
      solve_arm_rows(arm_cross, workspace.explained, workspace.weights);
      arms_->prediction.clamped =
          scaled_sd(arms_->prediction.prior, workspace.explained, ridge_, arms_->prediction.sd);
    } catch (...) {
      truncate(rows);
      scaled_sd(arms_->prediction.prior, arms_->explained, ridge_, arms_->prediction.sd);
      throw;
    }
  }
  // Nothing below fails, but for want of memory.
  largest_diagonal_ = std::max(largest_diagonal_, largest.raised);
  largest_prior_ = std::max(largest_prior_, largest.prior);
  if (rows == 0) states_ = anchors_ = GrowingColumns(states.rows());
  for (Index i = 0; i < p; ++i) {
    record_row(states.col(i), counts[i], rewards[i]);
    if (!arms_) continue;
    arms_->rows.append(arm_cross.col(i));
    add_scaled(forward_[rows + i], arm_cross.col(i), arms_->prediction.mean);
  }
  if (arms_) arms_->explained = workspace.explained;
}

bool ExactRegression::knows_solve(const MatrixIn& states, const Workspace& workspace) const {
  return states.cols() == 1 && workspace.solved_by && workspace.solved_by == identity_.token() &&
         workspace.solved_rounds == rounds_ && workspace.solved_state == states.col(0);
}

// Appends to the factor; the largest entries that this adds to the diagonals of K and of its matrix.
ExactRegression::Largest ExactRegression::factor_rows(const MatrixIn& states, const VectorIn& counts,
                                                      Workspace& workspace) {
  const Index rows = factor_.size(), p = states.cols();
  auto cross = workspace.cross.get(rows + p, p);
  auto corner = cross.bottomRows(p);
  const auto arm = arms_ && p == 1 ? arms_->index.find(states.col(0), arms_->points) : std::nullopt;
  const bool solved = arm || knows_solve(states, workspace);
  if (arm) {
    cross.col(0).head(rows) = arms_->rows.view().row(*arm).transpose();
  } else if (solved) {
    cross.col(0).head(rows) = workspace.solved.get(rows, 1).col(0);
  } else if (rows > 0) {
    kernel_->gram(states_.view(), states, cross.topRows(rows));
  }
  kernel_->gram(states, states, corner);
  require_priors(corner.diagonal());
  auto raw = workspace.raw.get(further_.empty() ? 0 : rows + p, p);
  if (!further_.empty()) {
    if (solved && rows > 0) {
      kernel_->gram(states_.view(), states, raw.topRows(rows));
    } else {
      raw.topRows(rows) = cross.topRows(rows);
    }
    raw.bottomRows(p) = corner;
  }
  const double prior = corner.diagonal().maxCoeff();
  corner.diagonal() += ridge_ * counts.cwiseInverse();
  const Largest largest{prior, corner.diagonal().maxCoeff()};
  if (solved) {
    factor_.append_solved(cross.col(0).head(rows), corner(0, 0));
  } else {
    factor_.append(cross.topRows(rows), corner);
  }
  try {
    factor_further(raw.topRows(further_.empty() ? 0 : rows), raw.bottomRows(further_.empty() ? 0 : p), counts,
                   solved && !arm, workspace);
  } catch (...) {
    truncate(rows);
    throw;
  }
  return largest;
}

// The same rows for the further ridges. cross, corner: kernel values. chosen: the workspace may know solves.
void ExactRegression::factor_further(const MatrixIn& cross, const MatrixIn& corner, const VectorIn& counts,
                                     bool chosen, Workspace& workspace) {
  std::vector<double> raised(further_.size());
  for (std::size_t i = 0; i < further_.size(); ++i) {
    Rung& rung = further_[i];
    auto block = workspace.cross.get(cross.rows() + corner.rows(), corner.cols());
    auto last = block.bottomRows(corner.rows());
    last = corner;
    last.diagonal() += rung.ridge * counts.cwiseInverse();
    raised[i] = last.diagonal().maxCoeff();
    const bool solved =
        chosen && i < workspace.further_solved.size() && workspace.further_solved[i].size() == cross.rows();
    if (solved) {
      rung.factor.append_solved(workspace.further_solved[i], last(0, 0));
    } else {
      block.topRows(cross.rows()) = cross;
      rung.factor.append(block.topRows(cross.rows()), last);
    }
  }
  for (std::size_t i = 0; i < further_.size(); ++i)
    further_[i].largest_diagonal = std::max(further_[i].largest_diagonal, raised[i]);
}

void ExactRegression::truncate(Index rows) {
  factor_.truncate(rows);
  for (Rung& rung : further_) rung.factor.truncate(rows);
}

void ExactRegression::record_row(const VectorIn& state, double count, double reward) {
  const auto known = index_.find(state, anchors_.view());
  if (known) {
    by_anchor_.merge(*known, count, reward);
  } else {
    index_.add(state, anchors_.size());
    anchors_.append(state);
    by_anchor_.count.append(count);
    by_anchor_.reward.append(reward);
    ++collapse_at_;
    collapse_at_ = std::max(collapse_at_, collapse_limit(anchors_.size()));
  }
  const Index row = states_.size();
  states_.append(state);
  counts_.append(count);
  noise_.append(ridge_ / count);
  const double pivot = factor_(row, row);
  log_determinant_ += std::log(pivot / ridge_ * pivot * count);
  forward_.append(reward);
  factor_.solve_rows(forward_.view(), row, row + 1);
  if (!further_.empty()) rewards_.append(reward);
  for (Rung& rung : further_) {
    rung.noise.append(rung.ridge / count);
    rung.forward.append(reward);
    rung.factor.solve_rows(rung.forward.view(), row, row + 1);
  }
}

// The last rows of W for the factor's last rows: L W = K, so row i of W is (K_i - sum_{k<i} L_ik W_k)/L_ii.
void ExactRegression::solve_arm_rows(MatrixOut arm_cross, Vector& explained, Vector& l) const {
  const Index p = arm_cross.cols(), rows = factor_.size() - p;
  for (Index i = 0; i < p; ++i) {
    l.resize(rows + i + 1);
    l = factor_.row(rows + i).transpose();
    auto row = arm_cross.col(i);
    subtract_product(arms_->rows.view(), l.head(rows), row);
    subtract_product(arm_cross.leftCols(i), l.segment(rows, i), row);
    row /= l[rows + i];
    add_squares(row, explained);
  }
}

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
  for (const Rung& rung : further_) fresh_further.push_back(factor_anchors(rung.ridge));
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
    Rung& rung = further_[i];
    rung.factor = std::move(fresh_further[i]);
    rung.noise.resize(m);
    rung.noise.view() = rung.ridge * counts_.view().cwiseInverse();
    rung.forward = by_anchor_.reward;
    rung.factor.solve(rung.forward.view());
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
  identity_ = Identity();  // solves at the old ridge are of no use
  if (keeps_weights()) refresh_weights();
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

void ExactRegression::refresh_weights() {
  weights_.resize(forward_.size());
  weights_.view() = forward_.view();
  factor_.solve_transposed(weights_.view());
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

BestUpper ExactRegression::best_upper(const MatrixIn& states, double radius, Workspace& workspace) const {
  workspace.solved_by.reset();  // what it holds is overwritten, also if this fails
  if (factor_.size() == 0) {
    predict(states, workspace.prediction, workspace);
    return best_of(workspace.prediction, radius);
  }
  check_shape(states);
  const BestUpper best = best_upper_by_elimination(view(workspace), states, radius, workspace);
  workspace.further_solved.clear();
  workspace.solved_by = identity_.token();
  workspace.solved_rounds = rounds_;
  workspace.solved_state = states.col(best.index);
  return best;
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
