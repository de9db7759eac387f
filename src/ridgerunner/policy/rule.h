#pragma once

#include <memory>

#include "ridgerunner/bounds/bound.h"
#include "ridgerunner/policy/decision.h"
#include "ridgerunner/policy/spec.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

struct Candidates {
  MatrixIn states;        // d x n
  bool are_arms = false;  // they are the arm set that the regression was built with
};

// What a rule decides on.
struct Situation {
  Candidates candidates;
  const Regression& regression;
  const Bound& bound;
  Evidence evidence;  // of the regression
  Report report = Report::with_band;
};

struct Pick {
  Decision decision;    // with its band, but for the number
  bool solved = false;  // as BestUpper::solved
};

// How a model and a bound become a decision. Without state: the same arguments give the same one.
class Rule {
 public:
  virtual ~Rule() = default;
  virtual Pick pick(const Situation& at, Stream random, Workspace& workspace) const = 0;
};

// The decision for a candidate by its mean and sd, with the bound's band at it. NumericalError if the bound's
// radius is not a number.
Pick picked(const Situation& at, const BestUpper& best, double propensity, Workspace& workspace);

using RulePtr = std::shared_ptr<const Rule>;

RulePtr ucb_rule(Ties ties = Ties::lowest);     // the largest upper bound
RulePtr greedy_rule(Ties ties = Ties::lowest);  // the largest mean
RulePtr uniform_rule();                         // anyone, with equal probability
RulePtr lowest_rule();                          // the lowest index
RulePtr make_rule(const Spec& spec);

}  // namespace ridgerunner
