#pragma once

#include <functional>
#include <vector>

#include "ridgerunner/kernel/kernel.h"

namespace ridgerunner {

KernelPtr scaled(double factor, KernelPtr part);  // factor * k, factor > 0
KernelPtr sum(std::vector<KernelPtr> parts);      // k1 + k2 + ...
KernelPtr product(std::vector<KernelPtr> parts);  // k1 * k2 * ...

// k((x,a), (x',a')) = context(x, x') * action(a, a'), where the first `context_dim` entries are the context.
KernelPtr block_product(Index context_dim, KernelPtr context, KernelPtr action);

// A user's own function of two points. It must be symmetric and positive definite: a Gram matrix that is not
// shows up as a NumericalError about a pivot. Called pair by pair, so the slowest of all.
KernelPtr callable(std::function<double(const VectorIn&, const VectorIn&)> function);

// Arms that are not vectors: a point is one number, the index of an arm, and k(i, j) = gram(i, j).
// `gram` must be square, symmetric, finite, with no negative diagonal entry.
KernelPtr precomputed(Matrix gram);

}  // namespace ridgerunner
