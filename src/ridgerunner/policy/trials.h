#pragma once

#include "ridgerunner/policy/rule.h"

namespace ridgerunner {

// The rule, but the first `start` choices are anyone's, with equal probability, and with n observations one
// in n later ones. Propensities say so.
//
// For a policy that tunes itself: it tunes by what it chose, so where an early fit is too smooth it never
// looks at what would show that. In T rounds ln T choices are spent on it.
RulePtr now_and_then_anyone(RulePtr rule, Index start);

}  // namespace ridgerunner
