#pragma once

#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {

// A projected model (projected.h) that is the exact one for as long as its dictionary takes every state for
// sure.
//
// While every state is an anchor, features miss nothing and both models give the same numbers; but the exact
// one chooses and learns several times faster, and its sd is all that KORS needs to know of a state
// (dictionary.h). The first state that comes in with a probability below 1, or comes again, ends this: the
// projected model is built from the states so far, once, O(t^3), and goes on. So does a state that adds next
// to nothing to the others: projections are cheaper then. That is looked for at 64, 128, 256, ... states, by
// a factor of their kernel matrix, n^3/6 multiply-adds for n states.
//
// For growing dictionaries with a history: not for arms, arrival_features or a moving ridge.
class FullFirstRegression final : public Regression, public ReusesSolves, public Delegates {
 public:
  FullFirstRegression(KernelPtr kernel, double ridge, std::unique_ptr<Dictionary> dictionary,
                      std::uint64_t seed);
  FullFirstRegression(const FullFirstRegression& other);
  FullFirstRegression(FullFirstRegression&&) = default;
  FullFirstRegression& operator=(FullFirstRegression&&) = default;

  using Regression::observe;
  void observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) override;
  void observe_solved(const VectorIn& state, double reward, Workspace& workspace) override;
  void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const override;
  Evidence evidence() const override;
  std::unique_ptr<Regression> clone() const override;
  const Regression& delegate() const override;

  // One of them is there, the other null.
  const ExactRegression* exact() const { return exact_.get(); }
  const ProjectedRegression* projected() const { return projected_.get(); }

  // For archives: what the next two take.
  ExactRegression fresh_exact() const;
  ProjectedRegression fresh_projected() const;
  void restore(ExactRegression exact);
  void restore(ProjectedRegression projected);

 private:
  void observe_one(const VectorIn& state, double reward, bool solved, Workspace& workspace);
  bool stays_full(const VectorIn& state, bool solved, Workspace& workspace) const;
  bool adds_little() const;
  std::unique_ptr<ProjectedRegression> projection() const;

  KernelPtr kernel_;
  double ridge_;
  std::unique_ptr<Dictionary> dictionary_;  // as at the start: a full one need not be told of its members
  std::uint64_t seed_;
  std::unique_ptr<ExactRegression> exact_;
  std::unique_ptr<ProjectedRegression> projected_;
};

}  // namespace ridgerunner
