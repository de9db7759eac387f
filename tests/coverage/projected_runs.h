#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "oracles/problems.h"
#include "ridgerunner/bounds/bound.h"
#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/regression/dictionary/calandriello2019_bkb.h"
#include "ridgerunner/regression/dictionary/residual_budget.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/projected/projected.h"

// Runs of projected engines on problems that meet the assumptions of a bound with equality.
namespace ridgerunner::coverage {

constexpr double kDelta = 0.1;

struct Setting {
  KernelPtr kernel;
  double ridge;
  double norm;   // of f, and the bound's
  double noise;  // sd, and the bound's
  int rounds;
};

using MakeDictionary = std::function<std::unique_ptr<Dictionary>(const Setting&)>;

// Which anchors, and how the engine is used.
struct Engine {
  std::string name;
  MakeDictionary dictionary;
  bool arrival_features = false;
  bool arms = false;    // the states are a fixed arm set
  int delay = 0;        // rewards come so many rounds late
  int anchors = 0;      // given from the start: the first so many states
  bool random = false;  // states come at random instead of by the largest upper bound
};

inline MakeDictionary kors_with(double oversampling) {
  return [=](const Setting& s) { return kors(s.kernel, {s.ridge, oversampling, 0.5}); };
}
inline MakeDictionary kors_of_theory() {
  return [](const Setting& s) {
    return kors(s.kernel, {s.ridge, zenati2022_oversampling(s.rounds, kDelta), 0.5});
  };
}
inline MakeDictionary bkb_of_theory() {
  return
      [](const Setting& s) { return bkb_dictionary(calandriello2019_oversampling(0.5, s.rounds, kDelta)); };
}
inline MakeDictionary bbkb_of_theory() {
  return [](const Setting& s) {
    return bbkb_dictionary(calandriello2019_oversampling(0.5, s.rounds, kDelta), 4);
  };
}
inline MakeDictionary budget() {  // a large one, so that much is missed
  return [](const Setting& s) {
    return residual_budget({0.3 * s.norm, s.norm, static_cast<double>(s.rounds)});
  };
}

inline Engine five_anchors() {
  Engine engine{"five anchors", [](const Setting&) { return empty_dictionary(); }};
  engine.anchors = 5;
  engine.random = true;
  return engine;
}

inline std::vector<Engine> engines() {
  const MakeDictionary bkb = [](const Setting&) { return bkb_dictionary(2); };
  const MakeDictionary bbkb = [](const Setting&) { return bbkb_dictionary(2, 4); };
  return {{"kors", kors_with(1)},
          {"kors, arms", kors_with(1), false, true},
          {"kors of theory", kors_of_theory()},
          {"kors, few anchors", kors_with(0.2)},
          {"kors, few anchors, features on arrival", kors_with(0.2), true},
          {"bkb", bkb},
          {"bkb, arms", bkb, false, true},
          {"bbkb", bbkb},
          {"bbkb, batches of arms", bbkb, false, true},
          {"bbkb, batches of arms, rewards late", bbkb, false, true, 3},
          {"bbkb, batches of arms, rewards very late", bbkb, false, true, 20},
          {"residual budget", budget()},
          {"residual budget, features on arrival", budget(), true},
          {"residual budget, features on arrival, arms", budget(), true, true},
          five_anchors()};
}

// f = Σ w_i k(c_i, .) with the setting's norm, at 40 states in the unit square.
struct Problem {
  Problem(const Setting& setting, Stream& random) : states(oracle::uniform_points(random, 2, 40)) {
    const Matrix centres = oracle::uniform_points(random, 2, 10);
    Vector weights = oracle::normals(random, 10);
    weights *= setting.norm / std::sqrt(weights.dot(gram(*setting.kernel, centres, centres) * weights));
    truth = gram(*setting.kernel, states, centres) * weights;
  }
  Matrix states;
  Vector truth;
};

// Does the band miss f at any state in any round? Choices depend on the noise, as a bandit's do.
inline bool misses(const Setting& setting, const Engine& engine, const Bound& bound, std::uint64_t seed) {
  Stream random(seed, Purpose::test);
  const Problem problem(setting, random);
  const Matrix& states = problem.states;
  ProjectedOptions options{seed, engine.arrival_features, {}, {}};
  if (engine.anchors > 0) options.anchors = states.leftCols(engine.anchors);
  if (engine.arms) options.arms = states;
  ProjectedRegression regression(setting.kernel, setting.ridge, engine.dictionary(setting), options);
  std::vector<Index> waiting;
  Workspace workspace;
  Prediction at;
  for (int t = 0; t < setting.rounds; ++t) {
    if (engine.arms) {
      at = regression.arm_prediction();
    } else {
      regression.predict(states, at, workspace);
    }
    const double radius = *bound.radius(regression.evidence());
    if (((problem.truth - at.mean).cwiseAbs() - radius * at.sd).maxCoeff() > 0) return true;
    waiting.push_back(engine.random ? random.index(states.cols()) : best_of(at, radius).index);
    regression.chosen(states.col(waiting.back()), 0);
    if (std::ssize(waiting) <= engine.delay) continue;
    const Index rewarded = waiting.front();
    waiting.erase(waiting.begin());
    const double reward = problem.truth[rewarded] + setting.noise * random.normal();
    regression.rewarded(states.col(rewarded), 0, reward, workspace);
  }
  return false;
}

inline int failures(const Setting& setting, const Engine& engine, const Bound& bound, int runs) {
  int count = 0;
  for (int run = 0; run < runs; ++run)
    count += misses(setting, engine, bound, 1000 + static_cast<std::uint64_t>(run));
  return count;
}

// A bound's radius times a factor.
class Scaled final : public Bound {
 public:
  Scaled(BoundPtr bound, double factor) : bound_(std::move(bound)), factor_(factor) {}
  std::optional<double> radius(const Evidence& evidence) const override {
    return factor_ * *bound_->radius(evidence);
  }

 private:
  BoundPtr bound_;
  double factor_;
};

// A bound that is not told what the anchors miss: the formula of the exact engine.
class WithoutResiduals final : public Bound {
 public:
  explicit WithoutResiduals(BoundPtr bound) : bound_(std::move(bound)) {}
  std::optional<double> radius(const Evidence& evidence) const override {
    Evidence exact = evidence;
    exact.residual_sum = 0;
    return bound_->radius(exact);
  }

 private:
  BoundPtr bound_;
};

}  // namespace ridgerunner::coverage
