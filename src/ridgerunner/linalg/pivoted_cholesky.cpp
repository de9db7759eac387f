#include "ridgerunner/linalg/pivoted_cholesky.h"

#include <cmath>

namespace ridgerunner {

PivotedCholesky pivoted_cholesky(const MatrixIn& matrix, double tolerance) {
  const Index n = matrix.rows();
  Vector left = matrix.diagonal();  // variance not yet explained
  const double least = tolerance * left.maxCoeff();
  Matrix factor(n, n);
  std::vector<Index> pivots;
  for (Index rank = 0; rank < n; ++rank) {
    const double largest = left.maxCoeff();
    if (!(largest > least)) break;
    Index pivot = 0;
    while (left[pivot] < (1 - 1e-6) * largest) ++pivot;
    factor.col(rank) = matrix.col(pivot);
    factor.col(rank).noalias() -= factor.leftCols(rank) * factor.row(pivot).head(rank).transpose();
    factor.col(rank) /= std::sqrt(left[pivot]);
    left -= factor.col(rank).cwiseAbs2();
    left[pivot] = 0;
    pivots.push_back(pivot);
  }
  return {factor.leftCols(std::ssize(pivots)), pivots};
}

}  // namespace ridgerunner
