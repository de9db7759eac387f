#pragma once

#include <memory>

#include "ridgerunner/bounds/bound.h"
#include "ridgerunner/policy/spec.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

struct Candidates {
  MatrixIn states;        // d x n
  bool are_arms = false;  // they are the arm set that the regression was built with
};

struct Pick {
  BestUpper best;  // who, with its mean and sd
  double propensity = 1;
  int level = 0;                     // as in Decision
  std::optional<Evidence> evidence;  // what its band rests on, if not on all data
  std::optional<Interval> at;        // its band, where it is known already
};

// How a model and a bound become a choice. Without state: the same arguments give the same pick.
class Rule {
 public:
  virtual ~Rule() = default;
  virtual Pick pick(const Candidates& candidates, const Regression& regression, const Bound& bound,
                    Stream random, Workspace& workspace) const = 0;
};

using RulePtr = std::shared_ptr<const Rule>;

RulePtr ucb_rule();      // the largest upper bound; ties to the lowest index
RulePtr greedy_rule();   // the largest mean; ties to the lowest index
RulePtr uniform_rule();  // anyone, with equal probability
RulePtr lowest_rule();   // the lowest index
RulePtr make_rule(const Spec& spec);

}  // namespace ridgerunner
