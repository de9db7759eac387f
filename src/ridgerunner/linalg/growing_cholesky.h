#pragma once

#include <algorithm>
#include <vector>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// The rotations of one rank-one change, one for each column from `first` on. In the order of the columns, the
// pair (column, x) of an update becomes ((column + s x)/c, c x - s column'), where column' is the new column;
// in a downdate the first s changes its sign.
struct Rotations {
  Index first = 0;
  bool downdate = false;
  std::vector<double> c, s;
};

// The lower Cholesky factor L of a symmetric positive-definite matrix that grows by rows.
//
// Rows are stored in panels of kPanel rows, each allocated once, only up to the diagonal: appending never
// copies what is there, and t rows take t^2/2 numbers (a doubled square would take up to 4 t^2).
// Every pivot is checked; a failure throws NumericalError and leaves the factor as it was.
class GrowingCholesky {
 public:
  static constexpr Index kPanel = 128;

  Index size() const { return size_; }

  // Appends p rows. `cross`: t x p, the block of the matrix between old and new rows, is overwritten with
  // L^-1 cross. `corner`: p x p, the block of the new rows (lower triangle), with its own factor.
  // Cost: p t^2/2 + p^2 t/2 + p^3/6 multiply-adds.
  void append(MatrixOut cross, MatrixOut corner);

  // Appends one row of which the solve v = L^-1 cross is already known. Cost: t.
  void append_solved(const VectorIn& v, double corner);

  // In place X <- L^-1 X and X <- L^-T X for t x n right-hand sides. Cost: n t^2/2.
  // With `first`, rows before it are taken as solved already.
  void solve(MatrixOut x, Index first = 0) const;
  void solve_transposed(MatrixOut x) const;

  // The forward solve in steps: the rows of one panel, when those of earlier panels are done.
  Index panels() const { return static_cast<Index>(panels_.size()); }
  Index panel_begin(Index panel) const { return panel * kPanel; }
  Index panel_rows(Index panel) const { return std::min(kPanel, size_ - panel * kPanel); }
  void solve_panel(Index panel, MatrixOut x, Index first = 0) const;

  // ln det of the matrix: 2 sum ln L_ii. Cost: t.
  double log_determinant() const;

  // Replaces the matrix M by M + x x^T, or M - x x^T. x is zero before `first`. Cost: 2 (t - first)^2.
  Rotations update(const VectorIn& x, Index first = 0);
  Rotations downdate(const VectorIn& x, Index first = 0);

  // row >= column
  double operator()(Index row, Index column) const { return panels_[row / kPanel](row % kPanel, column); }

  // For archives: the rows as they are stored, and a factor from such rows.
  Vector row(Index row) const;
  void append_row(const VectorIn& row_with_pivot);

 private:
  void push_row(const VectorIn& v, double pivot);
  Rotations change(Vector x, Index first, bool downdate);

  Index size_ = 0;
  std::vector<Matrix> panels_;  // panel i: kPanel x (i + 1) kPanel
};

// W = L^-1 K follows the change of L: W <- L'^-1 K. Given and changed as its transpose, n x t. Cost: 2 (t -
// first) n.
void carry_rotations(const Rotations& rotations, MatrixOut w_transposed);

}  // namespace ridgerunner
