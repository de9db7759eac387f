#include "ridgerunner/regression/exact.h"

#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/elimination.h"

namespace ridgerunner {
namespace {

constexpr Index kChunk = 256;  // candidates solved, or rows appended, at once

}  // namespace

ExactRegression::ExactRegression(KernelPtr kernel, double ridge, std::optional<Matrix> arms)
    : kernel_(std::move(kernel)), ridge_(ridge) {
  require_positive("ridge", ridge);
  if (!kernel_) throw InvalidArgument("kernel must be a kernel, got none");
  if (!arms) return;
  if (arms->size() == 0) throw InvalidArgument("arms must not be empty");
  if (!arms->allFinite()) throw InvalidArgument("arms must be finite");
  kernel_->check_dimension(arms->rows());
  const Index count = arms->cols();
  arms_.emplace(Arms{std::move(*arms), {}, GrowingColumns(count), Vector::Zero(count), 0, {}});
  for (Index i = 0; i < count; ++i) arms_->index.add(arms_->points.col(i), i);
  arms_->prediction = {Vector::Zero(count), Vector(count), diagonal(*kernel_, arms_->points), 0};
  refresh_arms();
}

void ExactRegression::check(const MatrixIn& states, const VectorIn& rewards) const {
  if (states.size() == 0) throw InvalidArgument("states must not be empty");
  if (states.cols() != rewards.size()) {
    throw InvalidArgument(
        fmt::format("states and rewards must be equally many, got {} and {}", states.cols(), rewards.size()));
  }
  check_states(states);
  if (!rewards.allFinite()) throw InvalidArgument("rewards must be finite");
}

void ExactRegression::check_states(const MatrixIn& states) const {
  const Index dimension = arms_ ? arms_->points.rows() : rounds_ > 0 ? states_.rows() : states.rows();
  if (states.rows() != dimension) {
    throw InvalidArgument(fmt::format("states must have dimension {}, got {}", dimension, states.rows()));
  }
  if (rounds_ == 0) kernel_->check_dimension(dimension);
  if (!states.allFinite()) throw InvalidArgument("states must be finite");
}

void ExactRegression::observe(const MatrixIn& states, const VectorIn& rewards) {
  check(states, rewards);
  if (rounds_ == 0) states_ = GrowingColumns(states.rows());
  if (states.cols() > 1) {
    double within = 0;
    apply(group(states, rewards, within), states);
    within_ += within;
  } else if (const auto known = index_.find(states.col(0), states_.view())) {
    merge(*known, 1, rewards[0]);
  } else {
    append(states, Eigen::Matrix<double, 1, 1>(1.0), rewards);
  }
  sum_of_squares_ += rewards.squaredNorm();
  rounds_ += states.cols();
  refresh_solutions();
  if (arms_) refresh_arms();
}

std::vector<ExactRegression::Group> ExactRegression::group(const MatrixIn& states, const VectorIn& rewards,
                                                           double& within) const {
  std::vector<Group> groups;
  std::vector<Index> group_of(states.cols());
  StateIndex seen;
  for (Index i = 0; i < states.cols(); ++i) {
    if (const auto twin = i > 0 ? seen.find(states.col(i), states) : std::nullopt) {
      Group& group = groups[group_of[*twin]];
      const double change = rewards[i] - group.reward;
      within += change * change * group.count / (group.count + 1);
      group.reward += change / ++group.count;
    } else {
      group_of[i] = std::ssize(groups);
      groups.push_back({i, index_.find(states.col(i), states_.view()), 1, rewards[i]});
      if (states.cols() > 1) seen.add(states.col(i), i);
    }
  }
  return groups;
}

void ExactRegression::apply(const std::vector<Group>& groups, const MatrixIn& states) {
  // One step happens or does not. Several could fail half-way: then the model is put back as it was.
  std::unique_ptr<ExactRegression> before;
  if (groups.size() > 1) before = std::make_unique<ExactRegression>(*this);
  try {
    std::vector<Index> fresh;
    std::vector<double> counts, rewards;
    const auto flush = [&] {
      if (fresh.empty()) return;
      append(states(Eigen::all, fresh), Eigen::Map<Vector>(counts.data(), std::ssize(counts)),
             Eigen::Map<Vector>(rewards.data(), std::ssize(rewards)));
      fresh.clear(), counts.clear(), rewards.clear();
    };
    for (const Group& group : groups) {
      if (group.known) {
        merge(*group.known, group.count, group.reward);
        continue;
      }
      fresh.push_back(group.column);
      counts.push_back(group.count);
      rewards.push_back(group.reward);
      if (std::ssize(fresh) == kChunk) flush();
    }
    flush();
  } catch (...) {
    if (before) *this = std::move(*before);
    throw;
  }
}

void ExactRegression::append(const MatrixIn& states, const VectorIn& counts, const VectorIn& rewards) {
  const Index m = factor_.size(), p = states.cols();
  double largest = largest_diagonal_;
  const std::optional<Index> arm =
      arms_ && p == 1 ? arms_->index.find(states.col(0), arms_->points) : std::nullopt;
  auto arm_cross = arm_scratch_.get(arms_ ? arms_->points.cols() : 0, p);
  if (arms_) kernel_->gram(arms_->points, states, arm_cross);
  if (arm) {  // its column of W is the solve
    auto solved = scratch_.get(m, 1).col(0);
    solved = arms_->rows.view().row(*arm).transpose();
    const double corner = arms_->prediction.prior[*arm] + ridge_ / counts[0];
    factor_.append_solved(solved, corner);
    largest = std::max(largest, corner);
  } else {
    auto cross = scratch_.get(m + p, p);
    if (m > 0) kernel_->gram(states_.view(), states, cross.topRows(m));
    kernel_->gram(states, states, cross.bottomRows(p));
    cross.bottomRows(p).diagonal() += ridge_ * counts.cwiseInverse();
    largest = std::max(largest, cross.bottomRows(p).diagonal().maxCoeff());
    factor_.append(cross.topRows(m), cross.bottomRows(p));
  }
  largest_diagonal_ = largest;
  for (Index i = 0; i < p; ++i) {
    index_.add(states.col(i), m + i);
    states_.append(states.col(i));
    counts_.append(counts[i]);
    rewards_.append(rewards[i]);
    noise_.append(ridge_ / counts[i]);
    log_determinant_ += std::log(factor_(m + i, m + i) / ridge_ * factor_(m + i, m + i) * counts[i]);
  }
  if (arms_) append_arm_rows(arm_cross, m);
}

// W's new rows: L W = K, so row i is (K_i - sum_{k<i} L_ik W_k)/L_ii.
void ExactRegression::append_arm_rows(MatrixOut arm_cross, Index first) {
  auto l = scratch_.get(factor_.size(), 1).col(0);
  for (Index i = first; i < factor_.size(); ++i) {
    l.head(i + 1) = factor_.row(i).transpose();
    auto row = arm_cross.col(i - first);
    row.noalias() -= arms_->rows.view() * l.head(i);
    row /= l[i];
    arms_->rows.append(row);
  }
}

void ExactRegression::merge(Index state, double count, double reward) {
  const double n = counts_[state], raised = n + count, noise = noise_[state];
  counts_[state] = raised;
  noise_[state] = ridge_ / raised;
  try {
    // As many changes as rows cost as much as a new factor, which forgets the rounding of the old ones.
    if (changes_ >= std::max<Index>(factor_.size(), 64)) {
      refactor();
    } else {
      auto x = scratch_.get(factor_.size(), 1).col(0);
      x.setZero();
      x[state] = std::sqrt(ridge_ * count / (n * raised));
      factor_.downdate(x, state, rotations_);
      if (arms_) carry_rotations(rotations_, arms_->rows.view(), carried_);
      ++changes_;
    }
  } catch (...) {
    counts_[state] = n;
    noise_[state] = noise;
    throw;
  }
  const double change = reward - rewards_[state];
  within_ += change * change * n * count / raised;
  rewards_[state] += change * count / raised;
  forward_.resize(std::min(forward_.size(), state));
  log_determinant_ = factor_.log_determinant() + counts_.view().array().log().sum() -
                     static_cast<double>(factor_.size()) * std::log(ridge_);
  if (arms_) arms_->included = 0;
}

void ExactRegression::refactor() {
  GrowingCholesky fresh;
  for (Index i = 0; i < states_.size(); i += kChunk) {
    const Index p = std::min(kChunk, states_.size() - i);
    const Matrix block = states_.view().middleCols(i, p);
    Matrix cross = gram(*kernel_, states_.view().leftCols(i), block), corner = gram(*kernel_, block, block);
    corner.diagonal() += noise_.view().segment(i, p);
    fresh.append(cross, corner);
  }
  if (arms_) {
    Matrix rows = gram(*kernel_, states_.view(), arms_->points);
    fresh.solve(rows);
    arms_->rows.view() = rows.transpose();
  }
  factor_ = std::move(fresh);
  forward_.resize(0);
  changes_ = 0;
}

void ExactRegression::refresh_solutions() {
  const Index m = factor_.size(), valid = forward_.size();
  forward_.resize(m);
  forward_.view().tail(m - valid) = rewards_.view().tail(m - valid);
  factor_.solve_rows(forward_.view(), valid, m);
  if (arms_) return;
  weights_.resize(m);
  weights_.view() = forward_.view();
  factor_.solve_transposed(weights_.view());
}

void ExactRegression::refresh_arms() {
  Prediction& at = arms_->prediction;
  if (arms_->included == 0) {
    at.mean.setZero();
    arms_->explained.setZero();
  }
  for (Index i = arms_->included; i < factor_.size(); ++i) {
    at.mean += forward_[i] * arms_->rows.col(i);
    arms_->explained += arms_->rows.col(i).cwiseAbs2();
  }
  arms_->included = factor_.size();
  at.clamped = scaled_sd(at.prior, arms_->explained, ridge_, at.sd);
}

void ExactRegression::predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const {
  if (states.size() == 0) throw InvalidArgument("states must not be empty");
  check_states(states);
  const Index n = states.cols(), m = factor_.size();
  out.mean.setZero(n);
  out.sd.resize(n);
  out.prior.resize(n);
  kernel_->diagonal(states, out.prior);
  workspace.explained.setZero(n);
  const auto view = this->view(workspace);
  for (Index i = 0; m > 0 && i < n; i += kChunk) {
    const Index p = std::min(kChunk, n - i);
    auto cross = workspace.cross.get(m, p);
    kernel_->gram(states_.view(), states.middleCols(i, p), cross);
    out.mean.segment(i, p).noalias() = cross.transpose() * view.weights;
    factor_.solve(cross);
    for (Index c = 0; c < p; ++c) workspace.explained[i + c] = cross.col(c).squaredNorm();
  }
  out.clamped = scaled_sd(out.prior, workspace.explained, ridge_, out.sd);
}

ExactView ExactRegression::view(Workspace& workspace) const {
  if (arms_) {
    workspace.weights = forward_.view();
    factor_.solve_transposed(workspace.weights);
  }
  return {*kernel_,
          states_.view(),
          noise_.view(),
          factor_,
          arms_ ? VectorIn(workspace.weights) : VectorIn(weights_.view()),
          largest_diagonal_,
          ridge_};
}

Evidence ExactRegression::evidence() const {
  return {rounds_,          factor_.size(),  ridge_,
          log_determinant_, sum_of_squares_, forward_.view().squaredNorm() + within_ / ridge_};
}

BestUpper ExactRegression::best_upper(const MatrixIn& states, double radius, Workspace& workspace) const {
  if (states.size() == 0) throw InvalidArgument("states must not be empty");
  check_states(states);
  if (factor_.size() == 0) {
    predict(states, workspace.prediction, workspace);
    return best_of(workspace.prediction, radius);
  }
  return best_upper_by_elimination(view(workspace), states, radius, workspace);
}

BestUpper ExactRegression::best_arm(double radius) const {
  if (!arms_) throw InvalidArgument("this model has no arms of its own");
  return best_of(arms_->prediction, radius);
}

std::unique_ptr<Regression> ExactRegression::clone() const {
  return std::make_unique<ExactRegression>(*this);
}

ExactRegression::Memory ExactRegression::memory() const {
  Memory memory;
  memory.rounds = rounds_;
  memory.changes = changes_;
  memory.within = within_;
  memory.sum_of_squares = sum_of_squares_;
  memory.log_determinant = log_determinant_;
  memory.largest_diagonal = largest_diagonal_;
  memory.states = states_.view();
  memory.counts = counts_.view();
  memory.rewards = rewards_.view();
  memory.forward = forward_.view();
  memory.weights = weights_.view();
  if (arms_) {
    memory.arm_rows = arms_->rows.view();
    memory.arm_means = arms_->prediction.mean;
    memory.arm_explained = arms_->explained;
  }
  return memory;
}

void ExactRegression::restore(const Memory& memory, GrowingCholesky factor) {
  const Index m = memory.states.cols();
  ExactRegression fresh(kernel_, ridge_, arms_ ? std::optional<Matrix>(arms_->points) : std::nullopt);
  fresh.rounds_ = memory.rounds;
  fresh.changes_ = memory.changes;
  fresh.within_ = memory.within;
  fresh.sum_of_squares_ = memory.sum_of_squares;
  fresh.log_determinant_ = memory.log_determinant;
  fresh.largest_diagonal_ = memory.largest_diagonal;
  fresh.states_ = GrowingColumns(memory.states.rows());
  for (Index i = 0; i < m; ++i) {
    fresh.index_.add(memory.states.col(i), i);
    fresh.states_.append(memory.states.col(i));
    fresh.counts_.append(memory.counts[i]);
    fresh.rewards_.append(memory.rewards[i]);
    fresh.noise_.append(ridge_ / memory.counts[i]);
    fresh.forward_.append(memory.forward[i]);
    if (arms_) fresh.arms_->rows.append(memory.arm_rows.col(i));
  }
  for (Index i = 0; i < memory.weights.size(); ++i) fresh.weights_.append(memory.weights[i]);
  fresh.factor_ = std::move(factor);
  if (arms_) {
    fresh.arms_->prediction.mean = memory.arm_means;
    fresh.arms_->explained = memory.arm_explained;
    fresh.arms_->included = m;
    fresh.refresh_arms();
  }
  *this = std::move(fresh);
}

}  // namespace ridgerunner
