#include "ridgerunner/regression/exact/exact.h"

// What the exact model has learnt, as plain numbers, for archives.

namespace ridgerunner {

ExactRegression::Memory ExactRegression::memory() const {
  Memory memory;
  memory.rounds = rounds_;
  memory.sum_of_squares = sum_of_squares_;
  memory.log_determinant = log_determinant_;
  memory.largest_diagonal = largest_diagonal_;
  memory.row_within = row_within_;
  memory.anchor_within = by_anchor_.within;
  memory.collapse_at = collapse_at_;
  memory.anchors = anchors_.view();
  memory.anchor_counts = by_anchor_.count.view();
  memory.anchor_rewards = by_anchor_.reward.view();
  memory.row_states = states_.view();
  memory.row_counts = counts_.view();
  memory.forward = forward_.view();
  memory.weights = weights_.view();
  memory.row_rewards = rewards_.view();
  if (arms_) {
    memory.arm_rows = arms_->rows.view();
    memory.arm_means = arms_->prediction.mean;
    memory.arm_explained = arms_->explained;
  }
  return memory;
}

void ExactRegression::restore(const Memory& memory, GrowingCholesky factor,
                              std::vector<FurtherRidge> further) {
  ExactRegression fresh(kernel_, ridge_, arms_ ? std::optional<Matrix>(arms_->points) : std::nullopt);
  fresh.rounds_ = memory.rounds;
  fresh.sum_of_squares_ = memory.sum_of_squares;
  fresh.log_determinant_ = memory.log_determinant;
  fresh.largest_diagonal_ = memory.largest_diagonal;
  fresh.row_within_ = memory.row_within;
  fresh.by_anchor_.within = memory.anchor_within;
  fresh.collapse_at_ = memory.collapse_at;
  fresh.anchors_ = fresh.states_ = GrowingColumns(memory.anchors.rows());
  for (Index i = 0; i < memory.anchors.cols(); ++i) {
    fresh.index_.add(memory.anchors.col(i), i);
    fresh.anchors_.append(memory.anchors.col(i));
    fresh.by_anchor_.count.append(memory.anchor_counts[i]);
    fresh.by_anchor_.reward.append(memory.anchor_rewards[i]);
  }
  for (Index i = 0; i < memory.row_states.cols(); ++i) {
    fresh.states_.append(memory.row_states.col(i));
    fresh.counts_.append(memory.row_counts[i]);
    fresh.noise_.append(ridge_ / memory.row_counts[i]);
    fresh.forward_.append(memory.forward[i]);
    if (arms_) fresh.arms_->rows.append(memory.arm_rows.col(i));
  }
  for (const double weight : memory.weights) fresh.weights_.append(weight);
  for (const double reward : memory.row_rewards) fresh.rewards_.append(reward);
  for (std::size_t i = 0; i < further.size(); ++i) {
    further[i].ridge = further_.at(i).ridge;
    for (const double count : memory.row_counts) further[i].noise.append(further[i].ridge / count);
  }
  fresh.further_ = std::move(further);
  if (memory.anchors.cols() > 0) fresh.largest_prior_ = diagonal(*kernel_, memory.anchors).maxCoeff();
  fresh.factor_ = std::move(factor);
  if (arms_) {
    Prediction& at = fresh.arms_->prediction;
    at.mean = memory.arm_means;
    fresh.arms_->explained = memory.arm_explained;
    at.clamped = scaled_sd(at.prior, memory.arm_explained, ridge_, at.sd);
  }
  *this = std::move(fresh);
}

}  // namespace ridgerunner
