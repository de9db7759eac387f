#pragma once

#include <vector>

#include "ridgerunner/linalg/shared.h"
#include "ridgerunner/linalg/tile_solve.h"
#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// The lower Cholesky factor L of a symmetric positive-definite matrix that grows by rows.
//
// Rows are stored in tiles of kTileRows rows, each allocated once, only up to the diagonal: appending never
// copies what is there, and t rows take t^2/2 numbers (a doubled square would take up to 4 t^2). Every pivot
// is checked; a failure throws NumericalError and leaves the factor as it was.
//
// A copy shares all tiles, and costs t/kTileRows counters. Whichever of the two changes a tile first copies
// that tile: appending rows copies at most one, update() all of them.
class GrowingCholesky {
 public:
  Index size() const { return size_; }

  // Appends p rows. `cross`: t x p, the block of the matrix between old and new rows, is overwritten with
  // L^-1 cross. `corner`: p x p, the block of the new rows (lower triangle), with its own factor.
  // Cost: p t^2/2 + p^2 t/2 + p^3/6 multiply-adds.
  void append(MatrixOut cross, MatrixOut corner);

  // Appends one row of which the solve v = L^-1 cross is already known. Cost: t.
  void append_solved(const VectorIn& v, double corner);

  // Forgets all rows but the first `rows`.
  void truncate(Index rows);

  // In place X <- L^-1 X for t x n right-hand sides: rows first .. last - 1, of which those before `first`
  // are solved already. A column's result does not depend on the other columns, to the bit. Cost: n (last^2 -
  // first^2)/2.
  void solve(MatrixOut x) const { solve_rows(x, 0, size_); }
  void solve_rows(MatrixOut x, Index first, Index last) const;

  // In place X <- L^-T X. A column's result does not depend on the others. Cost: n t^2/2.
  void solve_transposed(MatrixOut x) const;

  // ln det of the matrix: 2 sum ln L_ii. Cost: t.
  double log_determinant() const;

  // Replaces the matrix M by M + x x^T, by a rotation for each column. x is used up. Cost: 2 t^2.
  void update(VectorOut x);

  // row >= column
  double operator()(Index row, Index column) const {
    return (*tiles_[row / kTileRows])(row % kTileRows, column);
  }

  // Row i with its pivot, i + 1 numbers; and a factor from such rows.
  auto row(Index i) const { return tiles_[i / kTileRows]->row(i % kTileRows).head(i + 1); }
  void append_row(const VectorIn& row_with_pivot);

 private:
  Index tiles() const { return static_cast<Index>(tiles_.size()); }
  Index tile_rows(Index tile) const;
  void push_row(const VectorIn& v, double pivot);

  Index size_ = 0;
  std::vector<Shared<Matrix>> tiles_;  // tile i: kTileRows x (i + 1) kTileRows
};

}  // namespace ridgerunner
