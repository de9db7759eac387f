#pragma once

#include <ridgerunner/linalg/types.h>
#include <ridgerunner/random/stream.h>

namespace ridgerunner::oracle {

inline Matrix uniform_points(Stream& random, Index dimension, Index count) {
  Matrix points(dimension, count);
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < dimension; ++i) points(i, j) = random.uniform();
  }
  return points;
}

inline Vector normals(Stream& random, Index count, double sd = 1) {
  Vector values(count);
  for (Index i = 0; i < count; ++i) values[i] = sd * random.normal();
  return values;
}

}  // namespace ridgerunner::oracle
