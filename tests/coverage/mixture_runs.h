#pragma once

#include <cmath>
#include <functional>
#include <memory>

#include "oracles/problems.h"
#include "ridgerunner/bounds/bound.h"
#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/selection/best_of_mixture.h"

// Runs of a bandit on problems that meet the assumptions of a bound with equality, for bounds of any form.
namespace ridgerunner::coverage {

struct MixtureSetting {
  KernelPtr kernel;
  double ridge;
  double norm;   // of f, and the bound's
  double noise;  // sd, and the bound's
  int rounds;
  Index points = 40;
  bool always = true;  // the band is looked at in all rounds, not only after the last
};

// A model for this problem's states; f is not told.
using MakeModel =
    std::function<std::unique_ptr<Regression>(const MixtureSetting& setting, const Matrix& states)>;

inline Band band_of(const Regression& model, const Bound& bound, const Matrix& states, Workspace& workspace) {
  const Evidence evidence = model.evidence();
  if (const auto mixture = bound.mixture(evidence)) return mixture_band(model, states, *mixture, workspace);
  model.predict(states, workspace.prediction, workspace);
  return radius_band(workspace.prediction, *bound.radius(evidence));
}

// Does the band miss f at any state in any round? Each choice is the largest upper bound, so it depends on
// the noise, but for one in four, which is random.
inline bool misses(const MixtureSetting& setting, const MakeModel& make, const Bound& bound,
                   std::uint64_t seed) {
  Stream random(seed, Purpose::test);
  const Matrix states = oracle::uniform_points(random, 2, setting.points);
  const Matrix centres = oracle::uniform_points(random, 2, 10);
  Vector weights = oracle::normals(random, 10);
  weights *= setting.norm / std::sqrt(weights.dot(gram(*setting.kernel, centres, centres) * weights));
  const Vector truth = gram(*setting.kernel, states, centres) * weights;
  const std::unique_ptr<Regression> model = make(setting, states);
  Workspace workspace;
  for (int t = 0;; ++t) {
    const bool last = t == setting.rounds;
    const Band band = band_of(*model, bound, states, workspace);
    const bool inside =
        (truth.array() <= band.upper.array()).all() && (truth.array() >= band.lower.array()).all();
    if (!inside && (setting.always || last)) return true;
    if (last) return false;
    Index chosen = 0;
    band.upper.maxCoeff(&chosen);
    if (t % 4 == 3) chosen = random.index(states.cols());
    const double reward = truth[chosen] + setting.noise * random.normal();
    model->observe(states.col(chosen), Vector::Constant(1, reward), workspace);
  }
}

inline int failures(const MixtureSetting& setting, const MakeModel& make, const Bound& bound, int runs) {
  int count = 0;
  for (int run = 0; run < runs; ++run)
    count += misses(setting, make, bound, 5000 + static_cast<std::uint64_t>(run));
  return count;
}

}  // namespace ridgerunner::coverage
