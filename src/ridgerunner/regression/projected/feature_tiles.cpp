#include "ridgerunner/regression/projected/feature_tiles.h"

#include <algorithm>

#include "ridgerunner/linalg/lane.h"

namespace ridgerunner {
namespace {

constexpr Index kPoints = 32;  // of a tile
constexpr Index kLanes = kPoints / kWidth;

// out += tile x, for one number of each point.
void add_products(const double* tile, const VectorIn& x, double* out) {
  Lane sum[kLanes];
  for (Index i = 0; i < kLanes; ++i) sum[i] = load(out + i * kWidth);
  for (Index j = 0; j < x.size(); ++j, tile += kPoints) {
    for (Index i = 0; i < kLanes; ++i) sum[i] += x[j] * load(tile + i * kWidth);
  }
  for (Index i = 0; i < kLanes; ++i) store(out + i * kWidth, sum[i]);
}

// out += tile^T weights, for one number of each coordinate.
void add_sums(const double* tile, const double* weights, VectorOut out) {
  Lane with[kLanes];
  for (Index i = 0; i < kLanes; ++i) with[i] = load(weights + i * kWidth);
  for (Index j = 0; j < out.size(); ++j, tile += kPoints) {
    Lane sum = with[0] * load(tile);
    for (Index i = 1; i < kLanes; ++i) sum += with[i] * load(tile + i * kWidth);
    double all = 0;
    for (Index i = 0; i < kWidth; ++i) all += sum[i];
    out[j] += all;
  }
}

Index rows_of(Index points, std::size_t tile) {
  return std::min(kPoints, points - static_cast<Index>(tile) * kPoints);
}

}  // namespace

FeatureTiles::FeatureTiles(Index points)
    : points_(points),
      tiles_(static_cast<std::size_t>((points + kPoints - 1) / kPoints), GrowingColumns(kPoints)) {}

void FeatureTiles::append_point(const VectorIn& z) {
  const Index row = points_ % kPoints;
  if (row == 0) tiles_.push_back(GrowingColumns::of(Matrix::Zero(kPoints, coordinates_)));
  tiles_.back().writable().row(row) = z.transpose();
  ++points_;
}

void FeatureTiles::append_coordinate(const VectorIn& entries) {
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    Vector column = Vector::Zero(kPoints);
    const Index rows = rows_of(points_, tile);
    column.head(rows) = entries.segment(static_cast<Index>(tile) * kPoints, rows);
    tiles_[tile].append(column);
  }
  ++coordinates_;
}

void FeatureTiles::remove_last_point() {
  --points_;
  if (points_ % kPoints == 0) {
    tiles_.pop_back();
  } else {
    tiles_.back().writable().row(points_ % kPoints).setZero();
  }
}

Vector FeatureTiles::coordinate(Index j) const {
  Vector out(points_);
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    const Index rows = rows_of(points_, tile);
    out.segment(static_cast<Index>(tile) * kPoints, rows) = tiles_[tile].col(j).head(rows);
  }
  return out;
}

void FeatureTiles::gather(Index first, MatrixOut z) const {
  for (Index i = 0; i < z.cols(); ++i) {
    const Index point = first + i;
    z.col(i) = tiles_[static_cast<std::size_t>(point / kPoints)].view().row(point % kPoints).transpose();
  }
}

Vector FeatureTiles::products(const VectorIn& x) const {
  Vector out(points_);
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    alignas(64) double part[kPoints] = {};
    add_products(tiles_[tile].view().data(), x, part);
    std::copy_n(part, rows_of(points_, tile), out.data() + static_cast<Index>(tile) * kPoints);
  }
  return out;
}

Vector FeatureTiles::sums(const VectorIn& weights) const {
  Vector out = Vector::Zero(coordinates_);
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    alignas(64) double part[kPoints] = {};
    std::copy_n(weights.data() + static_cast<Index>(tile) * kPoints, rows_of(points_, tile), part);
    add_sums(tiles_[tile].view().data(), part, out);
  }
  return out;
}

FeatureTiles::NewCoordinate FeatureTiles::new_coordinate(const VectorIn& k, const VectorIn& z, double pivot,
                                                         const VectorIn& counts) const {
  NewCoordinate out{Vector(points_), Vector(points_), Vector::Zero(coordinates_)};
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    const Index first = static_cast<Index>(tile) * kPoints, rows = rows_of(points_, tile);
    alignas(64) double part[kPoints] = {};
    add_products(tiles_[tile].view().data(), z, part);
    for (Index i = 0; i < rows; ++i) {
      out.entries[first + i] = (k[first + i] - part[i]) / pivot;
      part[i] = out.weighted[first + i] = counts[first + i] * out.entries[first + i];
    }
    add_sums(tiles_[tile].view().data(), part, out.sums);
  }
  return out;
}

}  // namespace ridgerunner
