#include "ridgerunner/linalg/growing_cholesky.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

[[noreturn]] void bad_pivot(Index row, double value) {
  throw NumericalError(
      fmt::format("the pivot of row {} is {}, not positive: the kernel matrix is not positive definite to "
                  "working precision (a larger ridge helps if the kernel is right)",
                  row, value));
}

}  // namespace

Index GrowingCholesky::tile_rows(Index tile) const {
  return std::min(kTileRows, size_ - tile * kTileRows);
}

void GrowingCholesky::push_row(const VectorIn& v, double pivot) {
  const Index tile = size_ / kTileRows, row = size_ % kTileRows;
  if (row == 0) tiles_.emplace_back(std::in_place, Matrix::Zero(kTileRows, (tile + 1) * kTileRows));
  Matrix& stored = tiles_[tile].own();
  stored.row(row).head(size_) = v.transpose();
  stored(row, size_) = pivot;
  ++size_;
}

void GrowingCholesky::append_solved(const VectorIn& v, double corner) {
  const double square = corner - v.squaredNorm();
  if (!(square > 0) || !std::isfinite(square)) bad_pivot(size_, square);
  push_row(v, std::sqrt(square));
}

void GrowingCholesky::append(MatrixOut cross, MatrixOut corner) {
  if (corner.cols() == 0) return;
  solve(cross);
  if (corner.cols() == 1) {
    append_solved(cross.col(0), corner(0, 0));
    corner(0, 0) = (*this)(size_ - 1, size_ - 1);
    return;
  }
  if (size_ > 0) corner.selfadjointView<Eigen::Lower>().rankUpdate(cross.transpose(), -1);
  for (Index j = 0; j < corner.cols(); ++j) {  // left-looking, so that a bad pivot can be named
    const double square = corner(j, j) - corner.row(j).head(j).squaredNorm();
    if (!(square > 0) || !std::isfinite(square)) bad_pivot(size_ + j, square);
    corner(j, j) = std::sqrt(square);
    const Index below = corner.rows() - j - 1;
    corner.col(j).tail(below).noalias() -=
        corner.bottomLeftCorner(below, j) * corner.row(j).head(j).transpose();
    corner.col(j).tail(below) /= corner(j, j);
  }
  Vector row(size_ + corner.cols());
  const Index before = size_;
  for (Index j = 0; j < corner.cols(); ++j) {
    row.head(before) = cross.col(j);
    row.segment(before, j) = corner.row(j).head(j).transpose();
    push_row(row.head(before + j), corner(j, j));
  }
}

void GrowingCholesky::truncate(Index rows) {
  const Index kept = (rows + kTileRows - 1) / kTileRows;
  tiles_.erase(tiles_.begin() + kept, tiles_.end());
  if (rows % kTileRows != 0)
    tiles_.back().own().bottomRows(kTileRows - rows % kTileRows).setZero();  // as solve_tile wants it
  size_ = rows;
}

void GrowingCholesky::solve_rows(MatrixOut x, Index first, Index last) const {
  for (Index tile = first / kTileRows; tile * kTileRows < last; ++tile) {
    const Index begin = tile * kTileRows;
    solve_tile(tiles_[tile]->data(), begin, std::max<Index>(0, first - begin),
               std::min(tile_rows(tile), last - begin), x.data(), x.outerStride(), x.cols());
  }
}

void GrowingCholesky::solve_transposed(MatrixOut x) const {
  for (Index tile = tiles() - 1; tile >= 0; --tile)
    solve_tile_transposed(tiles_[tile]->data(), tile * kTileRows, tile_rows(tile), x.data(), x.outerStride(),
                          x.cols());
}

double GrowingCholesky::log_determinant() const {
  double sum = 0;
  for (Index i = 0; i < size_; ++i) sum += std::log((*this)(i, i));
  return 2 * sum;
}

// Golub & Van Loan, section 6.5.4. Tile by tile, so that each stored number is read and written once: within
// a tile the rotations of earlier columns are known, those of its own columns are found on the way.
void GrowingCholesky::update(VectorOut x) {
  if (size_ == 0) return;
  // Anything larger could overflow a pivot half-way.
  if (!x.allFinite() || x.cwiseAbs().maxCoeff() > 1e150)
    throw NumericalError("an update must be finite and below 1e150");
  Vector cosine(size_), sine(size_);  // of the rotation of each column
  for (Index tile = 0; tile < tiles(); ++tile) {
    const Index begin = tile * kTileRows, rows = tile_rows(tile);
    Matrix& stored = tiles_[tile].own();
    alignas(64) double rest[kTileRows] = {};
    std::copy_n(x.data() + begin, rows, rest);
    rotate_tile(stored.data(), begin, cosine.data(), sine.data(), rest);
    for (Index k = begin; k < begin + rows; ++k) {
      const Index row = k - begin;
      const double diagonal = stored(row, k), pivot = std::hypot(diagonal, rest[row]);
      cosine[k] = diagonal / pivot;
      sine[k] = rest[row] / pivot;
      stored(row, k) = pivot;
      for (Index i = row + 1; i < rows; ++i) {
        const double entry = stored(i, k);
        stored(i, k) = cosine[k] * entry + sine[k] * rest[i];
        rest[i] = cosine[k] * rest[i] - sine[k] * entry;
      }
    }
  }
}

void GrowingCholesky::append_row(const VectorIn& row_with_pivot) {
  const double pivot = row_with_pivot[size_];
  if (!(pivot > 0) || !row_with_pivot.allFinite()) bad_pivot(size_, pivot);
  push_row(row_with_pivot.head(size_), pivot);
}

}  // namespace ridgerunner
