#include "ridgerunner/regression/levelled.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/joint_prediction.h"

namespace ridgerunner {

LevelledRegression::LevelledRegression(int levels, const std::function<std::unique_ptr<Regression>()>& make) {
  if (levels < 1) throw InvalidArgument(fmt::format("levels must be >= 1, got {}", levels));
  all_ = make();
  for (int i = 0; i < levels; ++i) levels_.push_back(make());
}

LevelledRegression::LevelledRegression(const LevelledRegression& other) : all_(other.all_->clone()) {
  for (const auto& level : other.levels_) levels_.push_back(level->clone());
}

std::unique_ptr<Regression> LevelledRegression::clone() const {
  return std::make_unique<LevelledRegression>(*this);
}

void LevelledRegression::check_level(int level) const {
  if (level >= kNoLevel && level <= levels()) return;
  throw InvalidArgument(
      fmt::format("level must be between 1 and {}, or {} for none, got {}", levels(), kNoLevel, level));
}

void LevelledRegression::chosen(const VectorIn& state, int level) {
  check_level(level);
  check(state);
}

void LevelledRegression::withdrawn(const VectorIn&, int level) {
  check_level(level);
}

void LevelledRegression::observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) {
  if (states.cols() == 1 && rewards.size() == 1) return rewarded(states.col(0), 0, rewards[0], workspace);
  if (states.cols() != rewards.size()) {
    throw InvalidArgument(
        fmt::format("states and rewards must be equally many, got {} and {}", states.cols(), rewards.size()));
  }
  check(states);
  LevelledRegression after(*this);
  for (Index i = 0; i < states.cols(); ++i) after.rewarded(states.col(i), 0, rewards[i], workspace);
  std::swap(all_, after.all_);
  std::swap(levels_, after.levels_);
}

// Tried on copies: a kernel of the user's own may fail at any of them.
void LevelledRegression::rewarded(const VectorIn& state, int level, double reward, Workspace& workspace) {
  check_level(level);
  const Eigen::Map<const Vector> rewards(&reward, 1);
  auto all = all_->clone();
  all->observe(state, rewards, workspace);
  std::vector<std::pair<std::size_t, std::unique_ptr<Regression>>> changed;
  for (int i = 1; i <= levels(); ++i) {
    if (level != 0 && level != i) continue;
    const auto at = static_cast<std::size_t>(i - 1);
    auto model = levels_[at]->clone();
    try {
      model->observe(state, rewards, workspace);
      changed.emplace_back(at, std::move(model));
    } catch (const NumericalError&) {
      // This level goes without.
    } catch (const InvalidArgument&) {
      // A kernel of the user's own refuses a pair of states that all_ did not have to compare.
    }
  }
  all_ = std::move(all);
  for (auto& [at, model] : changed) levels_[at] = std::move(model);
}

void LevelledRegression::predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const {
  all_->predict(states, out, workspace);
}

JointPrediction LevelledRegression::predict_jointly(const MatrixIn& states, Workspace& workspace) const {
  return ridgerunner::predict_jointly(*all_, states, workspace);
}

MatrixIn LevelledRegression::anchors() const {
  static const Matrix kNone;
  const auto* shows = capability<ShowsAnchors>(std::as_const(*all_));
  return shows ? shows->anchors() : MatrixIn(kNone);
}

void LevelledRegression::restore(std::unique_ptr<Regression> all,
                                 std::vector<std::unique_ptr<Regression>> levels) {
  if (levels.size() != levels_.size()) {
    throw InvalidArgument(fmt::format("levels must be {}, got {}", levels_.size(), levels.size()));
  }
  if (!all || std::count(levels.begin(), levels.end(), nullptr) > 0) {
    throw InvalidArgument("every level must have a model");
  }
  all_ = std::move(all);
  levels_ = std::move(levels);
}

}  // namespace ridgerunner
