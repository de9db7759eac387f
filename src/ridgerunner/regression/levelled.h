#pragma once

#include <functional>
#include <vector>

#include "ridgerunner/regression/capabilities.h"

namespace ridgerunner {

constexpr int kNoLevel = -1;

// Several models side by side, for rules that keep data apart: one of all data, which is what predict() and
// the rest show, and one for each level 1, 2, ... The reward of a choice goes to the level at which it was
// made, or to none for kNoLevel; data that belong to no choice (level 0) go to all levels.
//
// The model of all data has the first word: what it refuses changes nothing anywhere. A level's data are some
// of all data, so a level rarely fails where that model did not; if its arithmetic does, this level goes
// without the observation. It is left out on account of its state, never of its reward, so what the level
// knows remains sound.
//
// Cost of an observation: that of two models if its level is known, of all if not, and their copies: it is
// tried on them first.
class LevelledRegression final : public Regression,
                                 public ChecksStates,
                                 public ShowsAnchors,
                                 public Diagnoses,
                                 public PredictsJointly,
                                 public TracksChoices {
 public:
  LevelledRegression(int levels, const std::function<std::unique_ptr<Regression>()>& make);
  LevelledRegression(const LevelledRegression& other);

  using Regression::observe;
  void observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) override;

  // level: 1 .. levels(), kNoLevel, or 0: all levels.
  void chosen(const VectorIn& state, int level) override;
  void rewarded(const VectorIn& state, int level, double reward, Workspace& workspace) override;
  void withdrawn(const VectorIn& state, int level) override;

  void check(const MatrixIn& states) const override { check_states(*all_, states); }
  void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const override;
  JointPrediction predict_jointly(const MatrixIn& states, Workspace& workspace) const override;
  Evidence evidence() const override { return all_->evidence(); }
  Diagnostics diagnostics() const override { return diagnostics_of(*all_); }
  MatrixIn anchors() const override;
  std::unique_ptr<Regression> clone() const override;

  int levels() const { return static_cast<int>(levels_.size()); }
  const Regression& level(int level) const { return *levels_.at(static_cast<std::size_t>(level - 1)); }
  const Regression& all() const { return *all_; }

  void check_level(int level) const;

  // For archives.
  void restore(std::unique_ptr<Regression> all, std::vector<std::unique_ptr<Regression>> levels);

 private:
  std::unique_ptr<Regression> all_;
  std::vector<std::unique_ptr<Regression>> levels_;
};

}  // namespace ridgerunner
