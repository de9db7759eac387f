#pragma once

#include <optional>
#include <vector>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/linalg/growing_cholesky.h"
#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/elimination.h"
#include "ridgerunner/regression/regression.h"
#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

// Kernel ridge regression on all data, without approximation.
//
// Repeated states collapse: with distinct states u, counts n_u, average rewards ȳ_u, N = diag(n_u) and the
// sum of squares within states W2, everything follows from the factor L L^T = K_u + λ N^-1, w = L^-1 ȳ:
//   mean(s) = k_u(s)^T L^-T w,   sd(s)^2 = (k(s,s) - |L^-1 k_u(s)|^2)/λ,
//   ln det(I + K/λ) = ln det(K_u + λ N^-1) + Σ ln n_u - |u| ln λ,   q(λ) = |w|^2 + W2/λ.
// A new state appends a row, O(m^2) for m distinct states; a repeated one lowers a diagonal entry of the
// matrix by λ/n - λ/(n+1), a rank-one change of the factor, O(m^2).
//
// With a fixed arm set the model also keeps W = L^-1 K(u, arms) up to date, O(mA) a round for A arms instead
// of O(m^2 A): a new state appends a row to W, a repeated one rotates its rows as it does those of L^T.
class ExactRegression final : public Regression {
 public:
  ExactRegression(KernelPtr kernel, double ridge, std::optional<Matrix> arms = std::nullopt);

  void observe(const MatrixIn& states, const VectorIn& rewards) override;
  void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const override;
  Evidence evidence() const override;
  BestUpper best_upper(const MatrixIn& states, double radius, Workspace& workspace) const override;
  BestUpper best_arm(double radius) const override;
  MatrixIn anchors() const override { return states_.view(); }  // the distinct states, in order of arrival
  std::unique_ptr<Regression> clone() const override;

  const Prediction& arm_prediction() const { return arms_->prediction; }

  // All it has learnt, as plain numbers; a model restored from them continues bit for bit.
  struct Memory {
    Index rounds = 0;
    Index changes = 0;  // rank-one changes since the factor was last computed afresh
    double within = 0;  // W2
    double sum_of_squares = 0;
    double log_determinant = 0;
    double largest_diagonal = 0;
    Matrix states;    // d x m
    Vector counts;    // m
    Vector rewards;   // m: averages
    Vector forward;   // m: L^-1 rewards
    Vector weights;   // m: L^-T forward; empty with arms
    Matrix arm_rows;  // A x m: W^T; empty without arms
    Vector arm_means, arm_explained;
  };
  Memory memory() const;
  const GrowingCholesky& factor() const { return factor_; }
  void restore(const Memory& memory, GrowingCholesky factor);

 private:
  struct Arms {
    Matrix points;  // d x A
    StateIndex index;
    GrowingColumns rows;    // A x m: W^T
    Vector explained;       // A: the squared lengths of W's columns over the first `included` rows
    Index included = 0;     // rows of W that `explained` and the means know of
    Prediction prediction;  // at the arms, current
  };
  struct Group {  // observations of one state in a batch
    Index column;
    std::optional<Index> known;
    double count, reward;  // how many, and their average
  };

  void check(const MatrixIn& states, const VectorIn& rewards) const;
  void check_states(const MatrixIn& states) const;
  ExactView view(Workspace& workspace) const;
  std::vector<Group> group(const MatrixIn& states, const VectorIn& rewards, double& within) const;
  void apply(const std::vector<Group>& groups, const MatrixIn& states);
  void append(const MatrixIn& states, const VectorIn& counts, const VectorIn& rewards);
  void append_arm_rows(MatrixOut arm_cross, Index first);
  void merge(Index state, double count, double reward);
  void refactor();
  void refresh_solutions();
  void refresh_arms();

  KernelPtr kernel_;
  double ridge_;
  GrowingColumns states_;
  StateIndex index_;
  GrowingVector counts_;    // n_u
  GrowingVector rewards_;   // ȳ_u
  GrowingVector noise_;     // λ/n_u
  GrowingCholesky factor_;  // of K_u + λ N^-1
  GrowingVector forward_;   // w = L^-1 ȳ
  GrowingVector weights_;   // L^-T w; left to predict() when there are arms
  std::optional<Arms> arms_;
  Scratch scratch_, arm_scratch_;
  Rotations rotations_;
  Vector carried_;
  double largest_diagonal_ = 0;  // of K_u + λ N^-1, ever
  double within_ = 0;            // W2
  double sum_of_squares_ = 0;
  double log_determinant_ = 0;
  Index rounds_ = 0;
  Index changes_ = 0;
};

}  // namespace ridgerunner
