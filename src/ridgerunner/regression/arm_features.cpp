#include "ridgerunner/regression/arm_features.h"

#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/linalg/pivoted_cholesky.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/joint_prediction.h"

namespace ridgerunner {
namespace {

constexpr double kRounding = 1e-15;  // of the largest k(s, s): variance that features may leave out

}  // namespace

ArmFeatureRegression::ArmFeatureRegression(KernelPtr kernel, double ridge, Matrix arms)
    : kernel_(std::move(kernel)), ridge_(ridge), arms_(std::move(arms)) {
  require_positive("ridge", ridge);
  if (!kernel_) throw InvalidArgument("kernel must be a kernel, got none");
  require_arms(arms_);
  kernel_->check_dimension(arms_.rows());
  points_ = anchors_ = GrowingColumns(arms_.rows());
  for (Index i = 0; i < arms_.cols(); ++i) arm_points_.push_back(point_of(arms_.col(i)));
  arm_point_count_ = points_.size();
  compute_features();
}

// The point of a state; a new one, still without features, if it has none.
Index ArmFeatureRegression::point_of(const VectorIn& state) {
  if (const auto known = index_.find(state, points_.view())) return *known;
  index_.add(state, points_.size());
  points_.append(state);
  counts_.append(0);
  rewards_.append(0);
  return points_.size() - 1;
}

// Features of all points, and what hangs on them.
void ArmFeatureRegression::compute_features() {
  const Matrix between = gram(*kernel_, points_.view(), points_.view());
  prior_ = between.diagonal();
  require_priors(prior_);
  if (!between.allFinite()) throw NumericalError("a kernel value is not finite");
  features_ = pivoted_cholesky(between, kRounding).factor;
  residual_.resize(points_.size());
  for (Index i = 0; i < points_.size(); ++i) {
    const double explained = features_.row(i).squaredNorm();
    check_variance(prior_[i], explained);
    residual_[i] = std::max(prior_[i] - explained, 0.0);
  }
  information_.setZero(rank(), rank());
  moment_.setZero(rank());
  for (const Index i : order_) {
    information_.selfadjointView<Eigen::Lower>().rankUpdate(features_.row(i).transpose(), counts_[i]);
    moment_ += counts_[i] * rewards_[i] * features_.row(i).transpose();
  }
  fit_ = fitted(information_, moment_, ridge_);
}

Matrix ArmFeatureRegression::factored(Matrix information, double ridge) {
  information.diagonal().array() += ridge;
  if (information.size() == 0) return information;
  Eigen::LLT<Eigen::Ref<Matrix>> factor(information);
  if (factor.info() != Eigen::Success || !information.diagonal().allFinite()) {
    throw NumericalError(fmt::format(
        "the arms' matrix is not positive definite to working precision at a ridge of {}", ridge));
  }
  return information;  // its lower triangle
}

ArmFeatureRegression::Fit ArmFeatureRegression::fitted(const Matrix& information, const Vector& moment,
                                                       double ridge) {
  Fit fit{factored(information, ridge), moment};
  if (moment.size() == 0) return fit;
  fit.factor.triangularView<Eigen::Lower>().solveInPlace(fit.weights);
  fit.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(fit.weights);
  return fit;
}

void ArmFeatureRegression::check(const MatrixIn& states) const {
  require_states(states, arms_.rows());
  require_priors(diagonal(*kernel_, states));  // some kernels take only some points
}

void ArmFeatureRegression::observe(const MatrixIn& states, const VectorIn& rewards, Workspace&) {
  require_states(states, arms_.rows());
  require_rewards(states, rewards);
  if (states.cols() == 1) {
    observe_one(states.col(0), rewards[0]);
    return;
  }
  ArmFeatureRegression after(*this);  // all of them or none
  for (Index i = 0; i < states.cols(); ++i) after.observe_one(states.col(i), rewards[i]);
  *this = std::move(after);
}

void ArmFeatureRegression::observe_one(const VectorIn& state, double reward) {
  if (const auto known = index_.find(state, points_.view())) {
    count(*known, reward);
    return;
  }
  ArmFeatureRegression grown(*this);
  const Index point = grown.point_of(state);
  grown.compute_features();
  grown.count(point, reward);
  *this = std::move(grown);
}

void ArmFeatureRegression::count(Index point, double reward) {
  Matrix information = information_;
  const Vector z = features_.row(point).transpose();
  information.selfadjointView<Eigen::Lower>().rankUpdate(z);
  Vector moment = moment_ + reward * z;
  Fit fit = fitted(information, moment, ridge_);
  // Nothing below fails, but for want of memory.
  information_ = std::move(information);
  moment_ = std::move(moment);
  fit_ = std::move(fit);
  const double n = counts_[point], change = reward - rewards_[point];
  if (n == 0) {
    order_.push_back(point);
    anchors_.append(points_.col(point));
    largest_prior_ = std::max(largest_prior_, prior_[point]);
  }
  within_ += change * change * n / (n + 1);
  rewards_[point] += change / (n + 1);
  counts_[point] = n + 1;
  sum_of_squares_ += reward * reward;
  ++rounds_;
}

// z: n x r, features by row. Each row's result does not depend on the others, to the bit.
void ArmFeatureRegression::evaluate(const MatrixIn& z, const VectorIn& residual, const VectorIn& prior,
                                    Prediction& out) const {
  const Index n = z.rows(), r = z.cols();
  Matrix solved(n, r);
  Vector spread = Vector::Zero(n);
  out.mean.setZero(n);
  for (Index j = 0; j < r; ++j) {
    auto column = solved.col(j);
    column = z.col(j);
    add_scaled(fit_.weights[j], column, out.mean);
    const Vector row = fit_.factor.row(j).head(j + 1).transpose();
    subtract_product(solved.leftCols(j), row.head(j), column);
    column /= row[j];
    add_squares(column, spread);
  }
  out.prior = prior;
  out.sd = (residual / ridge_ + spread).cwiseSqrt();
  out.clamped = 0;
}

Prediction ArmFeatureRegression::arm_prediction() const {
  const Index n = arm_point_count_;
  Prediction points;
  evaluate(features_.topRows(n), residual_.head(n), prior_.head(n), points);
  if (n == arms_.cols()) return points;
  return {points.mean(arm_points_), points.sd(arm_points_), points.prior(arm_points_), 0};
}

void ArmFeatureRegression::predict(const MatrixIn& states, Prediction& out, Workspace&) const {
  require_states(states, arms_.rows());
  std::vector<Index> known, places, outside;
  for (Index i = 0; i < states.cols(); ++i) {
    if (const auto point = index_.find(states.col(i), points_.view())) {
      known.push_back(*point);
      places.push_back(i);
    } else {
      outside.push_back(i);
    }
  }
  const Matrix z = features_(known, Eigen::all);
  evaluate(z, residual_(known), prior_(known), out);
  if (outside.empty()) return;
  const Prediction at = std::move(out), other = ridgerunner::predict(dense(), states(Eigen::all, outside));
  const Index n = states.cols();
  out = {Vector(n), Vector(n), Vector(n), other.clamped};
  for (const auto& [from, where] : {std::pair(&at, &places), std::pair(&other, &outside)}) {
    out.mean(*where) = from->mean;
    out.sd(*where) = from->sd;
    out.prior(*where) = from->prior;
  }
}

JointPrediction ArmFeatureRegression::predict_jointly(const MatrixIn& states, Workspace& workspace) const {
  require_states(states, arms_.rows());
  std::vector<Index> known;
  for (Index i = 0; i < states.cols(); ++i) {
    const auto point = index_.find(states.col(i), points_.view());
    if (!point) return dense().predict_jointly(states, workspace);
    known.push_back(*point);
  }
  JointPrediction out{{}, states, features_(known, Eigen::all).transpose(), Matrix(), ridge_, kernel_};
  predict(states, out.at, workspace);
  out.spread = out.explained;
  if (rank() > 0) fit_.factor.triangularView<Eigen::Lower>().solveInPlace(out.spread);
  return out;
}

// Equal states of a batch are one row there.
ExactRegression ArmFeatureRegression::dense() const {
  ExactRegression dense(kernel_, ridge_);
  Matrix seen(arms_.rows(), rounds_);
  Vector rewards(rounds_);
  Index next = 0;
  for (const Index i : order_) {
    const auto n = static_cast<Index>(counts_[i]);
    seen.middleCols(next, n).colwise() = points_.col(i);
    rewards.segment(next, n).setConstant(rewards_[i]);
    next += n;
  }
  if (rounds_ > 0) dense.observe(seen, rewards);
  return dense;
}

BestUpper ArmFeatureRegression::best_arm(double radius) const {
  return best_of(arm_prediction(), radius);
}

void ArmFeatureRegression::set_ridge(double ridge) {
  require_positive("ridge", ridge);
  if (ridge == ridge_) return;
  fit_ = fitted(information_, moment_, ridge);
  ridge_ = ridge;
}

double ArmFeatureRegression::log_determinant(double ridge) const {
  require_positive("ridge", ridge);
  const Matrix other = ridge == ridge_ ? Matrix() : factored(information_, ridge);
  const Matrix& factor = ridge == ridge_ ? fit_.factor : other;
  double sum = 0;
  for (Index i = 0; i < rank(); ++i) sum += std::log(factor(i, i));
  return std::max(2 * sum - static_cast<double>(rank()) * std::log(ridge), 0.0);
}

double ArmFeatureRegression::squared_error() const {
  const Vector missed = rewards_.view() - features_ * fit_.weights;
  return within_ + counts_.view().dot(missed.cwiseAbs2());  // points that were not seen count 0
}

Evidence ArmFeatureRegression::evidence() const {
  Evidence evidence;
  evidence.rounds = rounds_;
  evidence.anchors = anchors_.size();
  evidence.ridge = ridge_;
  evidence.log_determinant = log_determinant(ridge_);
  evidence.sum_of_squares = sum_of_squares_;
  evidence.quadratic_form = squared_error() / ridge_ + fit_.weights.squaredNorm();
  evidence.largest_prior = largest_prior_;
  return evidence;
}

// d_eff = tr(F V^-1) = r - λ tr V^-1.
Diagnostics ArmFeatureRegression::diagnostics() const {
  Matrix inverse = Matrix::Identity(rank(), rank());
  if (rank() > 0) fit_.factor.triangularView<Eigen::Lower>().solveInPlace(inverse);
  const double dimension = static_cast<double>(rank()) - ridge_ * inverse.squaredNorm();
  return {std::max(dimension, 0.0), 0};
}

std::unique_ptr<Regression> ArmFeatureRegression::clone() const {
  return std::make_unique<ArmFeatureRegression>(*this);
}

ArmFeatureRegression::Memory ArmFeatureRegression::memory() const {
  const Index outsiders = points_.size() - arm_point_count_;
  return {rounds_,        sum_of_squares_, within_, points_.view().rightCols(outsiders),
          counts_.view(), rewards_.view(), order_,  information_,
          moment_};
}

void ArmFeatureRegression::restore(const Memory& memory) {
  ArmFeatureRegression fresh(kernel_, ridge_, arms_);
  for (Index i = 0; i < memory.outsiders.cols(); ++i) fresh.point_of(memory.outsiders.col(i));
  if (fresh.points_.size() != memory.counts.size() || fresh.points_.size() != memory.rewards.size())
    throw InvalidArgument("the archive has counts of other points");
  if (memory.outsiders.cols() > 0) fresh.compute_features();
  const Index r = fresh.rank();
  if (memory.information.rows() != r || memory.information.cols() != r || memory.moment.size() != r)
    throw InvalidArgument(
        fmt::format("the archive has features of rank {}, but here it is {}", memory.moment.size(), r));
  fresh.counts_.view() = memory.counts;
  fresh.rewards_.view() = memory.rewards;
  for (const Index i : memory.order) {
    fresh.order_.push_back(i);
    fresh.anchors_.append(fresh.points_.col(i));
    fresh.largest_prior_ = std::max(fresh.largest_prior_, fresh.prior_[i]);
  }
  fresh.rounds_ = memory.rounds;
  fresh.sum_of_squares_ = memory.sum_of_squares;
  fresh.within_ = memory.within;
  fresh.information_ = memory.information;
  fresh.moment_ = memory.moment;
  fresh.fit_ = fitted(fresh.information_, fresh.moment_, ridge_);
  *this = std::move(fresh);
}

}  // namespace ridgerunner
