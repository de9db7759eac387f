#pragma once

#include <vector>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/regression/state_index.h"

namespace ridgerunner {

class ExactRegression;

// Kernel ridge regression on a fixed arm set at any ridge, without approximation: for ridges that move every
// round.
//
// The pivoted Cholesky factor G G^T of the arms' kernel matrix, to rounding, gives each arm r features z, r
// its numerical rank (about 20 for a Gaussian kernel on a line, A for a rough one). With the r x r matrix
// F = Σ z_i z_i^T and b = Σ y_i z_i over the data, everything at a ridge λ follows from V = F + λI = L L^T:
//   mean(s) = z^T V^-1 b,   sd(s)^2 = |L^-1 z|^2 (+ what rounding left out, over λ),
//   ln det(I + K/λ) = ln det V - r ln λ,
//   y^T (K + λI)^-1 y = (squared error)/λ + |V^-1 b|^2.
// The squared error is that around each state's average reward and that of the averages: nothing cancels.
// An observation or another ridge costs r^3/6 multiply-adds, a choice r^2 A/2. (Eigenvalues of F would give
// any number of ridges at O(r) each, but take as long as 25 such factors.)
//
// A state that is no arm may be observed as well: it joins the points, whose features are computed afresh,
// O(P^2 r); meant to be rare. Predictions at states that are no points come from a dense factor, O(m^3/6).
class ArmFeatureRegression final : public Regression,
                                   public ChecksStates,
                                   public ShowsAnchors,
                                   public Diagnoses,
                                   public PredictsJointly,
                                   public KeepsArms,
                                   public MovesRidge {
 public:
  ArmFeatureRegression(KernelPtr kernel, double ridge, Matrix arms);

  using Regression::observe;
  void observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) override;
  void check(const MatrixIn& states) const override;
  void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const override;
  JointPrediction predict_jointly(const MatrixIn& states, Workspace& workspace) const override;
  Evidence evidence() const override;
  Diagnostics diagnostics() const override;
  bool has_arms() const override { return true; }
  BestUpper best_arm(double radius) const override;
  MatrixIn anchors() const override { return anchors_.view(); }  // the distinct states, in order of arrival
  void set_ridge(double ridge) override;
  double log_determinant(double ridge) const override;
  double squared_error() const override;
  std::unique_ptr<Regression> clone() const override;

  Prediction arm_prediction() const;
  Index rank() const { return features_.cols(); }

  // All it has learnt, as plain numbers; a model restored from them continues bit for bit.
  struct Memory {
    Index rounds = 0;
    double sum_of_squares = 0, within = 0;
    Matrix outsiders;          // d x E: states that are no arms
    Vector counts, rewards;    // P: how often each point was seen, and its average reward
    std::vector<Index> order;  // m: the points that were seen, in order of arrival
    Matrix information;        // r x r
    Vector moment;             // r
  };
  Memory memory() const;
  void restore(const Memory& memory);

 private:
  // The model at one ridge.
  struct Fit {
    Matrix factor;   // r x r: L
    Vector weights;  // r: V^-1 b
  };
  static Matrix factored(Matrix information, double ridge);
  static Fit fitted(const Matrix& information, const Vector& moment, double ridge);

  Index point_of(const VectorIn& state);
  void compute_features();
  void observe_one(const VectorIn& state, double reward);
  void count(Index point, double reward);
  void evaluate(const MatrixIn& z, const VectorIn& residual, const VectorIn& prior, Prediction& out) const;
  ExactRegression dense() const;  // the same data, from scratch

  KernelPtr kernel_;
  double ridge_;
  Matrix arms_;                     // d x A
  std::vector<Index> arm_points_;   // A: equal arms are one point
  GrowingColumns points_;           // d x P: the arms, then outsiders
  StateIndex index_;                // finds them
  Index arm_point_count_ = 0;       // the first so many are arms
  Matrix features_;                 // P x r: G
  Vector prior_, residual_;         // P
  GrowingVector counts_, rewards_;  // P
  double within_ = 0;               // squared errors around the averages
  GrowingColumns anchors_;          // d x m: points that were seen
  std::vector<Index> order_;        // m
  Matrix information_;              // r x r: F, the lower triangle
  Vector moment_;                   // r: b
  Fit fit_;
  double sum_of_squares_ = 0, largest_prior_ = 0;
  Index rounds_ = 0;
};

}  // namespace ridgerunner
