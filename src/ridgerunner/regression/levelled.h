#pragma once

#include <functional>
#include <vector>

#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

constexpr int kNoLevel = -1;

// Several models side by side, for rules that keep data apart: one of all data, which is what predict() and
// the rest show, and one for each level 1, 2, ... A reward goes to the level that was announced by
// anticipate() for its state (the oldest such), or to none for kNoLevel; data that nobody announced go to all
// levels.
//
// The model of all data has the first word: what it refuses changes nothing anywhere. A level's data are some
// of all data, so a level rarely fails where that model did not; if its arithmetic does, this level goes
// without the observation. It is left out on account of its state, never of its reward, so what the level
// knows remains sound.
//
// Cost of an observation: that of two models if announced, of all if not. Several at once are tried on a copy
// first.
class LevelledRegression final : public Regression {
 public:
  LevelledRegression(int levels, const std::function<std::unique_ptr<Regression>()>& make);
  LevelledRegression(const LevelledRegression& other);

  using Regression::observe;
  void observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) override;

  // level: 1 .. levels(), or kNoLevel. 0 is nobody's level and announces nothing.
  void anticipate(const VectorIn& state, int level, Workspace& workspace) override;

  void check(const MatrixIn& states) const override { all_->check(states); }
  void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const override;
  JointPrediction predict_jointly(const MatrixIn& states, Workspace& workspace) const override;
  Evidence evidence() const override { return all_->evidence(); }
  Diagnostics diagnostics() const override { return all_->diagnostics(); }
  BestUpper best_upper(const MatrixIn& states, double radius, Workspace& workspace) const override;
  BestUpper best_arm(double radius) const override { return all_->best_arm(radius); }
  MatrixIn anchors() const override { return all_->anchors(); }
  std::unique_ptr<Regression> clone() const override;

  int levels() const { return static_cast<int>(levels_.size()); }
  const Regression& level(int level) const { return *levels_.at(static_cast<std::size_t>(level - 1)); }
  const Regression& all() const { return *all_; }

  // For archives: choices whose reward is to come, oldest first.
  struct Announced {
    Vector state;
    int level;
  };
  const std::vector<Announced>& announced() const { return announced_; }
  void restore(std::unique_ptr<Regression> all, std::vector<std::unique_ptr<Regression>> levels,
               std::vector<Announced> announced);

 private:
  void check_level(int level) const;
  void observe_one(const VectorIn& state, const VectorIn& reward, Workspace& workspace);

  std::unique_ptr<Regression> all_;
  std::vector<std::unique_ptr<Regression>> levels_;
  std::vector<Announced> announced_;
};

}  // namespace ridgerunner
