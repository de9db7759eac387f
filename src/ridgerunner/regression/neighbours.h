#pragma once

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/linalg/growing_columns.h"

namespace ridgerunner {

constexpr Index kNeighbours = 8;

// What the few data points most like a state s explain of k(s, s): a lower bound of what all of them explain,
// since conditioning on fewer points leaves more variance. Tight for rough kernels. `k`: k(points, s);
// `noise`: what each point adds to the diagonal of the kernel matrix. Needs at least kNeighbours points.
// Cost: a Cholesky factor of size 8 and a pass over k.
double explained_by_neighbours(const Kernel& kernel, const MatrixIn& points, const VectorIn& noise,
                               const VectorIn& k, Scratch& scratch);

}  // namespace ridgerunner
