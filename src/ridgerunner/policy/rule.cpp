#include "ridgerunner/policy/rule.h"

#include <cmath>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/thompson.h"
#include "ridgerunner/policy/valko2013_supkernelucb.h"

namespace ridgerunner {
namespace {

// A candidate chosen without looking. All of them are checked all the same.
Pick pick_one(const Candidates& candidates, Index index, const Regression& regression, Workspace& workspace) {
  if (!candidates.are_arms) regression.check(candidates.states);
  Pick pick;
  pick.best = regression.best_upper(candidates.states.col(index), 0, workspace);
  pick.best.index = index;
  return pick;
}

BestUpper best(const Candidates& candidates, const Regression& regression, double radius,
               Workspace& workspace) {
  if (std::isnan(radius)) throw NumericalError("the radius of the bound is not a number");
  if (std::isinf(radius)) return pick_one(candidates, 0, regression, workspace).best;  // all tie
  return candidates.are_arms ? regression.best_arm(radius)
                             : regression.best_upper(candidates.states, radius, workspace);
}

class Ucb final : public Rule {
 public:
  Pick pick(const Candidates& candidates, const Regression& regression, const Bound& bound, Stream,
            Workspace& workspace) const override {
    Pick pick;
    const Evidence evidence = regression.evidence();
    if (const auto radius = bound.radius(evidence)) {
      pick.best = best(candidates, regression, *radius, workspace);
    } else {
      const MixturePick found =
          regression.any_ridge()->best(candidates.states, *bound.mixture(evidence), workspace);
      pick.best = found.best;
      pick.at = found.at;
    }
    return pick;
  }
};

class Greedy final : public Rule {
 public:
  Pick pick(const Candidates& candidates, const Regression& regression, const Bound&, Stream,
            Workspace& workspace) const override {
    Pick pick;
    pick.best = best(candidates, regression, 0, workspace);
    return pick;
  }
};

class Uniform final : public Rule {
 public:
  Pick pick(const Candidates& candidates, const Regression& regression, const Bound&, Stream random,
            Workspace& workspace) const override {
    const Index n = candidates.states.cols();
    Pick pick = pick_one(candidates, random.index(n), regression, workspace);
    pick.propensity = 1 / static_cast<double>(n);
    return pick;
  }
};

class Lowest final : public Rule {
 public:
  Pick pick(const Candidates& candidates, const Regression& regression, const Bound&, Stream,
            Workspace& workspace) const override {
    return pick_one(candidates, 0, regression, workspace);
  }
};

}  // namespace

RulePtr ucb_rule() {
  return std::make_shared<Ucb>();
}
RulePtr greedy_rule() {
  return std::make_shared<Greedy>();
}
RulePtr uniform_rule() {
  return std::make_shared<Uniform>();
}

RulePtr lowest_rule() {
  return std::make_shared<Lowest>();
}

RulePtr make_rule(const Spec& spec) {
  switch (spec.rule.type) {
    case RuleType::ucb:
      return ucb_rule();
    case RuleType::thompson:
      return thompson_rule();
    case RuleType::supkernelucb:
      return supkernelucb_rule(spec.bound.horizon);
    case RuleType::greedy:
      return greedy_rule();
    case RuleType::uniform:
      return uniform_rule();
  }
  throw InvalidArgument("unknown rule type");
}

}  // namespace ridgerunner
