// What the fast paths gain, as ratios of times measured in one run on one core. Usage: ridgerunner_ratios
// [seeds]
#include <cmath>
#include <cstdlib>

#include <Eigen/Dense>
#include <fmt/format.h>

#include <ridgerunner/bounds/abbasi2012_self_normalized.h>
#include <ridgerunner/environment/environment_spec.h>
#include <ridgerunner/error.h>
#include <ridgerunner/kernel/stationary.h>
#include <ridgerunner/policy/policy.h>
#include <ridgerunner/random/stream.h>
#include <ridgerunner/regression/dictionary/residual_budget.h>
#include <ridgerunner/regression/exact/exact.h>
#include <ridgerunner/regression/projected/projected.h>
#include <ridgerunner/selection/best_upper.h>

#include "measure.h"

namespace ridgerunner {
namespace {

constexpr Index kHorizon = 1000, kCandidates = 100;

KernelSpec kernel_spec(KernelType type, double lengthscale) {
  KernelSpec spec;
  spec.type = type;
  spec.lengthscale = {lengthscale};
  return spec;
}

// The problem of Flynn & Reeb 2024, section 7, with their ridge and the self-normalized bound (AY-GP-UCB).
struct Problem {
  EnvironmentPtr environment;
  KernelPtr kernel;
  double ridge;
  BoundPtr bound = self_normalized_bound({0.01, 10, 0.1});

