#pragma once

#include <vector>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// The Cholesky factorisation that eliminates the largest remaining variance first and stops when none exceeds
// tolerance * max diagonal. A singular matrix needs no jitter: what is left out has no variance. Points that
// symmetry makes equal are told apart by their index, never by rounding: the pivot is the first variance
// within 1e-6 (relative) of the largest. Cost: n rank^2.
struct PivotedCholesky {
  Matrix factor;              // n x rank, rows in the order of the matrix; rows `pivots` are lower triangular
  std::vector<Index> pivots;  // rank
};
PivotedCholesky pivoted_cholesky(const MatrixIn& matrix, double tolerance);

}  // namespace ridgerunner
