#pragma once

#include <memory>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// A positive-definite function k(x, y), evaluated in batches. Immutable, so one kernel may serve many
// regressions and threads. Points are columns.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // out(i, j) = k(x_i, y_j); x: d x p, y: d x q, out: p x q.
  virtual void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const = 0;

  // out(i) = k(x_i, x_i); x: d x p, out: p.
  virtual void diagonal(const MatrixIn& x, VectorOut out) const = 0;

  // Throws InvalidArgument if points of this dimension have no place in the kernel's domain.
  virtual void check_dimension(Index dimension) const = 0;
};

using KernelPtr = std::shared_ptr<const Kernel>;

Matrix gram(const Kernel& kernel, const MatrixIn& x, const MatrixIn& y);
Vector diagonal(const Kernel& kernel, const MatrixIn& x);

}  // namespace ridgerunner
