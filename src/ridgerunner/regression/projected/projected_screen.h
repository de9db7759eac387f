#pragma once

#include <cstdint>

#include "ridgerunner/linalg/growing_cholesky.h"
#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Cheap lower bounds of what a projected model explains of k(s, s), to tell candidates that cannot win.
//
// With A = I - λ V^-1 the model explains e(s) = z^T A z, and λ sd^2 = k(s,s) - e(s). For any m x q matrix U
//   e(s) >= |C^-1 U^T A z|^2 = |G^T k_Z(s)|^2,   C C^T = U^T A U,   G = L_Z^-T A U C^-T:
// q m multiply-adds for a state where e(s) takes m^2. It is close if U holds the leading eigenvectors of V,
// in which most of z lies for smooth kernels; they are approached by a step of subspace iteration each time
// the bounds are computed, O(q m^2).
//
// More data only add to A. So the bounds of an earlier model still hold, unless features have changed.
class ProjectedScreen {
 public:
  // Continues from the directions of `before`, if any.
  ProjectedScreen(const GrowingCholesky& basis, const GrowingCholesky& precision, double ridge,
                  const ProjectedScreen* before);

  Index anchors() const { return map_.rows(); }

  // explained_i <= e(s_i) + rounding, which is less than slack() of k(s, s). cross: k(anchors, states), of
  // these anchors or more; largest_prior: of anchors and states.
  void bound(const MatrixIn& cross, double largest_prior, Vector& explained) const;
  double slack() const { return slack_; }
  std::int64_t multiply_adds(Index states) const { return states * map_.size(); }

 private:
  Matrix directions_;  // U: m x q, orthonormal
  Matrix map_;         // G: m x q
  Vector sizes_;       // q: Σ |G_ij| over i
  double slack_ = 0;
};

}  // namespace ridgerunner
