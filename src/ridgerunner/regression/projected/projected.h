#pragma once

#include <optional>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/linalg/growing_cholesky.h"
#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/regression/dictionary/dictionary.h"
#include "ridgerunner/regression/mixture.h"
#include "ridgerunner/regression/projected/projected_points.h"
#include "ridgerunner/regression/projected/projected_screen.h"

namespace ridgerunner {

// Of k(a,a): a residual below the first adds no direction we could resolve: 1e-16/r is what rounding makes of
// other states' features. While every state is an anchor, no other state depends on it, and the second will
// do. Below the third it would spoil the basis's condition, and the anchors are put in a better order.
constexpr double kDependent = 1e-10, kDependentIfFull = 1e-13, kNearlyDependent = 1e-6;

struct ProjectedOptions {
  std::uint64_t seed = 7;         // of the dictionary's draws
  bool arrival_features = false;  // see below
  std::optional<Matrix> anchors;  // d x m: to start with
  std::optional<Matrix> arms;     // d x A: a fixed arm set
  bool moving_ridge = false;      // keep what set_ridge() needs; not for dictionaries drawn anew
};

// Kernel ridge regression on the span of a few states, the anchors (Nyström): Prop. 4.2 of Zenati et al. 2022
// and eq. (4) of Calandriello et al. 2019, in orthonormal coordinates.
//
// With anchors Z and L_Z L_Z^T = K_ZZ, features z(s) = L_Z^-1 k_Z(s) and what they miss, r(s) = k(s,s) -
// |z|^2, V = λI + Σ z_i z_i^T = L_V L_V^T and b = Σ y_i z_i:
//   mean(s) = z(s)^T V^-1 b,   sd(s)^2 = r(s)/λ + |L_V^-1 z(s)|^2,   ln det(I + K_projected/λ) = ln det V - m
//   ln λ.
// A prediction costs m^2 multiply-adds, an observation O(m^2). A new anchor is a new coordinate for
// everybody but earlier anchors, (k(a,s) - z(a)^T z(s))/sqrt(r(a)): O(tm) with the features of the other
// states of the history, which are kept (O(tm) memory). An anchor with r(a) <= 1e-10 k(a,a) adds no direction
// that rounding leaves and is left out; one with r(a) <= 1e-6 k(a,a) has the anchors put in another order,
// largest residual first, or the factor L_Z would lose its digits. Repeated states are kept once, with a
// count.
//
// arrival_features: a state counts in V with the features it had when it came (later coordinates 0), nothing
// of the history is kept, O(m^2) memory, and evidence().residual_sum sums what was missed then. Only such
// features allow mixtures of bounds (mixture.h).
//
// moving_ridge: Σ z_i z_i^T is kept as well, and set_ridge() factors it afresh, O(m^3 + m^2 A).
//
// A fixed arm set: means and variances of the arms are carried along, O(mA) an observation, and computed
// afresh every m observations, so that nothing drifts. If the dictionary is drawn in batches, rewards wait
// for the end of the batch (once 1 + Σ sd^2 has passed the threshold, at the first reward or withdrawal that
// leaves no choice open, or at the next reward when it has passed twice the threshold); variances shrink with
// every choice. A choice that is withdrawn is taken out of V and of all counts, O(P m^2 + m^3); only 1 + Σ
// sd^2 keeps it: the batch may end a little sooner, and the bound's factor for the batch stays on the safe
// side.
class ProjectedRegression final : public Regression,
                                  public ChecksStates,
                                  public ShowsAnchors,
                                  public Diagnoses,
                                  public PredictsJointly,
                                  public ChoosesBest,
                                  public KeepsArms,
                                  public MovesRidge,
                                  public AnyRidge,
                                  public ReusesSolves,
                                  public TracksChoices {
 public:
  ProjectedRegression(KernelPtr kernel, double ridge, std::unique_ptr<Dictionary> dictionary,
                      const ProjectedOptions& options = {});
  ProjectedRegression(const ProjectedRegression& other);
  ProjectedRegression(ProjectedRegression&&) = default;
  ProjectedRegression& operator=(ProjectedRegression&&) = default;

  using Regression::observe;
  void observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) override;
  void observe_solved(const VectorIn& state, double reward, Workspace& workspace) override;
  bool tracks_choices() const override { return batches(); }
  void chosen(const VectorIn& state, int level) override;
  void rewarded(const VectorIn& state, int level, double reward, Workspace& workspace) override;
  void withdrawn(const VectorIn& state, int level) override;
  void check(const MatrixIn& states) const override;
  void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const override;
  JointPrediction predict_jointly(const MatrixIn& states, Workspace& workspace) const override;
  Evidence evidence() const override;
  Diagnostics diagnostics() const override;
  BestUpper best_upper(const MatrixIn& states, double radius, Workspace& workspace) const override;
  bool has_arms() const override { return arms_ > 0; }
  BestUpper best_arm(double radius) const override;
  bool can_move() const override { return options_.moving_ridge; }
  void set_ridge(double ridge) override;
  double log_determinant(double ridge) const override;
  double squared_error() const override;  // with arrival_features, against means of the features of then
  MatrixIn anchors() const override { return model_.anchors.view(); }
  bool at_any_ridge() const override { return options_.arrival_features; }
  std::unique_ptr<Regression> clone() const override;