  Problem(const KernelSpec& spec, double smoothness, std::uint64_t seed) : kernel(make_kernel(spec)) {
    EnvironmentSpec problem = default_environment(EnvironmentType::rkhs_sample);
    problem.kernel = spec;
    environment = make_environment(problem, seed);
    const double scale = smoothness > 0 ? std::pow(double{kHorizon}, -3 / (6 + 2 * smoothness)) : 1;
    ridge = 0.01 / scale;
  }
};

// A whole run; `select` is timed apart as well.
struct Times {
  double whole = 0, selection = 0;
};
Times run(const Problem& problem, bool eliminate) {
  ExactRegression regression(problem.kernel, problem.ridge);
  Workspace workspace;
  Prediction all;
  Offer offer;
  Times times;
  times.whole = seconds([&] {
    for (std::uint64_t t = 0; t < kHorizon; ++t) {
      problem.environment->offer(t, offer);
      BestUpper best;
      times.selection += seconds([&] {
        const double radius = *problem.bound->radius(regression.evidence());
        if (eliminate) {
          best = best_upper(regression, offer.states, radius, workspace);
        } else {
          regression.predict(offer.states, all, workspace);
          best = best_of(all, radius);
        }
      });
      const double reward = offer.expected[best.index] + problem.environment->noise(t);
      regression.observe(offer.states.col(best.index), Vector::Constant(1, reward), workspace);
    }
  });
  return times;
}

// Eigen's triangular solve of the sizes of a run, and nothing else.
double bare_solves() {
  Matrix l = Matrix::Random(kHorizon, kHorizon);
  l.diagonal().array() += 100;
  const Matrix k = Matrix::Random(kHorizon, kCandidates);
  Matrix x;
  return seconds([&] {
    for (Index t = 1; t <= kHorizon; ++t) {
      x = k.topRows(t);
      l.topLeftCorner(t, t).triangularView<Eigen::Lower>().solveInPlace(x);
    }
  });
}

// Arms that stay. Re-solving for all of them is timed in every 20th round and scaled: in full it takes
// minutes.
std::pair<double, double> fixed_arms(std::uint64_t seed) {
  constexpr Index kArms = 1000, kRounds = 2000, kEvery = 20;
  EnvironmentSpec spec = default_environment(EnvironmentType::rkhs_sample);
  spec.kernel = kernel_spec(KernelType::matern52, 0.2);
  spec.candidates = kArms;
  spec.fixed_arms = true;
  const EnvironmentPtr environment = make_environment(spec, seed);
  Offer offer;
  environment->offer(0, offer);
  const BoundPtr bound = self_normalized_bound({0.01, 10, 0.1});
  ExactRegression regression(make_kernel(spec.kernel), 0.01, offer.states);
  Workspace workspace;
  Prediction all;
  double again = 0, kept = 0;
  for (Index t = 0; t < kRounds; ++t) {
    const double radius = *bound->radius(regression.evidence());
    if (t % kEvery == 0) {
      again += kEvery * seconds([&] {
                 regression.predict(offer.states, all, workspace);
                 best_of(all, radius);
               });
    }
    kept += seconds([&] {
      const Index chosen = regression.best_arm(radius).index;
      const double reward = offer.expected[chosen] + environment->noise(static_cast<std::uint64_t>(t));
      regression.observe(offer.states.col(chosen), Vector::Constant(1, reward));
    });
  }
  fmt::print("  fixed arms: {} of {} arms pulled in {} rounds\n", regression.evidence().anchors, kArms,
             kRounds);
  return {again, kept};
}

// The problem of Durand et al. 2018, section 6: a ridge that moves every round against one that stays.
std::pair<double, double> moving_ridge(std::uint64_t seed) {
  constexpr std::uint64_t kRounds = 3000;
  const EnvironmentPtr environment =
      make_environment(default_environment(EnvironmentType::taylor_function), seed);
  Offer offer;
  environment->offer(0, offer);
  BoundSpec bound;
  bound.set("norm_bound", 5);
  bound.set("delta", 0.1);
  bound.set("noise_bound", 1);
  bound.set("noise_upper", 1);
  Spec adaptive = preset("adaptive-ucb", bound), fixed = preset("k-ucb", bound);
  fixed.bound.choose("self_normalized");
  fixed.regression.ridge = adaptive.regression.ridge;
  const auto time_of = [&](Spec spec) {
    spec.kernel = environment->facts().kernel;
    spec.arms = offer.states;
    Policy policy(spec);
    return seconds([&] {
      for (std::uint64_t t = 0; t < kRounds; ++t) {
        const Index chosen = policy.decide().index;
        policy.observe(offer.states.col(chosen), offer.expected[chosen] + environment->noise(t));
      }
    });
  };
  const double moving = time_of(adaptive), still = time_of(fixed);
  return {moving, still};
}

std::pair<double, double> gram_block(std::uint64_t seed) {
  Stream random(seed, Purpose::test);
  Matrix x(8, 1000), y(8, 100), out(1000, 100);
  for (double& value : x.reshaped()) value = random.uniform();
  for (double& value : y.reshaped()) value = random.uniform();
  const double slow = seconds([&] {
    for (int repeat = 0; repeat < 20; ++repeat) {
      for (Index j = 0; j < 100; ++j) {
        for (Index i = 0; i < 1000; ++i) {
          double r2 = 0;
          for (Index d = 0; d < 8; ++d) r2 += (x(d, i) - y(d, j)) * (x(d, i) - y(d, j));
          out(i, j) = std::exp(-r2 / (2 * 0.25));
        }
      }
    }
  });
  const KernelPtr kernel = gaussian(0.5);
  const double fast = seconds([&] {
    for (int repeat = 0; repeat < 20; ++repeat) kernel->gram(x, y, out);
  });
  return {slow, fast};
}

// One choice among 30 candidates in 8 dimensions on some 170 anchors, the case a served model meets: all
// predictions, or only what it takes.
std::pair<double, double> served_choice(std::uint64_t seed) {
  Stream random(seed, Purpose::test);
  const auto points = [&](Index count) {
    Matrix out(8, count);
    for (double& value : out.reshaped()) value = random.uniform();
    return out;
  };
  ProjectedOptions options;
  options.arrival_features = true;
  ProjectedRegression model(gaussian(3), 1, residual_budget({20, 1, 1e7}), options);
  Workspace workspace;
  for (int i = 0; i < 3000; ++i) {
    const Matrix state = points(1);
    const double reward = std::sin(3 * state(0)) + state(1) + 0.1 * random.normal();
    model.observe(state, Vector::Constant(1, reward), workspace);
  }
  constexpr int kSets = 2000;
  std::vector<Matrix> sets;
  for (int i = 0; i < kSets; ++i) sets.push_back(points(30));
  Prediction all;
  Index different = 0;
  std::vector<Index> chosen;
  const double in_full = seconds([&] {
    for (const Matrix& set : sets) {
      model.predict(set, all, workspace);
      chosen.push_back(best_of(all, 1).index);
    }
  });
  const double ours = seconds([&] {
    for (std::size_t i = 0; i < sets.size(); ++i)
      different += model.best_upper(sets[i], 1, workspace).index != chosen[i];
  });
  if (different > 0) throw NumericalError("the choices differ");
  fmt::print("  choosing among 30, {} anchors, d = 8: {:.1f} us; all predictions: {:.1f} us\n",
             model.evidence().anchors, 1e6 * ours / kSets, 1e6 * in_full / kSets);
  return {in_full, ours};
}

int main_program(int seeds) {
  Table table = ratio_table();
  struct Case {
    const char* name;
    KernelSpec kernel;
    double smoothness;
    const char* goal;
  };
  const Case cases[] = {{"Matérn 5/2 l=.5", kernel_spec(KernelType::matern52, 0.5), 2.5, ">= 1.8"},
                        {"Gaussian l=.5", kernel_spec(KernelType::gaussian, 0.5), 0, ">= 2.3"},
                        {"Matérn 3/2 l=.2", kernel_spec(KernelType::matern32, 0.2), 1.5, ">= 1.5"}};
  std::vector<std::pair<double, double>> selection;
  for (const Case& c : cases) {
    std::vector<std::pair<double, double>> whole;
    for (int seed = 0; seed < seeds; ++seed) {
      const Problem problem(c.kernel, c.smoothness, static_cast<std::uint64_t>(seed));
      const Times plain = run(problem, false), race = run(problem, true);
      whole.emplace_back(plain.whole, race.whole);
      if (c.smoothness == 2.5) selection.emplace_back(plain.selection, bare_solves());
    }
    add_ratios(fmt::format("run without / with elimination, {}", c.name), ratios_of(whole), c.goal, table);
  }
  add_ratios("selection without elimination / Eigen's bare triangular solves", ratios_of(selection), "<= 1.5",
             table);
  std::vector<std::pair<double, double>> arms, grams, ridges, choices;
  for (int seed = 0; seed < seeds; ++seed) arms.push_back(fixed_arms(static_cast<std::uint64_t>(seed)));
  for (int seed = 0; seed < std::max(seeds, 5); ++seed) {
    grams.push_back(gram_block(static_cast<std::uint64_t>(seed)));
    ridges.push_back(moving_ridge(static_cast<std::uint64_t>(seed)));
    choices.push_back(served_choice(static_cast<std::uint64_t>(seed)));
  }
  add_ratios("1000 fixed arms, T = 2000: re-solved / carried along", ratios_of(arms), ">= 20", table);
  add_ratios("adaptive-ucb / UCB with a ridge that stays, 100 arms, T = 3000", ratios_of(ridges), "<= 3",
             table);
  add_ratios("30 candidates, 170 anchors, d = 8: all predictions / our choice", ratios_of(choices),
             "reported", table);
  add_ratios("Gaussian Gram block 1000 x 100, d = 8: scalar loop / ours", ratios_of(grams), ">= 4", table);
  fmt::print("\nMedian over {} seeds; T = 1000, 100 fresh candidates a round, d = 3, one core.\n{}", seeds,
             to_text(table));
  return 0;
}

}  // namespace
}  // namespace ridgerunner

int main(int argc, char** argv) {
  return ridgerunner::main_program(argc > 1 ? std::max(1, std::atoi(argv[1])) : 3);
}
