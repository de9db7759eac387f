#pragma once

#include "ridgerunner/regression/factored_model.h"
#include "ridgerunner/regression/mixture_line.h"

namespace ridgerunner {

// Vectors h with their images M h; the h orthonormal.
class ImagedVectors {
 public:
  ImagedVectors(const MixtureData& data, Index most) : data_(&data), most_(most) {}

  Index size() const { return size_; }
  Index most() const { return most_; }
  auto h() const { return h_.leftCols(size_); }
  auto image() const { return image_.leftCols(size_); }

  // False if the vector is, but for rounding, in the span of the others, or its image would not be exact
  // enough. Needs room.
  bool add(Vector h, Vector image);

 private:
  const MixtureData* data_;
  Index most_;
  Index size_ = 0;
  Vector errors_;     // of the images, about
  Matrix h_, image_;  // room for twice as many each time: most spans stay small
};

// A small part of the data's space in which a mixture's bound at a state s can be enclosed, spanned by
// vectors h whose images are known. k: N^1/2 k(rows, s).
//
// From above: r(a) = k^T (M + aI)^-1 k, k^T (M + aI)^-1 y and q(a) are replaced by their values in the span,
// C^T (H^T M H + aI)^-1 C with C = H^T [k y]. What is missing is positive semidefinite as a matrix, and the
// bound only grows by leaving it out. From below: the bound is the largest f(s) over functions with |f| <= B
// and |Φf - y|^2 + within <= R_t^2; here only over those in the span of φ(s) and Φ^T h.
// Both meet as the span grows; with vectors (M + bI)^-1 k and (M + bI)^-1 y, b near the best ridge, soon.
class MixtureSpan {
 public:
  static constexpr Index kMost = 32;

  MixtureSpan(const MixtureData& data, Vector k, double prior);

  Index size() const { return vectors_.size(); }
  bool full() const { return size() == vectors_.most(); }
  auto vector(Index i) const { return vectors_.h().col(i); }
  const Vector& state() const { return k_; }
  double prior() const { return prior_; }

  bool add(Vector h, Vector image);  // as ImagedVectors::add

  MixtureLine from_above() const;
  MixtureLine from_below() const;

 private:
  const MixtureData* data_;
  Vector k_;
  double prior_;
  ImagedVectors vectors_;
  // Of ψ_0 = φ(s) and ψ_j = Φ^T h_j: inner products, inner products of their values at the data, and with y.
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost + 1, kMost + 1>;
  Small inner_, seen_;
  Vector rewards_;
  Vector data_part_;  // H^T y
};

}  // namespace ridgerunner
