#include "ridgerunner/linalg/tile_solve.h"

#include <algorithm>
#include <utility>

#include "ridgerunner/linalg/lane.h"

namespace ridgerunner {
namespace {

constexpr Index kLanes = kTileRows / kWidth;  // registers that hold a column of a tile

// sums(columns x kTileRows) = l x: `lanes` registers by `columns` columns at a time stay in registers while l
// streams past. Each sum runs over k = 0, 1, ... whatever the blocking.
template <Index columns, Index lanes>
void multiply(const double* l, Index depth, const double* x, Index stride, double (*sums)[kTileRows]) {
  for (Index block = 0; block < kLanes; block += lanes) {
    Lane sum[columns][lanes] = {};
    const double* at = l + block * kWidth;
    for (Index k = 0; k < depth; ++k, at += kTileRows) {
      const Lane* row = reinterpret_cast<const Lane*>(at);
      for (Index c = 0; c < columns; ++c) {
        for (Index i = 0; i < lanes; ++i) sum[c][i] += row[i] * x[c * stride + k];
      }
    }
    for (Index c = 0; c < columns; ++c) {
      for (Index i = 0; i < lanes; ++i) reinterpret_cast<Lane*>(sums[c])[block + i] = sum[c][i];
    }
  }
}

// Substitution in the triangle, column by column of it; the columns of x take turns, so that their divisions
// overlap.
template <Index columns>
void substitute(const double* triangle, Index first, Index rows, double (*x)[kTileRows]) {
  for (Index j = first; j < rows; ++j) {
    const double* below = triangle + j * kTileRows;
    const Lane* column = reinterpret_cast<const Lane*>(below);
    const Index start = j / kWidth;
    for (Index c = 0; c < columns; ++c) {
      const double solved = x[c][j] / below[j];
      Lane* target = reinterpret_cast<Lane*>(x[c]);
      for (Index i = start; i < kLanes; ++i) target[i] -= column[i] * solved;
      x[c][j] = solved;
    }
  }
}

template <Index columns, Index lanes>
void solve_columns(const double* l, Index begin, Index first, Index rows, double* x, Index stride) {
  alignas(64) double sums[columns][kTileRows], part[columns][kTileRows];
  multiply<columns, lanes>(l, begin + first, x, stride, sums);
  for (Index c = 0; c < columns; ++c) {
    const double* source = x + c * stride + begin;
    for (Index r = 0; r < kTileRows; ++r) part[c][r] = r >= first && r < rows ? source[r] - sums[c][r] : 0;
  }
  substitute<columns>(l + begin * kTileRows, first, rows, part);
  for (Index c = 0; c < columns; ++c)
    std::copy(part[c] + first, part[c] + rows, x + c * stride + begin + first);
}

constexpr Index kRegisters = kWidth == 8 ? 16 : 8;  // for sums; the rest hold l and x

// Neighbouring blocks of `step` lanes are added, those of a before those of b in each pair of blocks.
template <int step, int... i>
Lane add_blocks(Lane a, Lane b, std::integer_sequence<int, i...>) {
  constexpr int kAll = kWidth;
  return __builtin_shufflevector(a, b, (i & step ? i - step + kAll : i)...) +
         __builtin_shufflevector(a, b, (i & step ? i + kAll : i + step)...);
}

// Lane i of the result is the sum of rows[i].
template <int step = 1>
Lane sums_of(const Lane* rows) {
  if constexpr (step == kWidth) {
    return rows[0];
  } else {
    constexpr Index kHalf = kWidth / step / 2;
    Lane halves[kHalf];
    for (Index i = 0; i < kHalf; ++i)
      halves[i] = add_blocks<step>(rows[2 * i], rows[2 * i + 1], std::make_integer_sequence<int, kWidth>());
    return sums_of<2 * step>(halves);
  }
}

template <Index columns>
void substitute_transposed(const double* triangle, Index rows, double (*x)[kTileRows], double* to,
                           Index stride) {
  for (Index j = rows - 1; j >= 0; --j) {
    const double* below = triangle + j * kTileRows;
    const Lane* column = reinterpret_cast<const Lane*>(below);
    for (Index c = 0; c < columns; ++c) {
      const Lane* solved = reinterpret_cast<const Lane*>(x[c]);
      Lane sum{};
      for (Index i = j / kWidth; i < kLanes; ++i) sum += column[i] * solved[i];
      double all = 0;
      for (Index i = 0; i < kWidth; ++i) all += sum[i];
      double& value = to[c * stride + j];
      x[c][j] = value = (value - all) / below[j];
    }
  }
}

template <Index columns>
void solve_columns_transposed(const double* l, Index begin, Index rows, double* x, Index stride) {
  alignas(64) double solved[columns][kTileRows] = {};
  substitute_transposed<columns>(l + begin * kTileRows, rows, solved, x + begin, stride);
  for (Index k = 0; k < begin; k += kWidth) {
    Lane products[columns][kWidth];
    for (Index j = 0; j < kWidth; ++j) {
      const Lane* column = reinterpret_cast<const Lane*>(l + (k + j) * kTileRows);
      for (Index c = 0; c < columns; ++c) {
        const Lane* with = reinterpret_cast<const Lane*>(solved[c]);
        Lane sum = column[0] * with[0];
        for (Index i = 1; i < kLanes; ++i) sum += column[i] * with[i];
        products[c][j] = sum;
      }
    }
    for (Index c = 0; c < columns; ++c) {
      double* at = x + c * stride + k;
      store(at, load(at) - sums_of(products[c]));
    }
  }
}

}  // namespace

void solve_tile(const double* l, Index begin, Index first, Index rows, double* x, Index stride,
                Index columns) {
  for (; columns >= 8; columns -= 8, x += 8 * stride) {
    solve_columns<8, std::max<Index>(1, kRegisters / 8)>(l, begin, first, rows, x, stride);
  }
  if (columns >= 4) {
    solve_columns<4, kRegisters / 4>(l, begin, first, rows, x, stride);
    columns -= 4;
    x += 4 * stride;
  }
  if (columns == 3) solve_columns<3, kRegisters / 4>(l, begin, first, rows, x, stride);
  if (columns == 2) solve_columns<2, std::min(kLanes, kRegisters / 2)>(l, begin, first, rows, x, stride);
  if (columns == 1) solve_columns<1, std::min(kLanes, kRegisters)>(l, begin, first, rows, x, stride);
}

void solve_tile_transposed(const double* l, Index begin, Index rows, double* x, Index stride, Index columns) {
  for (; columns >= 4; columns -= 4, x += 4 * stride) solve_columns_transposed<4>(l, begin, rows, x, stride);
  for (; columns >= 2; columns -= 2, x += 2 * stride) solve_columns_transposed<2>(l, begin, rows, x, stride);
  if (columns == 1) solve_columns_transposed<1>(l, begin, rows, x, stride);
}

void rotate_tile(double* l, Index columns, const double* cosine, const double* sine, double* x) {
  Lane rest[kLanes];
  for (Index i = 0; i < kLanes; ++i) rest[i] = load(x + i * kWidth);
  for (Index k = 0; k < columns; ++k, l += kTileRows) {
    Lane* column = reinterpret_cast<Lane*>(l);
    for (Index i = 0; i < kLanes; ++i) {
      const Lane entry = column[i];
      column[i] = cosine[k] * entry + sine[k] * rest[i];
      rest[i] = cosine[k] * rest[i] - sine[k] * entry;
    }
  }
  for (Index i = 0; i < kLanes; ++i) store(x + i * kWidth, rest[i]);
}

}  // namespace ridgerunner
