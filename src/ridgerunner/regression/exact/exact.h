#pragma once

#include <optional>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/linalg/growing_cholesky.h"
#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/regression/factored_model.h"
#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

// Kernel ridge regression on all data, without approximation.
//
// Data are kept in rows: a state, a count n and the average ȳ of n rewards there. With N = diag(n) and the
// sum of squares within rows W2, everything follows from the factor L L^T = K + λ N^-1 and w = L^-1 ȳ,
// however the data of a state are spread over rows:
//   mean(s) = k(s)^T L^-T w,   sd(s)^2 = (k(s,s) - |L^-1 k(s)|^2)/λ,
//   ln det(I + K_t/λ) = ln det(K + λ N^-1) + Σ ln n - rows ln λ,   y^T (K_t + λI)^-1 y = |w|^2 + W2/λ.
// An observation appends a row, O(rows^2). When repeated states make up a fifth of the rows, each state's
// rows are collapsed into one and the factor is computed afresh: amortised O(rows^2) as well, and nothing
// drifts.
//
// With a fixed arm set the model keeps W = L^-1 K(rows, arms) as well: a round appends one row to it, O(rows
// A) for A arms instead of O(rows^2 A), and its arm's column of W is the solve that the factor's new row
// needs.
//
// Further ridges: a factor is kept for each of them as well, so that mixtures of bounds can be had
// (mixture.h, selection/); each takes the memory and the time to learn of one more model.
//
// The ridge may move: set_ridge() collapses the rows and factors afresh, O(m^3/6) for m distinct states (and
// O(m^2 A/2) for arms), and log_determinant() at another ridge does as much.
class ExactRegression final : public Regression,
                              public ChecksStates,
                              public ShowsAnchors,
                              public Diagnoses,
                              public PredictsJointly,
                              public KeepsArms,
                              public MovesRidge,
                              public ShowsFactors,
                              public ReusesSolves {
 public:
  ExactRegression(KernelPtr kernel, double ridge, std::optional<Matrix> arms = std::nullopt,
                  const std::vector<double>& further_ridges = {});

  using Regression::observe;
  void observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) override;
  void observe_solved(const VectorIn& state, double reward, Workspace& workspace) override;
  void check(const MatrixIn& states) const override;
  void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const override;
  JointPrediction predict_jointly(const MatrixIn& states, Workspace& workspace) const override;
  Evidence evidence() const override;
  Diagnostics diagnostics() const override;
  bool has_arms() const override { return arms_.has_value(); }
  BestUpper best_arm(double radius) const override;
  void set_ridge(double ridge) override;
  double log_determinant(double ridge) const override;
  double squared_error() const override;
  MatrixIn anchors() const override { return anchors_.view(); }  // the distinct states, in order of arrival
  std::unique_ptr<Regression> clone() const override;

  // What chooses among candidates needs (selection/). All ridges of a mixture are searched from those that
  // the model keeps.
  Index rows() const override { return factor_.size(); }
  void check_shape(const MatrixIn& states) const override;
  ExactView view(Workspace& workspace) const override;
  FactoredModel at_ridges(const Mixture& mixture) const override;  // exact_mixture.cpp

  const Prediction& arm_prediction() const { return arms_->prediction; }

  // From now on evidence().variance_sum is known, at one more column in the solve for the weights. For models
  // without arms and further ridges.
  void keep_variance_sum();
  double unexplained_sum() const { return unexplained_sum_; }  // rows - variance_sum
  void restore_variance_sum(double unexplained);

  bool has_seen(const VectorIn& state) const;

  // The data at another ridge.
  struct FurtherRidge {
    double ridge = 1;
    GrowingVector noise;     // λ/n of rows
    GrowingCholesky factor;  // of K + λ N^-1
    GrowingVector forward;   // L^-1 ȳ
    double largest_diagonal = 0;
  };

  // All it has learnt, as plain numbers; a model restored from them continues bit for bit.
  struct Memory {
    Index rounds = 0;
    double sum_of_squares = 0;
    double log_determinant = 0;
    double largest_diagonal = 0;
    double row_within = 0, anchor_within = 0;
    Index collapse_at = 0;
    Matrix anchors;                        // d x m
    Vector anchor_counts, anchor_rewards;  // m
    Matrix row_states;                     // d x rows
    Vector row_counts;                     // rows
    Vector forward, weights;               // rows; weights empty with arms
    Vector row_rewards;                    // rows; empty without further ridges
    Matrix arm_rows;                       // A x rows: W^T; empty without arms
    Vector arm_means, arm_explained;       // A
  };
  Memory memory() const;
  const GrowingCholesky& factor() const { return factor_; }
  const std::vector<FurtherRidge>& further() const { return further_; }

  // `further`: factors, forward solutions, weights and largest diagonals of the further ridges.
  void restore(const Memory& memory, GrowingCholesky factor, std::vector<FurtherRidge> further = {});

 private:
  struct Arms {
    Matrix points;  // d x A
    StateIndex index;
    GrowingColumns rows;    // A x rows: W^T
    Vector explained;       // A: the squared lengths of W's columns
    Prediction prediction;  // at the arms, current
  };
  // A set of averages: counts, means, and the sum of squares around the means.
  struct Averages {
    GrowingVector count, reward;
    double within = 0;
    void merge(Index i, double more, double average);
  };

  bool may_collapse(const MatrixIn& states) const;
  void solve_at(const MatrixIn& states, const VectorIn& weights, MatrixOut cross, VectorOut mean,
                VectorOut explained) const;
  void learn(const MatrixIn& states, const VectorIn& rewards, bool solved, Workspace& workspace);
  void append(const MatrixIn& states, const VectorIn& counts, const VectorIn& rewards, bool solved,
              Workspace& workspace);
  void append_batch(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace);
  struct Largest {
    double prior, raised;
  };
  Largest factor_rows(const MatrixIn& states, const VectorIn& counts, bool solved, Workspace& workspace);
  void factor_further(const MatrixIn& cross, const MatrixIn& corner, const VectorIn& counts, bool solved,
                      Workspace& workspace);
  void truncate(Index rows);
  void record_row(const VectorIn& state, double count, double reward);
  void solve_arm_rows(MatrixOut arm_cross, Vector& explained, Vector& l) const;
  void collapse();
  bool keeps_weights() const { return !arms_ && further_.empty(); }
  void refactor();
  GrowingCholesky factor_anchors(double ridge) const;
  void refresh_weights(Index first);

  KernelPtr kernel_;
  double ridge_;
  GrowingColumns anchors_;  // distinct states
  StateIndex index_;        // finds them
  Averages by_anchor_;
  GrowingColumns states_;   // of rows
  GrowingVector counts_;    // n of rows
  GrowingVector rewards_;   // ȳ of rows, if there are further ridges
  double row_within_ = 0;   // W2
  GrowingVector noise_;     // λ/n of rows
  GrowingCholesky factor_;  // of K + λ N^-1
  GrowingVector forward_;   // w = L^-1 ȳ
  GrowingVector weights_;   // L^-T w; left to predict() with arms or further ridges
  std::optional<Arms> arms_;
  std::vector<FurtherRidge> further_;
  double largest_diagonal_ = 0;  // of K + λ N^-1, ever
  double largest_prior_ = 0;     // of K
  double sum_of_squares_ = 0;
  double log_determinant_ = 0;
  bool keeps_variance_sum_ = false;
  double unexplained_sum_ = 0;  // Σ (λ/n_i) (A^-1)_ii, A = K + λ N^-1, if it is kept
  Index rounds_ = 0;
  Index collapse_at_ = 0;  // number of rows
};

}  // namespace ridgerunner
