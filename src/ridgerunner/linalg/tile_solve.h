#pragma once

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Rows of a lower triangular matrix that are stored and solved together: column-major, kTileRows to a column.
constexpr Index kTileRows = 32;

// The forward solve of one tile: with l = [A D], A: kTileRows x begin, D lower triangular,
//   x(begin + first .. begin + rows) <- D^-1 (x(...) - A x(0 .. begin)),  for `columns` columns `stride`
//   apart,
// where rows of the tile before `first` are taken as solved already.
//
// A general matrix product would group and round a column's sums by how many columns there are. Here every
// column is computed by itself, in an order that depends on nothing but the rows: the same column gives the
// same bits, alone or among others. l is aligned to 64 bytes; its entries above the diagonal and below row
// `rows` are 0.
void solve_tile(const double* l, Index begin, Index first, Index rows, double* x, Index stride,
                Index columns);

// The backward solve of one tile, l as above, in the same spirit:
//   x(begin .. begin + rows) <- D^-T x(...),   x(0 .. begin) <- x(0 .. begin) - A^T x(begin .. begin + rows).
void solve_tile_transposed(const double* l, Index begin, Index rows, double* x, Index stride, Index columns);

// Plane rotations of the tile's first `columns` columns with one more, x: column k <- c_k column + s_k x, x
// <- c_k x - s_k column, one after the other. x: kTileRows numbers, aligned like l.
void rotate_tile(double* l, Index columns, const double* cosine, const double* sine, double* x);

}  // namespace ridgerunner
