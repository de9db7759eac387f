#pragma once

#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

struct JointPrediction;

// What some models can do beside the four functions of Regression. Each is an interface of its own, asked for
// by capability<MovesRidge>(model), which is null if this model cannot. None of them throws by default.

class ChecksStates {
 public:
  virtual ~ChecksStates() = default;
  // Throws InvalidArgument unless predict() would take these states.
  virtual void check(const MatrixIn& states) const = 0;
};

class ShowsAnchors {
 public:
  virtual ~ShowsAnchors() = default;
  virtual MatrixIn anchors() const = 0;  // d x m: the states that the model rests on
};

class Diagnoses {
 public:
  virtual ~Diagnoses() = default;
  virtual Diagnostics diagnostics() const = 0;
};

class PredictsJointly {
 public:
  virtual ~PredictsJointly() = default;
  // With the covariances of the states: joint_prediction.h.
  virtual JointPrediction predict_jointly(const MatrixIn& states, Workspace& workspace) const = 0;
};

class ChoosesBest {
 public:
  virtual ~ChoosesBest() = default;
  // Equal to the argmax over predict(), in fewer operations.
  virtual BestUpper best_upper(const MatrixIn& states, double radius, Workspace& workspace) const = 0;
};

// A fixed arm set, whose predictions are kept.
class KeepsArms {
 public:
  virtual ~KeepsArms() = default;
  virtual bool has_arms() const = 0;
  virtual BestUpper best_arm(double radius) const = 0;  // as best_upper() over the arms
};

// A ridge that moves with the data.
class MovesRidge {
 public:
  virtual ~MovesRidge() = default;
  virtual bool can_move() const { return true; }
  virtual void set_ridge(double ridge) = 0;                // the same data at another ridge
  virtual double log_determinant(double ridge) const = 0;  // ln det(I + K/ridge), at any
  virtual double squared_error() const = 0;                // Σ (y_i - mean(s_i))^2 over the data
};

// Needs to know of choices before their rewards come: models that keep data apart by level, or let rewards
// wait for the end of a batch. What observe() learns belongs to no choice.
class TracksChoices {
 public:
  virtual ~TracksChoices() = default;
  virtual bool tracks_choices() const { return true; }
  virtual void chosen(const VectorIn& state, int level) = 0;
  virtual void rewarded(const VectorIn& state, int level, double reward, Workspace& workspace) = 0;
  virtual void withdrawn(const VectorIn& state, int level) = 0;  // its reward will never come
};

// Observing the state that was chosen last needs no solve. The workspace is that of the choice, which said
// BestUpper::solved; nothing else was done with it since, and the model is as it was.
class ReusesSolves {
 public:
  virtual ~ReusesSolves() = default;
  virtual void observe_solved(const VectorIn& state, double reward, Workspace& workspace) = 0;
};

// Leaves everything but learning to another model, which may be replaced when it learns. What that one can do
// is offered as its own, but for capabilities that the class has itself.
class Delegates {
 public:
  virtual ~Delegates() = default;
  virtual const Regression& delegate() const = 0;
};

// Some models of a class can and others cannot.
template <class Capability>
bool is_offered(const Capability&) {
  return true;
}
inline bool is_offered(const KeepsArms& arms) {
  return arms.has_arms();
}
inline bool is_offered(const MovesRidge& ridge) {
  return ridge.can_move();
}
inline bool is_offered(const TracksChoices& choices) {
  return choices.tracks_choices();
}

template <class Capability>
const Capability* capability(const Regression& model) {
  const auto* found = dynamic_cast<const Capability*>(&model);
  if (found) return is_offered(*found) ? found : nullptr;
  const auto* delegates = dynamic_cast<const Delegates*>(&model);
  return delegates ? capability<Capability>(delegates->delegate()) : nullptr;
}
template <class Capability>
Capability* capability(Regression& model) {  // to change it, so never a delegate's
  auto* found = dynamic_cast<Capability*>(&model);
  return found && is_offered(*found) ? found : nullptr;
}

// For any model, by its capability or without.
void check_states(const Regression& model, const MatrixIn& states);
Matrix anchors_of(const Regression& model);           // none if it does not show them
Diagnostics diagnostics_of(const Regression& model);  // empty if it has none

// For models that can: throws InvalidArgument for others.
JointPrediction predict_jointly(const Regression& model, const MatrixIn& states, Workspace& workspace);
void set_ridge(Regression& model, double ridge);

}  // namespace ridgerunner
