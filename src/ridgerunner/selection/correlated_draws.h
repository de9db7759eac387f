#pragma once

#include <vector>

#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/joint_prediction.h"

namespace ridgerunner {

// What no factor resolves: of the largest variance, and of the largest k(s,s)/λ, where it is rounding.
constexpr double kNegligible = 1e-12, kVarianceRounding = 1e-13;

// Draws from N(0, S), S the covariance of a model at n states.
//
// S = F F^T + D by a pivoted Cholesky factorisation that asks for the columns of its pivots only and stops
// when no variance is left but a negligible one (above). D is diagonal: that rest is drawn independently, so
// that every variance is exact, also where rounding has spoilt covariances. Pivots come in blocks, so that
// most of the work is products of matrices: a pivot of a block has at least a quarter of the largest variance
// that was left when the block began.
//
// Cost: rank n (t + rank/2), t the rows of the joint prediction; a draw, rank n. Smooth kernels have small
// ranks, a few hundred for any n; rough ones have rank n. Memory: n (t + rank), up to n rank more spare.
class CorrelatedDraws {
 public:
  explicit CorrelatedDraws(JointPrediction at);

  Index size() const { return left_.size(); }
  Index rank() const { return factor_.size(); }

  // out: n x count, a draw in each column, one after the other from the stream.
  void draw(Stream& random, MatrixOut out) const;

  MatrixIn factor() const { return factor_.view(); }  // F: n x rank
  const Vector& left() const { return left_; }        // D

 private:
  class Factorisation;

  GrowingColumns factor_;
  Vector left_;
};

}  // namespace ridgerunner
