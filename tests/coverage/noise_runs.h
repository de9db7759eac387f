#pragma once

#include <cmath>

#include "oracles/problems.h"
#include "ridgerunner/policy/policy.h"

namespace ridgerunner::noise_runs {

using oracle::normals;
using oracle::uniform_points;

struct Setting {
  KernelType kernel;
  double lengthscale, norm, noise, noise_lower, noise_upper;
  std::string engine = "exact";
  bool arrival_features = false;
  Index rounds = 100;
};

inline Spec spec_of(const Setting& s, double delta) {
  BoundSpec bound;
  bound.set("delta", delta);
  bound.set("norm_bound", s.norm);
  bound.set("noise_lower", s.noise_lower);
  bound.set("noise_upper", s.noise_upper);
  Spec spec = preset("adaptive-ucb", bound);
  spec.kernel.type = s.kernel;
  spec.kernel.lengthscale = {s.lengthscale};
  spec.regression.dictionary.choose(s.engine);
  spec.regression.arrival_features = s.arrival_features;
  spec.regression.dictionary.set("tolerance", 0.2);
  return spec;
}

// A function of the given norm, at the points of a grid.
struct Truth {
  Matrix grid;
  Vector values;

  Truth(const Kernel& kernel, double norm, Stream& random) : grid(uniform_points(random, 1, 40)) {
    const Matrix centres = uniform_points(random, 1, 8);
    Vector weights = normals(random, 8);
    weights *= norm / std::sqrt(weights.dot(gram(kernel, centres, centres) * weights));
    values = gram(kernel, grid, centres) * weights;
  }
};

struct Misses {
  bool noise = false, band = false;
};

// One run of UCB; what is chosen depends on the noise. The band may be tried at a fraction of its width.
inline Misses run(const Setting& s, double delta, std::uint64_t seed, double fraction = 1) {
  Stream random(seed, Purpose::test);
  Spec spec = spec_of(s, delta);
  const Truth truth(*make_kernel(spec.kernel), s.norm, random);
  spec.arms = truth.grid;
  spec.seed = seed;
  Policy policy(spec);
  Misses misses;
  for (Index t = 0; t < s.rounds; ++t) {
    const Index chosen = policy.decide().index;
    policy.observe(truth.grid.col(chosen), truth.values[chosen] + s.noise * random.normal());
    misses.noise = misses.noise || policy.noise()->lower > s.noise || policy.noise()->upper < s.noise;
    const Forecast at = policy.predict(truth.grid);
    const Vector off = (truth.values - at.mean).cwiseAbs();
    misses.band = misses.band || (off.array() > fraction * (at.upper - at.mean).array()).any();
  }
  return misses;
}

}  // namespace ridgerunner::noise_runs
