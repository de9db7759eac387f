#include "oracles/dense.h"

#include <Eigen/Eigenvalues>

namespace ridgerunner::oracle {

DenseRegression::DenseRegression(const Kernel& kernel, const MatrixIn& states, const VectorIn& rewards,
                                 double ridge)
    : kernel_(kernel), states_(states), rewards_(rewards.cast<long double>()), ridge_(ridge) {
  raised_ = gram(kernel, states, states).cast<long double>();
  raised_.diagonal().array() += ridge_;
  factor_.compute(raised_);
}

LongMatrix DenseRegression::cross(const MatrixIn& states) const {
  return gram(kernel_, states_, states).cast<long double>();
}

LongVector DenseRegression::mean(const MatrixIn& states) const {
  return cross(states).transpose() * factor_.solve(rewards_);
}

LongVector DenseRegression::sd(const MatrixIn& states) const {
  const LongMatrix k = cross(states), solved = factor_.solve(k);
  const LongVector prior = diagonal(kernel_, states).cast<long double>();
  LongVector result(states.cols());
  for (Index i = 0; i < states.cols(); ++i) {
    result[i] = std::sqrt((prior[i] - k.col(i).dot(solved.col(i))) / ridge_);
  }
  return result;
}

LongMatrix DenseRegression::covariance(const MatrixIn& states) const {
  const LongMatrix k = cross(states);
  return (gram(kernel_, states, states).cast<long double>() - k.transpose() * factor_.solve(k)) / ridge_;
}

long double DenseRegression::log_determinant() const {
  long double sum = 0;
  for (Index i = 0; i < raised_.rows(); ++i)
    sum += 2 * std::log(factor_.matrixLLT()(i, i)) - std::log(ridge_);
  return sum;
}

long double DenseRegression::quadratic_form() const {
  return rewards_.dot(factor_.solve(rewards_));
}

long double DenseRegression::condition() const {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(raised_.cast<double>(), Eigen::EigenvaluesOnly);
  return static_cast<long double>(solver.eigenvalues().maxCoeff()) / ridge_;
}

DenseProjected::DenseProjected(const Kernel& kernel, const MatrixIn& anchors, const MatrixIn& states,
                               const VectorIn& rewards, double ridge, std::vector<Index> known)
    : kernel_(kernel),
      anchors_(anchors),
      states_(states),
      rewards_(rewards.cast<long double>()),
      ridge_(ridge),
      known_(std::move(known)) {
  if (known_.empty()) known_.assign(static_cast<std::size_t>(states.cols()), anchors.cols());
  projected_ = LongMatrix::Zero(states.cols(), states.cols());
  for (Index j = 0; j < states.cols();) {  // `known` never falls: later ones knew at least as much
    const Index knew = known_[static_cast<std::size_t>(j)];
    Index end = j;
    while (end < states.cols() && known_[static_cast<std::size_t>(end)] == knew) ++end;
    const LongMatrix z = spectral(knew, states.rightCols(states.cols() - j));
    const LongMatrix rows = z.leftCols(end - j).transpose() * z;
    projected_.block(j, j, end - j, states.cols() - j) = rows;
    projected_.block(j, j, states.cols() - j, end - j) = rows.transpose();
    j = end;
  }
  LongMatrix raised = projected_;
  raised.diagonal().array() += ridge_;
  factor_.compute(raised);
}

// D^-1/2 U^T k_Z(s) for U D U^T = K_ZZ of the first anchors, but for directions that are only rounding.
LongMatrix DenseProjected::spectral(Index anchors, const MatrixIn& states) const {
  if (anchors == 0) return LongMatrix(0, states.cols());
  const Matrix z = anchors_.leftCols(anchors);
  const Eigen::SelfAdjointEigenSolver<LongMatrix> solver(gram(kernel_, z, z).cast<long double>());
  const LongVector values = solver.eigenvalues();
  const LongMatrix along = solver.eigenvectors().transpose() * gram(kernel_, z, states).cast<long double>();
  Index first = 0;
  while (first < anchors && values[first] <= 1e-12L * values[anchors - 1]) ++first;
  const Index rank = anchors - first;
  return values.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal() * along.bottomRows(rank);
}

LongMatrix DenseProjected::cross(const MatrixIn& states) const {
  LongMatrix result(states_.cols(), states.cols());
  for (Index i = 0; i < states_.cols();) {
    const Index knew = known_[static_cast<std::size_t>(i)];
    Index end = i;
    while (end < states_.cols() && known_[static_cast<std::size_t>(end)] == knew) ++end;
    result.middleRows(i, end - i) =
        spectral(knew, states_.middleCols(i, end - i)).transpose() * spectral(knew, states);
    i = end;
  }
  return result;
}

LongVector DenseProjected::mean(const MatrixIn& states) const {
  return cross(states).transpose() * factor_.solve(rewards_);
}

LongVector DenseProjected::sd(const MatrixIn& states) const {
  const LongMatrix k = cross(states), solved = factor_.solve(k);
  const LongVector prior = diagonal(kernel_, states).cast<long double>();
  LongVector result(states.cols());
  for (Index i = 0; i < states.cols(); ++i)
    result[i] = std::sqrt((prior[i] - k.col(i).dot(solved.col(i))) / ridge_);
  return result;
}

LongMatrix DenseProjected::covariance(const MatrixIn& states) const {
  const LongMatrix k = cross(states);
  return (gram(kernel_, states, states).cast<long double>() - k.transpose() * factor_.solve(k)) / ridge_;
}

long double DenseProjected::log_determinant() const {
  long double sum = 0;
  for (Index i = 0; i < projected_.rows(); ++i)
    sum += 2 * std::log(factor_.matrixLLT()(i, i)) - std::log(ridge_);
  return sum;
}

long double DenseProjected::quadratic_form() const {
  return rewards_.dot(factor_.solve(rewards_));
}

long double DenseProjected::residual_sum() const {
  return diagonal(kernel_, states_).cast<long double>().sum() - projected_.trace();
}

long double DenseProjected::variance_sum() const {
  return factor_.solve(projected_).trace() + residual_sum() / ridge_;
}

long double DenseProjected::projection_error() const {
  const Matrix missed = gram(kernel_, states_, states_) - projected_.cast<double>();
  return Eigen::SelfAdjointEigenSolver<Matrix>(missed, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
}

Vector NoteKernelUcb::scores(const MatrixIn& contexts) const {
  const Index n = contexts.cols();
  if (rewards_.size() == 0) return Vector::Unit(n, 0);
  Vector u(n);
  for (Index i = 0; i < n; ++i) {
    const Vector k = gram(kernel_, contexts_, contexts.col(i));
    const double sigma = std::sqrt(diagonal(kernel_, contexts.col(i))[0] - k.dot(inverse_ * k));
    u[i] = k.dot(inverse_ * rewards_) + eta_ / std::sqrt(gamma_) * sigma;
  }
  return u;
}

Index NoteKernelUcb::choose(const MatrixIn& contexts) const {
  Index best = 0;
  scores(contexts).maxCoeff(&best);
  return best;
}

void NoteKernelUcb::update(const VectorIn& context, double reward) {
  const Index t = rewards_.size();
  const double own = diagonal(kernel_, context)[0];
  if (t == 0) {
    inverse_ = Matrix::Constant(1, 1, 1 / (own + gamma_));
    contexts_ = context;
  } else {
    const Vector b = gram(kernel_, contexts_, context);
    const double k22 = 1 / (own + gamma_ - b.dot(inverse_ * b));
    const Vector ib = inverse_ * b;
    Matrix next(t + 1, t + 1);
    next.topLeftCorner(t, t) = inverse_ + k22 * ib * ib.transpose();
    next.topRightCorner(t, 1) = -k22 * ib;
    next.bottomLeftCorner(1, t) = -k22 * ib.transpose();
    next(t, t) = k22;
    inverse_ = next;
    contexts_.conservativeResize(Eigen::NoChange, t + 1);
    contexts_.col(t) = context;
  }
  rewards_.conservativeResize(t + 1);
  rewards_[t] = reward;
}

}  // namespace ridgerunner::oracle
