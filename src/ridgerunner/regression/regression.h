#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Predictions at n states. With ridge λ, V = λI + Σ φφ^T:
//   mean(s) = k_S(s)^T (K + λI)^-1 y,   sd(s)^2 = φ(s)^T V^-1 φ(s) = (k(s,s) - k_S(s)^T (K + λI)^-1 k_S(s)) /
//   λ.
// This sd, divided by λ inside the root, is the only one in the library: every bound multiplies it.
struct Prediction {
  Vector mean;
  Vector sd;
  Vector prior;       // k(s, s)
  Index clamped = 0;  // variances that rounding had made negative, set to 0
};

// Where the expected reward lies, at n states and at one.
struct Band {
  Vector lower;
  Vector upper;
};
struct Interval {
  double lower = 0;
  double upper = 0;
};

// What a theorem may know of the data.
struct Evidence {
  Index rounds = 0;            // t, the number of observations
  Index anchors = 0;           // states that the model rests on
  double ridge = 1;            // λ
  double log_determinant = 0;  // ln det(I + K/λ): twice the information gain
  double sum_of_squares = 0;   // y^T y
  double quadratic_form = 0;   // y^T (K + λI)^-1 y

  // Projected engines; K above is then the projected kernel matrix.
  double residual_sum = 0;        // Σ r_i, r_i = k(s_i,s_i) - |z_i|^2: what the anchors leave of the data
  double variance_sum = 0;        // Σ sd^2(s_i) over the data: at least the effective dimension
  double largest_prior = 0;       // max k(s_i, s_i) over the data; of every engine
  bool arrival_features = false;  // a state's features are those it had on arrival, so they are predictable
  double batch_growth = 1;  // means wait for a batch to end: variances have shrunk by at most this factor
  double draw_growth = 1;   // 1 + Σ sd^2 of the data since anchors were drawn, by the sds of then
};

// How good an approximation is: dearer to compute than evidence, so asked for separately.
struct Diagnostics {
  std::optional<double> effective_dimension;  // Σ sd^2(s_i); absent if it would take long
  std::optional<double> projection_error;     // estimate of the largest eigenvalue of K - K_projected
};

// The candidate with the largest mean + radius sd; ties go to the lowest index.
struct BestUpper {
  Index index = 0;
  double mean = 0;
  double sd = 0;
  Index clamped = 0;
  std::int64_t multiply_adds = 0;  // spent in triangular solves
};

// One model among all that ever were: a copy is another one.
class Identity {
 public:
  Identity() : token_(std::make_shared<char>()) {}
  Identity(const Identity&) : Identity() {}
  Identity(Identity&&) = default;
  Identity& operator=(const Identity& other) {
    if (this != &other) token_ = std::make_shared<char>();
    return *this;
  }
  Identity& operator=(Identity&&) = default;
  std::shared_ptr<const char> token() const { return token_; }

 private:
  std::shared_ptr<const char> token_;
};

// Memory for one operation at a time, kept between rounds: one for each thread.
struct Workspace {
  Scratch cross;    // kernel values between the model's states and the candidates, then L^-1 of them
  Scratch prefix;   // the first rows of the latter
  Scratch leaders;  // columns of the latter; kernel values with the arms while observing
  Scratch small;    // a candidate's neighbours
  Scratch raw;      // kernel values that are needed once more
  Prediction prediction;
  Vector explained;  // by candidate: the part of k(s, s) that the data explain
  Vector weights;    // L^-T w
  std::vector<Index> columns;

  double mixture_screen = 0;  // the ridge at which the last mixture's race was run: a guess for the next

  // The last choice's state and its L^-1 k: observing that state next needs no solve. Valid for the model
  // `solved_by` after `solved_rounds` rounds.
  std::shared_ptr<const char> solved_by;
  Index solved_rounds = 0;
  Vector solved_state;
  Scratch solved;                      // one column
  std::vector<Vector> further_solved;  // the same at the model's further ridges; empty where it is not known
};

class AnyRidge;
struct JointPrediction;

// A model of the reward, updated in place. Bad input throws InvalidArgument, failing arithmetic
// NumericalError; both leave the model as it was.
class Regression {
 public:
  virtual ~Regression() = default;

  // states: d x n, rewards: n. The first observation fixes d.
  virtual void observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) = 0;
  void observe(const MatrixIn& states, const VectorIn& rewards) {
    Workspace workspace;
    observe(states, rewards, workspace);
  }

  // A choice was made whose reward is to come. Most models wait for the reward; one that keeps data apart by
  // level needs to know the level.
  virtual void anticipate(const VectorIn& /*state*/, int /*level*/, Workspace& /*workspace*/) {}

  // Throws InvalidArgument unless predict() would take these states.
  virtual void check(const MatrixIn& states) const = 0;

  virtual void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const = 0;

  // The same, with the covariances of the states: joint_prediction.h.
  virtual JointPrediction predict_jointly(const MatrixIn& states, Workspace& workspace) const = 0;

  virtual Evidence evidence() const = 0;
  virtual Diagnostics diagnostics() const = 0;

  // Equal to the argmax over predict(), in fewer operations where the model can.
  virtual BestUpper best_upper(const MatrixIn& states, double radius, Workspace& workspace) const = 0;

  // The same over the arms the model was built with, if it was.
  virtual BestUpper best_arm(double radius) const = 0;

  virtual MatrixIn anchors() const = 0;  // d x m: the states that the model rests on

  // A ridge that moves with the data. Each refuses with InvalidArgument where the model cannot.
  virtual void set_ridge(double ridge);                // the same data at another ridge
  virtual double log_determinant(double ridge) const;  // ln det(I + K/ridge), at any
  virtual double squared_error() const;                // Σ (y_i - mean(s_i))^2 over the data

  // What it can say at other ridges than its own; null if nothing.
  virtual const AnyRidge* any_ridge() const { return nullptr; }

  virtual std::unique_ptr<Regression> clone() const = 0;
};

Prediction predict(const Regression& regression, const MatrixIn& states);

// What every model demands of its input; throws InvalidArgument.
void require_states(const MatrixIn& states, Index dimension);
void require_rewards(const MatrixIn& states, const VectorIn& rewards);
void require_arms(const MatrixIn& arms);

// The priors k(s, s) of states first, first + 1, ... are numbers; the message names the state that has none.
void require_priors(const VectorIn& prior, Index first = 0);

// One number at a time and in one way everywhere, so that all paths agree to the bit.
double scaled_sd(double prior, double explained,
                 double ridge);  // sqrt((prior - explained)/ridge), 0 if negative
inline double upper_value(double mean, double radius, double sd) {
  return mean + radius * sd;
}

// Whether prior - explained is not negative. Negative beyond rounding throws NumericalError.
bool check_variance(double prior, double explained);

// Both for many; gives back how many variances were negative within rounding.
Index scaled_sd(const VectorIn& prior, const VectorIn& explained, double ridge, Vector& sd);

// Argmax of mean + radius sd over a prediction: the textbook way, and the oracle of the faster ones.
BestUpper best_of(const Prediction& prediction, double radius);

}  // namespace ridgerunner
