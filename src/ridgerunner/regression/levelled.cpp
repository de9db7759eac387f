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

LevelledRegression::LevelledRegression(const LevelledRegression& other)
    : all_(other.all_->clone()), announced_(other.announced_) {
  for (const auto& level : other.levels_) levels_.push_back(level->clone());
}

std::unique_ptr<Regression> LevelledRegression::clone() const {
  return std::make_unique<LevelledRegression>(*this);
}

void LevelledRegression::check_level(int level) const {
  if (level == kNoLevel || (level >= 1 && level <= levels())) return;
  throw InvalidArgument(
      fmt::format("level must be between 1 and {}, or {} for none, got {}", levels(), kNoLevel, level));
}

void LevelledRegression::anticipate(const VectorIn& state, int level, Workspace&) {
  if (level == 0) return;
  check_level(level);
  all_->check(state);
  announced_.push_back({state, level});
}

void LevelledRegression::observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) {
  if (states.cols() == 1 && rewards.size() == 1) return observe_one(states.col(0), rewards, workspace);
  if (states.cols() != rewards.size()) {
    throw InvalidArgument(
        fmt::format("states and rewards must be equally many, got {} and {}", states.cols(), rewards.size()));
  }
  all_->check(states);
  LevelledRegression after(*this);
  for (Index i = 0; i < states.cols(); ++i) {
    after.observe_one(states.col(i), rewards.segment(i, 1), workspace);
  }
  std::swap(all_, after.all_);
  std::swap(levels_, after.levels_);
  std::swap(announced_, after.announced_);
}

void LevelledRegression::observe_one(const VectorIn& state, const VectorIn& reward, Workspace& workspace) {
  const auto announced = std::find_if(announced_.begin(), announced_.end(), [&](const Announced& one) {
    return one.state.size() == state.size() && one.state == state;
  });
  const bool known = announced != announced_.end();
  auto all = all_->clone();  // a kernel of the user's own may fail at a level: then all stays as it is
  all->observe(state, reward, workspace);
  std::vector<std::pair<std::size_t, std::unique_ptr<Regression>>> changed;
  for (int i = 1; i <= levels(); ++i) {
    if (known && announced->level != i) continue;
    const auto at = static_cast<std::size_t>(i - 1);
    auto level = levels_[at]->clone();
    try {
      level->observe(state, reward, workspace);
      changed.emplace_back(at, std::move(level));
    } catch (const NumericalError&) {
      // This level goes without.
    } catch (const InvalidArgument&) {
      // A kernel of the user's own refuses a pair of states that all_ did not have to compare.
    }
  }
  all_ = std::move(all);
  for (auto& [at, level] : changed) levels_[at] = std::move(level);
  if (known) announced_.erase(announced);
}

void LevelledRegression::predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const {
  all_->predict(states, out, workspace);
}

JointPrediction LevelledRegression::predict_jointly(const MatrixIn& states, Workspace& workspace) const {
  return all_->predict_jointly(states, workspace);
}

BestUpper LevelledRegression::best_upper(const MatrixIn& states, double radius, Workspace& workspace) const {
  return all_->best_upper(states, radius, workspace);
}

void LevelledRegression::restore(std::unique_ptr<Regression> all,
                                 std::vector<std::unique_ptr<Regression>> levels,
                                 std::vector<Announced> announced) {
  if (levels.size() != levels_.size()) {
    throw InvalidArgument(fmt::format("levels must be {}, got {}", levels_.size(), levels.size()));
  }
  if (!all || std::count(levels.begin(), levels.end(), nullptr) > 0) {
    throw InvalidArgument("every level must have a model");
  }
  for (const Announced& one : announced) check_level(one.level);
  all_ = std::move(all);
  levels_ = std::move(levels);
  announced_ = std::move(announced);
}

}  // namespace ridgerunner
