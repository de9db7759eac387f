#include "ridgerunner/policy/rule.h"

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

BestUpper best(const Candidates& candidates, const Regression& regression, double radius,
               Workspace& workspace) {
  return candidates.are_arms ? regression.best_arm(radius)
                             : regression.best_upper(candidates.states, radius, workspace);
}

class Ucb final : public Rule {
 public:
  Pick pick(const Candidates& candidates, const Regression& regression, const Bound& bound, Stream,
            Workspace& workspace) const override {
    return {best(candidates, regression, *bound.radius(regression.evidence()), workspace), 1};
  }
};

class Greedy final : public Rule {
 public:
  Pick pick(const Candidates& candidates, const Regression& regression, const Bound&, Stream,
            Workspace& workspace) const override {
    return {best(candidates, regression, 0, workspace), 1};
  }
};

class Uniform final : public Rule {
 public:
  Pick pick(const Candidates& candidates, const Regression& regression, const Bound&, Stream random,
            Workspace& workspace) const override {
    if (!candidates.are_arms) regression.check(candidates.states);  // all of them, whoever is drawn
    const Index n = candidates.states.cols(), index = random.index(n);
    Pick pick;
    pick.best = regression.best_upper(candidates.states.col(index), 0, workspace);
    pick.best.index = index;
    pick.propensity = 1 / static_cast<double>(n);
    return pick;
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

RulePtr make_rule(RuleType type) {
  switch (type) {
    case RuleType::ucb:
      return ucb_rule();
    case RuleType::greedy:
      return greedy_rule();
    case RuleType::uniform:
      return uniform_rule();
  }
  throw InvalidArgument("unknown rule type");
}

}  // namespace ridgerunner
