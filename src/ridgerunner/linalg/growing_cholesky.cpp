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

// A general matrix product first copies its left operand into the order it likes, which for a few columns
// costs more than the product. Here tiles of kTile rows by kGroup columns stay in registers while L streams
// past as it is stored.
constexpr Index kFewColumns = 16;
constexpr Index kTile = 32;
constexpr Index kGroup = 4;
typedef double Lane
    __attribute__((vector_size(64)));  // eight numbers; the compiler splits it where registers are smaller
constexpr Index kLane = 8;

// y (kTile x columns) -= l (kTile x depth) * x (depth x columns); l and y start on a cache line.
template <Index columns>
void subtract_tile(const double* l, Index l_stride, Index depth, const double* x, Index x_stride, double* y,
                   Index y_stride) {
  constexpr Index lanes = kTile / kLane;
  Lane sum[columns][lanes] = {};
  for (Index k = 0; k < depth; ++k, l += l_stride) {
    for (Index c = 0; c < columns; ++c) {
      const double factor = x[c * x_stride + k];
      for (Index i = 0; i < lanes; ++i) sum[c][i] += reinterpret_cast<const Lane*>(l)[i] * factor;
    }
  }
  for (Index c = 0; c < columns; ++c) {
    for (Index r = 0; r < kTile; ++r) y[c * y_stride + r] -= sum[c][r / kLane][r % kLane];
  }
}

// The forward solve of a full panel whose first column is `begin`, for at most kFewColumns columns.
void solve_few_columns(const Matrix& panel, Index begin, MatrixOut x) {
  const Index stride = panel.rows(), x_stride = x.outerStride();
  for (Index tile = 0; tile < stride; tile += kTile) {
    const Index depth = begin + tile;
    for (Index c = 0; c < x.cols(); c += kGroup) {
      const auto subtract = [&]<Index columns>() {
        subtract_tile<columns>(panel.data() + tile, stride, depth, x.data() + c * x_stride, x_stride,
                               x.data() + c * x_stride + depth, x_stride);
      };
      switch (std::min(kGroup, x.cols() - c)) {
        case 1:
          subtract.template operator()<1>();
          break;
        case 2:
          subtract.template operator()<2>();
          break;
        case 3:
          subtract.template operator()<3>();
          break;
        default:
          subtract.template operator()<kGroup>();
      }
    }
    const auto corner = panel.block<kTile, kTile>(tile, depth);
    for (Index c = 0; c < x.cols(); ++c) {
      auto target = x.col(c).segment<kTile>(depth);
      corner.triangularView<Eigen::Lower>().solveInPlace(target);
    }
  }
}

}  // namespace

void GrowingCholesky::push_row(const VectorIn& v, double pivot) {
  const Index panel = size_ / kPanel, row = size_ % kPanel;
  if (row == 0) panels_.emplace_back(Matrix::Zero(kPanel, (panel + 1) * kPanel));
  panels_[panel].row(row).head(size_) = v.transpose();
  panels_[panel](row, size_) = pivot;
  ++size_;
}

void GrowingCholesky::append_solved(const VectorIn& v, double corner) {
  const double square = corner - v.squaredNorm();
  if (!(square > 0) || !std::isfinite(square)) bad_pivot(size_, square);
  push_row(v, std::sqrt(square));
}

