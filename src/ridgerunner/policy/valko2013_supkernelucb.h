#pragma once

#include "ridgerunner/policy/rule.h"

namespace ridgerunner {

// SupKernelUCB (Valko et al. 2013, algorithm 2; the baseline of Zenati et al. 2022).
//
// Rounds are kept apart in levels 1 .. ceil(ln T), so that within a level the rewards are independent of the
// choice to put them there. At level s, starting with all candidates at 1, with w = radius sd of the model of
// level s alone:
//   all w <= 1/sqrt(T):  play the largest upper bound; the reward goes to no level;
//   all w <= 2^-s:       keep those with upper >= max upper - 2^(1-s), and go on at level s + 1;
//   otherwise:           play one with w > 2^-s at random; its reward goes to level s.
// It ends: 2^-ceil(ln T) < 1/sqrt(T). (The authors of Zenati et al. index the levels by arm in their code: a
// slip.) The regression is a LevelledRegression of at least so many levels; the bound sees the evidence of
// one level at a time. The choice's mean and sd are those of the level at which it was made; its propensity
// is 1/(number of candidates with w > 2^-s) if random, else 1. Cost: a prediction at the candidates that are
// left, for each level passed.
RulePtr supkernelucb_rule(double horizon);

int supkernelucb_levels(double horizon);  // ceil(ln T), at least 1

}  // namespace ridgerunner
