// Learning: rows that are appended to the exact model, to its factors and to its arms' table.
#include <cmath>
#include <memory>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/exact/exact_limits.h"

namespace ridgerunner {

using exact::collapse_limit;
using exact::kChunk;

void ExactRegression::Averages::merge(Index i, double more, double average) {
  const double n = count[i], change = average - reward[i];
  within += change * change * n * more / (n + more);
  reward[i] += change * more / (n + more);
  count[i] = n + more;
}

void ExactRegression::learn(const MatrixIn& states, const VectorIn& rewards, bool solved,
                            Workspace& workspace) {
  check_shape(states);
  require_rewards(states, rewards);
  // What follows may fail half-way, by a kernel of the user's own: then the model is put back as it was.
  std::unique_ptr<ExactRegression> before;
  Index first = factor_.size();
  if (states.cols() > kChunk || may_collapse(states)) before = std::make_unique<ExactRegression>(*this);
  try {
    if (states.cols() == 1) {
      append(states, Eigen::Matrix<double, 1, 1>(1.0), rewards, solved, workspace);
    } else {
      append_batch(states, rewards, workspace);
    }
    sum_of_squares_ += rewards.squaredNorm();
    rounds_ += states.cols();
    if (factor_.size() >= collapse_at_) {
      collapse();
      first = 0;
    }
  } catch (...) {
    if (before) *this = std::move(*before);
    throw;
  }
  if (keeps_weights()) refresh_weights(first);
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
           false, workspace);
  }
  row_within_ += batch.within;
  by_anchor_.within += batch.within;
}

void ExactRegression::append(const MatrixIn& states, const VectorIn& counts, const VectorIn& rewards,
                             bool solved, Workspace& workspace) {
  const Index rows = factor_.size(), p = states.cols();
  auto arm_cross = workspace.leaders.get(arms_ ? arms_->points.cols() : 0, p);
  if (arms_) kernel_->gram(arms_->points, states, arm_cross);
  const Largest largest = factor_rows(states, counts, solved, workspace);
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

// Appends to the factor; the largest entries that this adds to the diagonals of K and of its matrix.
ExactRegression::Largest ExactRegression::factor_rows(const MatrixIn& states, const VectorIn& counts,
                                                      bool chosen, Workspace& workspace) {
  const Index rows = factor_.size(), p = states.cols();
  auto cross = workspace.cross.get(rows + p, p);
  auto corner = cross.bottomRows(p);
  const auto arm = arms_ && p == 1 ? arms_->index.find(states.col(0), arms_->points) : std::nullopt;
  const bool solved = arm || chosen;
  if (arm) {
    cross.col(0).head(rows) = arms_->rows.view().row(*arm).transpose();
  } else if (solved) {
    cross.col(0).head(rows) = workspace.solved.get(rows, 1).col(0);
  } else if (rows > 0) {
    kernel_->gram(states_.view(), states, cross.topRows(rows));
  }
  kernel_->gram(states, states, corner);
  if (!corner.diagonal().allFinite()) require_priors(corner.diagonal());
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
                   chosen && !arm, workspace);
  } catch (...) {
    truncate(rows);
    throw;
  }
  return largest;
}

// The same rows for the further ridges. cross, corner: kernel values.
void ExactRegression::factor_further(const MatrixIn& cross, const MatrixIn& corner, const VectorIn& counts,
                                     bool solved, Workspace& workspace) {
  std::vector<double> raised(further_.size());
  for (std::size_t i = 0; i < further_.size(); ++i) {
    FurtherRidge& further = further_[i];
    auto block = workspace.cross.get(cross.rows() + corner.rows(), corner.cols());
    auto last = block.bottomRows(corner.rows());
    last = corner;
    last.diagonal() += further.ridge * counts.cwiseInverse();
    raised[i] = last.diagonal().maxCoeff();
    const bool known =
        solved && i < workspace.further_solved.size() && workspace.further_solved[i].size() == cross.rows();
    if (known) {
      further.factor.append_solved(workspace.further_solved[i], last(0, 0));
    } else {
      block.topRows(cross.rows()) = cross;
      further.factor.append(block.topRows(cross.rows()), last);
    }
  }
  for (std::size_t i = 0; i < further_.size(); ++i)
    further_[i].largest_diagonal = std::max(further_[i].largest_diagonal, raised[i]);
}

void ExactRegression::truncate(Index rows) {
  factor_.truncate(rows);
  for (FurtherRidge& further : further_) further.factor.truncate(rows);
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
  for (FurtherRidge& further : further_) {
    further.noise.append(further.ridge / count);
    further.forward.append(reward);
    further.factor.solve_rows(further.forward.view(), row, row + 1);
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

}  // namespace ridgerunner