  // Mixtures: projected_mixture.cpp. O(m^3) for a model, then O(m^2) for a state.
  Band band(const MatrixIn& states, const Mixture& mixture, Workspace& workspace) const override;
  MixturePick best(const MatrixIn& states, const Mixture& mixture, bool with_band,
                   Workspace& workspace) const override;
  double least_slack(const Mixture& mixture) const override;  // its sign is certain, its size a guess

  Prediction arm_prediction() const;

  // A fresh model learns different states that all become members with probability 1, at once, O(t^3). If it
  // throws, the model is of no use any more.
  void start_full(const MatrixIn& states, const VectorIn& rewards);

  // All it has learnt; a model restored from it continues bit for bit.
  struct Memory {
    GrowingColumns anchors;     // d x m
    GrowingCholesky basis;      // L_Z
    GrowingCholesky precision;  // L_V
    GrowingCholesky frozen;     // L_V at the last draw, if draws wait
    Matrix information;         // m x m: Σ z_i z_i^T, the lower triangle, if the ridge moves
    GrowingVector moment;       // b, of the rewards that count already
    Vector weights;             // V^-1 b
    ProjectedPoints points;
    double sum_of_squares = 0;
    double residual_sum = 0;
    double trace_inverse = 0;  // tr V^-1
    double largest_prior = 0;
    double variances = 0;  // Σ sd^2 of the choices since the last draw, by its sds
    double open_variances =
        0;                // Σ sd^2 of the choices without a reward at the last draw, by the data with theirs
    Index rounds = 0;     // rewards received
    Index outsiders = 0;  // distinct states that a growing dictionary turned away
    Index choices = 0;    // counted in V
    Index dimension = 0;  // of states; 0 while unknown
    Index since_fresh = 0;     // updates since the tracked numbers were computed afresh
    Index first = -1;          // the point that is always drawn
    std::vector<Index> drawn;  // points of the last draw, rising; not all need be anchors
  };
  const Memory& memory() const { return model_; }
  const Dictionary& dictionary() const { return *dictionary_; }
  bool moving_ridge() const { return options_.moving_ridge; }
  void restore(Memory memory, const Members& members);

 private:
  class Race;
  class EveryRidge;

  // What choosing needs, computed once when the model has changed. It follows from Memory, and no choice
  // hangs on it: the screen only says who cannot win.
  struct Ready {
    Vector dual;  // L_Z^-T V^-1 b: mean(s) = k_Z(s)^T dual up to rounding. Empty if nobody races.
    double log_determinant = 0;                     // ln det V
    std::shared_ptr<const ProjectedScreen> screen;  // null if there is none that holds
    Index screened = 0;                             // choices in V when it was computed
    Index anchors = 0;                              // so many there are ...
    Index settled = 0;                              // ... since so many choices
  };

