#include "oracles/cone.h"

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace ridgerunner::oracle {

// In coordinates v of the span of φ(s_1), ..., φ(s_t), φ(s) where |f| = |v|: with the Gram matrix G = Q D Q^T
// of these t + 1 points, f at them is Q D^1/2 v.
double cone_program(const Kernel& kernel, const MatrixIn& states, const VectorIn& rewards,
                    double radius_squared, double norm_bound, const VectorIn& at) {
  const Index t = states.cols();
  Matrix points(states.rows(), t + 1);
  points << states, at;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(gram(kernel, points, points));
  const Matrix values = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  const Matrix data = values.topRows(t);
  const Vector goal = values.row(t).transpose();
  const double ball = norm_bound * norm_bound;
  const auto room = [&](const Vector& v) {
    return std::pair(ball - v.squaredNorm(), radius_squared - (data * v - rewards).squaredNorm());
  };
  const Matrix normal = data.transpose() * data, identity = Matrix::Identity(t + 1, t + 1);
  const Vector moment = data.transpose() * rewards;
  Vector v;
  bool feasible = false;
  for (double ridge = 1e-6; ridge < 1e6 && !feasible; ridge *= 1.5) {
    v = (normal + ridge * identity).ldlt().solve(moment);
    feasible = room(v).first > 0 && room(v).second > 0;
  }
  if (!feasible) return std::numeric_limits<double>::quiet_NaN();
  const auto barrier = [&](const Vector& x, double weight) {
    const auto [first, second] = room(x);
    if (!(first > 0 && second > 0)) return std::numeric_limits<double>::infinity();
    return -weight * goal.dot(x) - std::log(first) - std::log(second);
  };
  for (double weight = 1; weight < 1e11; weight *= 5) {  // the gap is 2/weight
    for (int step = 0; step < 60; ++step) {
      const auto [first, second] = room(v);
      const Vector inside = 2 * v, residual = 2 * (normal * v - moment);
      const Vector slope = -weight * goal + inside / first + residual / second;
      const Matrix curve = 2 * identity / first + inside * inside.transpose() / (first * first) +
                           2 * normal / second + residual * residual.transpose() / (second * second);
      const Vector move = -curve.ldlt().solve(slope);
      double length = 1;
      while (length > 1e-12 && barrier(v + length * move, weight) > barrier(v, weight)) length /= 2;
      v += length * move;
      if (-slope.dot(move) < 1e-10) break;
    }
  }
  return goal.dot(v);
}

}  // namespace ridgerunner::oracle
