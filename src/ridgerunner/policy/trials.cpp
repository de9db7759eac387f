#include "ridgerunner/policy/trials.h"

#include <utility>

#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner {
namespace {

class NowAndThenAnyone final : public Rule {
 public:
  NowAndThenAnyone(RulePtr rule, Index start) : rule_(std::move(rule)), start_(start) {}

  Pick pick(const Situation& at, Stream random, Workspace& workspace) const override {
    const Index n = at.candidates.states.cols();
    const double share = at.evidence.rounds <= start_ ? 1 : 1 / static_cast<double>(at.evidence.rounds);
    const double each = share / static_cast<double>(n);
    const bool anyone = random.uniform() < share;
    const Index index = random.index(n);
    Pick best = rule_->pick(at, random, workspace);
    const double by_rule = (1 - share) * best.decision.propensity;
    best.decision.propensity = by_rule + each;
    if (!anyone || index == best.decision.index) return best;
    BestUpper one = best_upper(at.regression, at.candidates.states.col(index), 0, workspace);
    one.index = index;
    Pick other = picked(at, one, each, workspace);
    if (other.decision.upper == best.decision.upper) other.decision.propensity += by_rule;  // they tie
    return other;
  }

 private:
  RulePtr rule_;
  Index start_;
};

}  // namespace

RulePtr now_and_then_anyone(RulePtr rule, Index start) {
  return std::make_shared<NowAndThenAnyone>(std::move(rule), start);
}

}  // namespace ridgerunner
