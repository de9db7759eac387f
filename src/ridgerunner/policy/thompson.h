#pragma once

#include "ridgerunner/policy/rule.h"

namespace ridgerunner {

// Thompson sampling (Durand et al. 2018, algorithm 1): the argmax over the candidates of
//   mean + radius ξ,   ξ ~ N(0, S),   S(s,s') = φ(s)^T V^-1 φ(s'),
// with the bound's radius on the present evidence; ties go to the lowest index. (Their v_t^2 Σ is radius^2 S
// with v_t = B_t(delta)/σ+.) The bound must be one radius. Radius 0 is greedy.
//
// Propensity. kThompsonSamples independent draws are made, and the choice is the argmax of one of them at
// random: its law is that of a single draw. The propensity is the share of the draws with that argmax. Given
// the draws, it is exactly the probability of the choice; it estimates the probability p before them with an
// error of about sqrt(p/kThompsonSamples), and too high by (1 - p)/kThompsonSamples on average, since the
// choice's own draw counts. It is never 0, but an action that no draw favours has no chance given the draws:
// weighting by 1/propensity is unbiased for the actions that some draw favours, and blind to those of
// probability far below 1/kThompsonSamples.
//
// Candidates that cannot win are not drawn: repetitions of an earlier one, and those whose mean is kHopeless
// standard deviations of its own and of the leader's below the leader's; that changes the law of the choice
// by less than 1e-17 a candidate. Choices do not depend on what the workspace was used for.
//
// Cost with n candidates and t rows of data: n t^2/2 for the sds, rank n (t + rank/2) for the factor of S at
// the candidates that can win, rank n for each draw, which is less than either when t >> kThompsonSamples:
// there would be little to gain from fewer draws for more candidates. Memory n (t + rank).
RulePtr thompson_rule();

constexpr Index kThompsonSamples = 256;
constexpr double kHopeless = 8.5;  // P(N(0, 1) > 8.5) < 1e-17

// Who may win, rising; at least one.
std::vector<Index> thompson_contenders(const MatrixIn& states, const Prediction& at, double radius);

}  // namespace ridgerunner
