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
