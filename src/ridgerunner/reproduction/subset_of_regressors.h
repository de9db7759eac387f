#pragma once

#include "ridgerunner/kernel/kernel.h"

namespace ridgerunner {

// The standard deviation that a projected model would have without the residual r(s)/λ: with Z the anchors,
// z(s) the coordinates of φ(s) in an orthonormal basis of their span and V = λI + Σ z z^T over the data,
//   sd(s)^2 = z(s)^T V^-1 z(s).
// It vanishes far from the anchors, where nothing is known: variance starvation. Dense, in the eigenbasis of
// K_ZZ without its null space. anchors: d x m, data: d x t, states: d x n, result: n. Cost m^3 + m^2 (t + n).
Vector subset_of_regressors_sd(const Kernel& kernel, const MatrixIn& anchors, const MatrixIn& data,
                               const MatrixIn& states, double ridge);

}  // namespace ridgerunner
