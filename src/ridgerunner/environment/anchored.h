#pragma once

#include "ridgerunner/environment/environment_spec.h"
#include "ridgerunner/environment/seeded_environment.h"

namespace ridgerunner {

// The three contextual problems of zenati2022 (Zenati et al. 2022, EK-UCB, section 5 and appendix F.2.2) have
// one shape: a context x uniform in [0,1]^p, and the same few actions a in [0,1], the anchors, every round.
// A state is x followed by a, so d = p + 1. Noise is Gaussian, with sd 0.1 in the paper, which runs a
// Gaussian kernel of length-scale 0.1 on the joint state. None of the functions has a known norm in its
// space.
//
// The authors measure regret against a reward of 1 in every round (`ceiling`), although in some contexts no
// anchor attains 1 and on Bump some exceed it. The regret in the usual sense is against the best candidate.
class Anchored : public SeededEnvironment {
 public:
  Anchored(const EnvironmentSpec& spec, Index context_dim, Vector anchors, std::uint64_t seed);

  void offer(std::uint64_t round, Offer& out) const final;

 private:
  // The expected reward of `action` in `context`.
  virtual double reward(const VectorIn& context, double action) const = 0;

  Vector anchors_;
};

// fresh: `actions` distinct values among 0, 0.01, ..., 0.99, from part 0 of the problem's streams, in random
// order; paper: the authors' ten, the same for their three problems.
Vector action_anchors(Draw draw, Index actions, std::uint64_t seed);

}  // namespace ridgerunner
