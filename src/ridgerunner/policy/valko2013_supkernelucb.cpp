#include "ridgerunner/policy/valko2013_supkernelucb.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/levelled.h"

namespace ridgerunner {

int supkernelucb_levels(double horizon) {
  require_at_least("horizon", horizon, 1);
  return std::max(1, static_cast<int>(std::ceil(std::log(horizon))));
}

namespace {

using Indices = std::vector<Index>;

// What one level says of the candidates that are left: prediction i is of candidate left[i].
struct View {
  const Indices& left;
  const Prediction& at;
  double radius;

  double upper(Index i) const { return upper_value(at.mean[i], radius, at.sd[i]); }

  // Places among those left.
  Indices wider_than(double width) const {
    Indices wide;
    for (Index i = 0; i < at.sd.size(); ++i) {
      if (std::isinf(radius) || radius * at.sd[i] > width) wide.push_back(i);
    }
    return wide;
  }

  // Those whose upper bound is within `slack` of the largest; never nobody.
  Indices near_best(double slack) const {
    const Index best = best_of(at, radius).index;
    const double least = upper(best) - slack;
    Indices near;
    for (Index i = 0; i < at.mean.size(); ++i) {
      if (i == best || upper(i) >= least) near.push_back(left[static_cast<std::size_t>(i)]);
    }
    return near;
  }
};

class SupKernelUcb final : public Rule {
 public:
  explicit SupKernelUcb(double horizon)
      : levels_(supkernelucb_levels(horizon)), finest_(1 / std::sqrt(horizon)) {}

  Pick pick(const Situation& at, Stream random, Workspace& workspace) const override {
    const LevelledRegression& models = levelled(at.regression);
    const MatrixIn& states = at.candidates.states;
    Indices left(static_cast<std::size_t>(states.cols()));
    std::iota(left.begin(), left.end(), Index{0});
    Index clamped = 0;
    for (int level = 1;; ++level) {
      const Regression& model = models.level(level);
      if (std::ssize(left) == states.cols()) {
        model.predict(states, workspace.prediction, workspace);
      } else {
        model.predict(states(Eigen::all, left), workspace.prediction, workspace);
      }
      const Evidence evidence = model.evidence();
      const View view{left, workspace.prediction, *at.bound.radius(evidence)};
      if (std::isnan(view.radius)) throw NumericalError("the radius of the bound is not a number");
      clamped += view.at.clamped;
      // The band rests on the evidence of this level alone.
      const auto decided = [&](Index i, double propensity, int its_level) {
        const BestUpper one{
            left[static_cast<std::size_t>(i)], view.at.mean[i], view.at.sd[i], clamped, 0, false};
        Pick pick = picked({at.candidates, model, at.bound, evidence, at.report}, one, propensity, workspace);
        pick.decision.level = its_level;
        return pick;
      };
      if (view.wider_than(finest_).empty()) return decided(best_of(view.at, view.radius).index, 1, kNoLevel);
      const double width = std::ldexp(1.0, -level);
      const Indices wide = view.wider_than(width);
      if (!wide.empty()) {
        const auto chosen = static_cast<std::size_t>(random.index(std::ssize(wide)));
        return decided(wide[chosen], 1 / static_cast<double>(wide.size()), level);
      }
      left = view.near_best(2 * width);
    }
  }

 private:
  const LevelledRegression& levelled(const Regression& regression) const {
    const auto* models = dynamic_cast<const LevelledRegression*>(&regression);
    if (!models) throw InvalidArgument("supkernelucb needs a regression in levels, got one without");
    if (models->levels() < levels_) {
      throw InvalidArgument(
          fmt::format("supkernelucb needs {} levels for its horizon, got {}", levels_, models->levels()));
    }
    return *models;
  }

  int levels_;
  double finest_;  // 1/sqrt(T)
};

}  // namespace

RulePtr supkernelucb_rule(double horizon) {
  return std::make_shared<SupKernelUcb>(horizon);
}

}  // namespace ridgerunner
