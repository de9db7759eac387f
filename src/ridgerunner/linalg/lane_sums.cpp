#include "ridgerunner/linalg/lane_sums.h"

#include <algorithm>

#include "ridgerunner/linalg/lane.h"

namespace ridgerunner {
namespace {

double dot(const double* a, const double* b, Index size) {
  constexpr Index kSums = 4;  // so that additions need not wait for each other
  Lane sums[kSums] = {};
  Index i = 0;
  for (; i + kSums * kWidth <= size; i += kSums * kWidth) {
    for (Index s = 0; s < kSums; ++s) sums[s] += load(a + i + s * kWidth) * load(b + i + s * kWidth);
  }
  for (; i < size; i += kWidth) {
    const Index count = std::min(kWidth, size - i);
    sums[0] += load_some(a + i, count) * load_some(b + i, count);
  }
  const Lane all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double sum = 0;
  for (Index k = 0; k < kWidth; ++k) sum += all[k];
  return sum;
}

// Applies `change` to y a register at a time; it is handed the place and how many numbers count.
template <class Change>
void for_lanes(VectorOut y, Change&& change) {
  for (Index i = 0; i < y.size(); i += kWidth) {
    const Index count = std::min(kWidth, y.size() - i);
    store_some(&y[i], change(load_some(&y[i], count), i, count), count);
  }
}

}  // namespace

void column_dots(const MatrixIn& a, const VectorIn& x, VectorOut out) {
  for (Index j = 0; j < a.cols(); ++j) out[j] = dot(a.col(j).data(), x.data(), a.rows());
}

void column_squares(const MatrixIn& a, VectorOut out) {
  for (Index j = 0; j < a.cols(); ++j) out[j] = dot(a.col(j).data(), a.col(j).data(), a.rows());
}

void subtract_product(const MatrixIn& a, const VectorIn& x, VectorOut y) {
  constexpr Index kBlock = 8;  // columns for which a register of y is held
  for (Index k = 0; k < a.cols(); k += kBlock) {
    const Index columns = std::min(kBlock, a.cols() - k);
    for_lanes(y, [&](Lane lane, Index i, Index count) {
      for (Index c = k; c < k + columns; ++c) lane -= load_some(a.col(c).data() + i, count) * x[c];
      return lane;
    });
  }
}

void add_scaled(double factor, const VectorIn& x, VectorOut y) {
  for_lanes(y,
            [&](Lane lane, Index i, Index count) { return lane + load_some(x.data() + i, count) * factor; });
}

void add_squares(const VectorIn& x, VectorOut y) {
  for_lanes(y, [&](Lane lane, Index i, Index count) {
    const Lane value = load_some(x.data() + i, count);
    return lane + value * value;
  });
}

}  // namespace ridgerunner
