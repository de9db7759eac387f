#pragma once

#include <vector>

#include <Eigen/Cholesky>

#include <ridgerunner/kernel/kernel.h>

namespace ridgerunner::oracle {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

// Kernel ridge regression by its textbook formulas in long double, on the raw data: no collapsing, no
// updating.
class DenseRegression {
 public:
  DenseRegression(const Kernel& kernel, const MatrixIn& states, const VectorIn& rewards, double ridge);

  LongVector mean(const MatrixIn& states) const;        // k^T (K + λI)^-1 y
  LongVector sd(const MatrixIn& states) const;          // sqrt((k(s,s) - k^T (K + λI)^-1 k) / λ)
  LongMatrix covariance(const MatrixIn& states) const;  // (k(s,s') - k(s)^T (K + λI)^-1 k(s')) / λ
  long double log_determinant() const;                  // ln det(I + K/λ)
  long double quadratic_form() const;                   // y^T (K + λI)^-1 y
  long double condition() const;                        // of K + λI

 private:
  LongMatrix cross(const MatrixIn& states) const;

  const Kernel& kernel_;
  Matrix states_;
  LongVector rewards_;
  long double ridge_;
  LongMatrix raised_;  // K + λI
  Eigen::LLT<LongMatrix> factor_;
};

// Regression on the span of anchors by its textbook formulas in long double: with P the projection on the
// span, by the pseudo-inverse of K_ZZ, the kernel matrix of the data is Kp = [φ_i^T P φ_j] and
//   mean(s) = kp(s)^T (Kp + λI)^-1 y,   sd(s)^2 = (k(s,s) - kp(s)^T (Kp + λI)^-1 kp(s)) / λ.
// If `known` is given, observation i is projected on the first known[i] anchors only, those there on its
// arrival; then Kp_ij = φ_i^T P_min φ_j.
class DenseProjected {
 public:
  DenseProjected(const Kernel& kernel, const MatrixIn& anchors, const MatrixIn& states,
                 const VectorIn& rewards, double ridge, std::vector<Index> known = {});

  LongVector mean(const MatrixIn& states) const;
  LongVector sd(const MatrixIn& states) const;
  LongMatrix covariance(const MatrixIn& states) const;  // (k(s,s') - kp(s)^T (Kp + λI)^-1 kp(s')) / λ
  long double log_determinant() const;                  // ln det(I + Kp/λ)
  long double quadratic_form() const;                   // y^T (Kp + λI)^-1 y
  long double residual_sum() const;                     // Σ k(s_i,s_i) - φ_i^T P_i φ_i
  long double variance_sum() const;                     // tr(Kp (Kp + λI)^-1) + residual_sum/λ
  long double projection_error() const;                 // largest eigenvalue of K - Kp

 private:
  LongMatrix spectral(Index anchors, const MatrixIn& states) const;
  LongMatrix cross(const MatrixIn& states) const;

  const Kernel& kernel_;
  Matrix anchors_, states_;
  LongVector rewards_;
  long double ridge_;
  std::vector<Index> known_;
  LongMatrix projected_;  // Kp
  Eigen::LLT<LongMatrix> factor_;
};

// Algorithm 1 of the note "Corrected KernelUCB algorithm" (2018), line by line, with the explicit inverse it
// keeps.
class NoteKernelUcb {
 public:
  NoteKernelUcb(const Kernel& kernel, double gamma, double eta) : kernel_(kernel), gamma_(gamma), eta_(eta) {}

  Vector scores(const MatrixIn& contexts) const;  // u_t, lines 3-10
  Index choose(const MatrixIn& contexts) const;   // line 11
  void update(const VectorIn& context, double reward);

 private:
  const Kernel& kernel_;
  double gamma_, eta_;
  Matrix contexts_;
  Vector rewards_;
  Matrix inverse_;  // K_t^-1 of the note, the regularised one
};

}  // namespace ridgerunner::oracle
