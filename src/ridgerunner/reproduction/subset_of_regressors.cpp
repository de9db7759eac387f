#include "ridgerunner/reproduction/subset_of_regressors.h"

#include <Eigen/Dense>

namespace ridgerunner {

Vector subset_of_regressors_sd(const Kernel& kernel, const MatrixIn& anchors, const MatrixIn& data,
                               const MatrixIn& states, double ridge) {
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(gram(kernel, anchors, anchors));
  const Vector& values = spectrum.eigenvalues();
  Index null = 0;
  while (null < values.size() && values[null] <= 1e-10 * values[values.size() - 1]) ++null;
  const Index rank = values.size() - null;
  const Matrix basis = spectrum.eigenvectors().rightCols(rank) *
                       values.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();  // m x rank
  const Matrix z = basis.transpose() * gram(kernel, anchors, data);
  const Matrix at = basis.transpose() * gram(kernel, anchors, states);
  Matrix v = z * z.transpose();
  v.diagonal().array() += ridge;
  const Eigen::LLT<Matrix> factor(v);
  return factor.matrixL().solve(at).colwise().norm().transpose();
}

}  // namespace ridgerunner