  // An observed state, in features.
  struct Arrival {
    Vector state;
    double prior = 0;
    double residual = 0;
    Vector z;
    std::optional<Index> point;  // if there is one already
    Vector half = {};            // L_V^-1 z, if it is known; else empty
    Vector whole = {};           // V^-1 z, likewise
    bool is_anchor = false;      // since now
  };

  bool tracks() const { return arms_ > 0 || dictionary_->resampling(); }
  bool batches() const {
    return arms_ > 0 && dictionary_->resampling() && dictionary_->resampling()->batches;
  }
  bool keeps_history() const { return !options_.arrival_features; }
  void require_moving(double ridge) const;
  void check_shape(const MatrixIn& states) const;
  bool are_arms(const MatrixIn& states) const;
  double slack_by_sign(const Mixture& mixture, double ridge) const;
  static void check_prior(double prior);
  void check_residuals(const Vector& coordinate) const;
  double residual_rounding() const;
  bool races() const;
  void prepare();
  bool screen_is_due() const;
  Arrival arrive(const VectorIn& state) const;
  Arrival arrive(const VectorIn& state, Vector z) const;
  void project(const MatrixIn& states, const VectorIn& prior, MatrixOut z, VectorOut mean, VectorOut residual,
               Index& clamped) const;
  Index point_of(const Arrival& arrival);

  void observe_one(const VectorIn& state, double reward, bool of_choice = false);
  void observe_arrival(Arrival arrival, double reward);
  void finish_observation(const VectorIn& state, double reward);
  void observe_growing(Arrival arrival, double reward);
  void add_to_precision(const Arrival& arrival, std::optional<double> reward);
  void add_anchor(Arrival& arrival);
  void turn_away(Arrival& arrival);
  double dependent() const;  // the least residual of any anchor, of its prior
  double least_residual() const;
  void append_anchor(Arrival& arrival);
  Vector solve_for_anchor(const Vector& half, bool alone, double pivot, double schur, Arrival& arrival) const;
  static GrowingCholesky factor_precision(Matrix sum, double ridge);
  void solve_weights(Memory& model) const;
  void compute_tracked(Memory& model) const;
  void refresh_if_stale();

  // Dictionaries that are drawn anew: projected_draws.cpp.
  void observe_resampled(Arrival arrival, double reward);
  void observe_drawing(Arrival arrival, double reward);
  void observe_batched(const VectorIn& state, double reward, bool of_choice);
  void end_batch();
  void take_back(Index point);
  Matrix weighted_squares(const VectorIn& weights) const;
  Index choose(const Arrival& arrival);
  void count(Index point, double reward);
  double frozen_variance(const Arrival& arrival) const;
  bool draw_is_due(double variances) const;
  bool batch_ends(double variances, double open) const;
  std::vector<Index> draw(Index always) const;
  std::vector<Index> added_to_drawn(const std::vector<Index>& drawn) const;
  void start_epoch(std::vector<Index> drawn);
  void extend(const std::vector<Index>& added);
  void rebuild(const std::vector<Index>& drawn, Index point, double reward);
  void rebuild(const Matrix& candidates);
  std::vector<Index> carried_without(const MatrixIn& anchors) const;
  std::pair<GrowingColumns, GrowingCholesky> span_of(const Matrix& states) const;
  Matrix points_at(const std::vector<Index>& drawn) const;
  void fold_rewards();

  KernelPtr kernel_;
  double ridge_;
  std::unique_ptr<Dictionary> dictionary_;
  ProjectedOptions options_;
  Index arms_ = 0;  // the first so many points
  Memory model_;
  Ready ready_;
};

// What features leave of a prior variance: below 0 only by rounding, which counts as 0. More than `rounding`,
// as a part of the prior, throws NumericalError; a visible part is counted.
double projected_residual(double prior, double explained, double rounding, Index& clamped);
double projected_sd(double residual, double spread, double ridge);  // sqrt(residual/ridge + spread)

}  // namespace ridgerunner