void GrowingCholesky::append(MatrixOut cross, MatrixOut corner) {
  solve(cross);
  if (corner.cols() == 1) return append_solved(cross.col(0), corner(0, 0));
  corner.selfadjointView<Eigen::Lower>().rankUpdate(cross.transpose(), -1);
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

void GrowingCholesky::solve_panel(Index panel, MatrixOut x, Index first) const {
  const Index begin = std::max(first, panel_begin(panel)),
              rows = panel_begin(panel) + panel_rows(panel) - begin;
  const auto stored = panels_[panel].middleRows(begin - panel_begin(panel), rows);
  auto target = x.middleRows(begin, rows);
  if (x.cols() == 1) {
    target.col(0).noalias() -= stored.leftCols(begin) * x.col(0).head(begin);
  } else if (x.cols() <= kFewColumns && rows == kPanel) {
    return solve_few_columns(panels_[panel], begin, x);
  } else {
    target.noalias() -= stored.leftCols(begin) * x.topRows(begin);
  }
  stored.middleCols(begin, rows).triangularView<Eigen::Lower>().solveInPlace(target);
}

void GrowingCholesky::solve(MatrixOut x, Index first) const {
  for (Index panel = first / kPanel; panel < panels(); ++panel) solve_panel(panel, x, first);
}

void GrowingCholesky::solve_transposed(MatrixOut x) const {
  for (Index panel = panels() - 1; panel >= 0; --panel) {
    const Index begin = panel_begin(panel), rows = panel_rows(panel);
    const auto stored = panels_[panel].topRows(rows);
    auto solved = x.middleRows(begin, rows);
    stored.middleCols(begin, rows).triangularView<Eigen::Lower>().transpose().solveInPlace(solved);
    if (x.cols() == 1) {
      x.col(0).head(begin).noalias() -= stored.leftCols(begin).transpose() * solved.col(0);
    } else {
      x.topRows(begin).noalias() -= stored.leftCols(begin).transpose() * solved;
    }
  }
}

double GrowingCholesky::log_determinant() const {
  double sum = 0;
  for (Index i = 0; i < size_; ++i) sum += std::log((*this)(i, i));
  return 2 * sum;
}

Rotations GrowingCholesky::update(const VectorIn& x, Index first) {
  return change(x, first, false);
}

Rotations GrowingCholesky::downdate(const VectorIn& x, Index first) {
  // M - x x^T is positive definite exactly if |L^-1 x| < 1; known before anything is touched.
  Vector p = x;
  solve(p, first);
  const double remaining = 1 - p.squaredNorm();
  if (!(remaining > 1e-12)) bad_pivot(first, remaining);
  return change(x, first, true);
}

// Panel by panel, so that each stored number is read and written once. Within a panel the rotations of
// earlier columns are known; those of its own columns are found on the way.
Rotations GrowingCholesky::change(Vector x, Index first, bool downdate) {
  Rotations rotations{first, downdate, std::vector<double>(size_ - first),
                      std::vector<double>(size_ - first)};
  const double sign = downdate ? -1 : 1;
  const auto rotate = [&](auto&& column, auto&& rest, Index k) {
    const double c = rotations.c[k - first], s = rotations.s[k - first];
    column = (column + (sign * s) * rest) / c;
    rest = c * rest - s * column;
  };
  for (Index panel = first / kPanel; panel < panels(); ++panel) {
    const Index begin = panel_begin(panel), rows = panel_rows(panel);
    auto stored = panels_[panel].topRows(rows);
    auto rest = x.segment(begin, rows);
    for (Index k = first; k < begin; ++k) rotate(stored.col(k), rest, k);
    for (Index k = std::max(first, begin); k < begin + rows; ++k) {
      const Index row = k - begin, below = rows - row - 1;
      const double diagonal = stored(row, k), changed = rest[row];
      const double square = (diagonal - changed) * (diagonal + changed);
      const double pivot = downdate ? std::sqrt(square) : std::hypot(diagonal, changed);
      if (!(pivot > 0)) bad_pivot(k, square);
      rotations.c[k - first] = pivot / diagonal;
      rotations.s[k - first] = changed / diagonal;
      stored(row, k) = pivot;
      rotate(stored.col(k).tail(below), rest.tail(below), k);
    }
  }
  return rotations;
}

Vector GrowingCholesky::row(Index row) const {
  return panels_[row / kPanel].row(row % kPanel).head(row + 1);
}

void GrowingCholesky::append_row(const VectorIn& row_with_pivot) {
  const double pivot = row_with_pivot[size_];
  if (!(pivot > 0) || !row_with_pivot.allFinite()) bad_pivot(size_, pivot);
  push_row(row_with_pivot.head(size_), pivot);
}

void carry_rotations(const Rotations& rotations, MatrixOut w_transposed) {
  // [L' 0] = [L x] H, so W' is the upper part of H^-1 [W; 0]. An update's H is orthogonal, so the pair (row
  // of W, rest) turns as (column, x) does; a downdate's is hyperbolic and its inverse has the other sign of
  // s.
  Vector rest = Vector::Zero(w_transposed.rows());
  for (std::size_t k = 0; k < rotations.c.size(); ++k) {
    const double c = rotations.c[k], s = rotations.s[k];
    auto row = w_transposed.col(rotations.first + static_cast<Index>(k));
    row = (row + s * rest) / c;
    rest = c * rest + (rotations.downdate ? s : -s) * row;
  }
}

}  // namespace ridgerunner
