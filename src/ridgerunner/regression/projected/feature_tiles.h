#pragma once

#include <vector>

#include "ridgerunner/linalg/growing_columns.h"

namespace ridgerunner {

// Features of points: a matrix Z, m x C, that grows by points and by coordinates. In tiles of 32 points, each
// by coordinate: a new coordinate is appended to every tile and moves nothing, and a pass over Z streams. A
// copy shares the tiles; the first new point after it copies one. The order of every sum depends on m and C
// alone.
class FeatureTiles {
 public:
  explicit FeatureTiles(Index points = 0);  // without coordinates

  Index points() const { return points_; }
  Index coordinates() const { return coordinates_; }

  void append_point(const VectorIn& z);             // m
  void append_coordinate(const VectorIn& entries);  // C
  void remove_last_point();

  Vector coordinate(Index j) const;             // C
  void gather(Index first, MatrixOut z) const;  // m x n: of points first, first + 1, ...
  Vector products(const VectorIn& x) const;     // C: Z^T x
  Vector sums(const VectorIn& weights) const;   // m: Z weights

  // ζ = (k - Z^T z)/pivot and Z (n ζ), n the counts of the points, in one pass.
  struct NewCoordinate {
    Vector entries;   // C: ζ
    Vector weighted;  // C: n ζ
    Vector sums;      // m: Z (n ζ)
  };
  NewCoordinate new_coordinate(const VectorIn& k, const VectorIn& z, double pivot,
                               const VectorIn& counts) const;

 private:
  Index points_ = 0, coordinates_ = 0;
  std::vector<GrowingColumns> tiles_;  // 32 x m; rows behind the last point are 0
};

}  // namespace ridgerunner
