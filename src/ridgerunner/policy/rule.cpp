#include "ridgerunner/policy/rule.h"

#include <cmath>
#include <limits>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/registry.h"
#include "ridgerunner/policy/thompson.h"
#include "ridgerunner/policy/valko2013_supkernelucb.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/selection/best_of_mixture.h"
#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner {
namespace {

Pick with_band(const BestUpper& best, double propensity, const Interval& at) {
  Pick pick;
  Decision& decision = pick.decision;
  decision.index = best.index;
  decision.mean = best.mean;
  decision.sd = best.sd;
  decision.lower = at.lower;
  decision.upper = at.upper;
  decision.propensity = propensity;
  decision.clamped = best.clamped;
  pick.solved = best.solved;
  return pick;
}

void require_number(double radius) {
  if (std::isnan(radius)) throw NumericalError("the radius of the bound is not a number");
}

// A candidate by its index, without looking at the others. All of them are checked all the same.
BestUpper one_of(const Candidates& candidates, Index index, const Regression& regression,
                 Workspace& workspace) {
  if (!candidates.are_arms) check_states(regression, candidates.states);
  BestUpper one = best_upper(regression, candidates.states.col(index), 0, workspace);
  one.index = index;
  return one;
}

BestUpper best_by(const Candidates& candidates, const Regression& regression, double radius,
                  Workspace& workspace) {
  if (std::isinf(radius)) return one_of(candidates, 0, regression, workspace);  // all tie
  const auto* arms = candidates.are_arms ? capability<KeepsArms>(regression) : nullptr;
  return arms ? arms->best_arm(radius) : best_upper(regression, candidates.states, radius, workspace);
}

// Any of those that have the largest upper bound, with equal probability. There are rarely two, so all are
// predicted only then.
BestUpper one_of_the_best(const Candidates& candidates, const Regression& regression, double radius,
                          Stream random, Workspace& workspace) {
  const BestUpper best = best_by(candidates, regression, radius, workspace);
  if (best.ties <= 1) return best;
  Index left = random.index(best.ties);
  if (left == 0) return best;
  const double highest = upper_value(best.mean, radius, best.sd);
  regression.predict(candidates.states, workspace.prediction, workspace);
  const Prediction& all = workspace.prediction;
  for (Index i = best.index + 1; i < all.mean.size(); ++i) {
    if (upper_value(all.mean[i], radius, all.sd[i]) != highest || --left > 0) continue;
    BestUpper other = best;
    other.index = i;
    other.mean = all.mean[i];
    other.sd = all.sd[i];
    other.solved = false;
    return other;
  }
  BestUpper same = best;  // a model whose predictions differ from its choice in the last bit
  same.solved = false;
  return same;
}

class Ucb final : public Rule {
 public:
  explicit Ucb(Ties ties) : ties_(ties) {}
  Pick pick(const Situation& at, Stream random, Workspace& workspace) const override {
    if (const auto radius = at.bound.radius(at.evidence)) {
      require_number(*radius);
      if (ties_ == Ties::random) {
        const BestUpper best = one_of_the_best(at.candidates, at.regression, *radius, random, workspace);
        return with_band(best, 1 / static_cast<double>(best.ties),
                         radius_interval(best.mean, best.sd, *radius));
      }
      const BestUpper best = best_by(at.candidates, at.regression, *radius, workspace);
      const Interval band = radius_interval(best.mean, best.sd, *radius);
      return with_band(best, 1, band);
    }
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    const MixturePick found =
        best_of_mixture(at.regression, at.candidates.states, *at.bound.mixture(at.evidence),
                        at.report == Report::with_band, workspace);
    return with_band(found.best, 1, found.at.value_or(Interval{-kUnknown, kUnknown}));
  }

 private:
  Ties ties_;
};

class Greedy final : public Rule {
 public:
  explicit Greedy(Ties ties) : ties_(ties) {}
  Pick pick(const Situation& at, Stream random, Workspace& workspace) const override {
    if (ties_ == Ties::lowest)
      return picked(at, best_by(at.candidates, at.regression, 0, workspace), 1, workspace);
    const BestUpper best = one_of_the_best(at.candidates, at.regression, 0, random, workspace);
    return picked(at, best, 1 / static_cast<double>(best.ties), workspace);
  }

 private:
  Ties ties_;
};

class Uniform final : public Rule {
 public:
  Pick pick(const Situation& at, Stream random, Workspace& workspace) const override {
    const Index n = at.candidates.states.cols();
    return picked(at, one_of(at.candidates, random.index(n), at.regression, workspace),
                  1 / static_cast<double>(n), workspace);
  }
};

class Lowest final : public Rule {
 public:
  Pick pick(const Situation& at, Stream, Workspace& workspace) const override {
    return picked(at, one_of(at.candidates, 0, at.regression, workspace), 1, workspace);
  }
};

}  // namespace

Pick picked(const Situation& at, const BestUpper& best, double propensity, Workspace& workspace) {
  if (const auto radius = at.bound.radius(at.evidence)) {
    require_number(*radius);
    const Interval band = radius_interval(best.mean, best.sd, *radius);
    return with_band(best, propensity, band);
  }
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (at.report == Report::without_band) return with_band(best, propensity, {-kUnknown, kUnknown});
  const Band band = mixture_band(at.regression, at.candidates.states.col(best.index),
                                 *at.bound.mixture(at.evidence), workspace);
  return with_band(best, propensity, {band.lower[0], band.upper[0]});
}

RulePtr ucb_rule(Ties ties) {
  return std::make_shared<Ucb>(ties);
}
RulePtr greedy_rule(Ties ties) {
  return std::make_shared<Greedy>(ties);
}
RulePtr uniform_rule() {
  return std::make_shared<Uniform>();
}

RulePtr lowest_rule() {
  return std::make_shared<Lowest>();
}

RulePtr make_rule(const Spec& spec) {
  const RuleChoice& type = spec.rule.type;
  if (type.is<rules::Thompson>()) return thompson_rule();
  if (type.is<rules::SupKernelUcb>()) return supkernelucb_rule(spec.horizon);
  if (type.is<rules::Greedy>()) return greedy_rule(spec.rule.ties);
  if (type.is<rules::Uniform>()) return uniform_rule();
  if (const Own* own = type.get_if<Own>()) return make_own_rule(*own);
  return ucb_rule(spec.rule.ties);
}

}  // namespace ridgerunner
