#include "ridgerunner/reproduction/cone_program.h"

#include <cmath>
#include <optional>

#include <Eigen/Cholesky>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

// With K = L L^T and f = v in the basis that L belongs to: f(s_i) = (L v)_i and |f| = |v|.
class Program {
 public:
  Program(const Matrix& between, const Vector& rewards, double radius, double norm_bound)
      : rewards_(rewards), radius_(radius), norm_bound_(norm_bound) {
    constexpr double kJitter = 1e-13;  // as the paper advises
    const Index t = rewards.size();
    Matrix raised = between;
    raised.diagonal() *= 1 + kJitter;
    const Eigen::LLT<Matrix> factor(raised);
    if (factor.info() != Eigen::Success) throw NumericalError("the kernel matrix has no factor");
    const Matrix lower = factor.matrixL();
    at_data_ = lower.topRows(t);
    goal_ = lower.row(t).transpose();
  }

  double maximum(double accuracy) const {
    constexpr double kFaster = 20, kConstraints = 2;
    Vector v = inside();
    for (double weight = 1;; weight *= kFaster) {
      centre(weight, v);
      if (kConstraints / weight <= accuracy) return goal_.dot(v);
    }
  }

 private:
  double error_slack(const Vector& v) const {
    return radius_ * radius_ - (at_data_ * v - rewards_).squaredNorm();
  }
  double norm_slack(const Vector& v) const { return norm_bound_ * norm_bound_ - v.squaredNorm(); }

  // The ridge solutions run from the smallest error to the smallest norm: one of them has both to spare.
  Vector inside() const {
    const Index n = goal_.size();
    const Matrix squares = at_data_.transpose() * at_data_;
    std::optional<Vector> best;
    double most = 0;
    for (double ridge = 1e-8; ridge < 1e8; ridge *= 1.3) {
      const Matrix raised = squares + ridge * Matrix::Identity(n, n);
      const Vector v = raised.llt().solve(at_data_.transpose() * rewards_);
      const double spare =
          std::min(error_slack(v) / (radius_ * radius_), norm_slack(v) / (norm_bound_ * norm_bound_));
      if (spare <= most) continue;
      most = spare;
      best = v;
    }
    if (!best) throw NumericalError("no function meets both constraints");
    return *best;
  }

  std::optional<double> value(double weight, const Vector& v) const {
    const double error = error_slack(v), norm = norm_slack(v);
    if (!(error > 0 && norm > 0)) return std::nullopt;
    return -weight * goal_.dot(v) - std::log(error) - std::log(norm);
  }

  // To the minimum of value(weight, .), from v.
  void centre(double weight, Vector& v) const {
    constexpr int kMostSteps = 200;
    constexpr double kDone = 1e-10;
    const Index n = v.size();
    for (int step = 0; step < kMostSteps; ++step) {
      const double error = error_slack(v), norm = norm_slack(v);
      const Vector error_gradient = 2 / error * (at_data_.transpose() * (at_data_ * v - rewards_));
      const Vector norm_gradient = 2 / norm * v;
      const Vector gradient = error_gradient + norm_gradient - weight * goal_;
      Matrix hessian = 2 / error * (at_data_.transpose() * at_data_);
      hessian += 2 / norm * Matrix::Identity(n, n);
      hessian += error_gradient * error_gradient.transpose() + norm_gradient * norm_gradient.transpose();
      const Vector direction = -hessian.llt().solve(gradient);
      const double descent = -gradient.dot(direction);
      if (!(descent > kDone) || !advance(weight, direction, descent, v)) return;
    }
  }

  // Halves the step until it helps; false if rounding lets none.
  bool advance(double weight, const Vector& direction, double descent, Vector& v) const {
    const double now = *value(weight, v);
    for (double size = 1; size > 1e-12; size /= 2) {
      const Vector next = v + size * direction;
      const auto then = value(weight, next);
      if (!then || *then > now - 0.1 * size * descent) continue;
      v = next;
      return true;
    }
    return false;
  }

  Matrix at_data_;  // t x (t + 1)
  Vector goal_;     // t + 1
  Vector rewards_;
  double radius_, norm_bound_;
};

}  // namespace

double cone_program_maximum(const Matrix& between, const Vector& rewards, double radius, double norm_bound,
                            double accuracy) {
  return Program(between, rewards, radius, norm_bound).maximum(accuracy);
}

}  // namespace ridgerunner
