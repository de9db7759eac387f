// What the mixtures cost beside AMM-UCB with plain solves, as ratios of times measured in one run on one
// core, on the problems of Flynn & Reeb 2024, section 7. Usage: ridgerunner_mixtures [seeds]
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <ridgerunner/bounds/flynn2024_mixtures.h>
#include <ridgerunner/environment/environment_spec.h>
#include <ridgerunner/policy/policy.h>
#include <ridgerunner/regression/exact/exact.h>

#include "measure.h"

namespace ridgerunner {
namespace {

constexpr std::uint64_t kHorizon = 1000;

struct Case {
  const char* name;
  KernelType type;
  double lengthscale, smoothness;  // 0: infinite
};

struct Problem {
  EnvironmentPtr environment;
  BoundSpec bound;

  Problem(const Case& from, std::uint64_t seed) {
    EnvironmentSpec spec = default_environment(EnvironmentType::rkhs_sample);
    spec.kernel.type = from.type;
    spec.kernel.lengthscale = {from.lengthscale};
    environment = make_environment(spec, seed);
    if (from.smoothness > 0)
      bound.set("mixture_scale", std::pow(double{kHorizon}, -3 / (6 + 2 * from.smoothness)));
  }
};

// A whole run of a policy; as in `compare`, nobody asks for the band of its choices.
double run(const Problem& problem, const char* name, Report report = Report::without_band) {
  Spec spec = preset(name, problem.bound);
  spec.kernel = problem.environment->facts().kernel;
  Policy policy(spec);
  Offer offer;
  double spent = 0;
  for (std::uint64_t t = 0; t < kHorizon; ++t) {
    problem.environment->offer(t, offer);
    spent += seconds([&] {
      const Index chosen = policy.decide(offer.states, report).index;
      policy.observe(offer.states.col(chosen), offer.expected[chosen] + problem.environment->noise(t));
    });
  }
  return spent;
}

// AMM-UCB that solves for every candidate.
double run_plain(const Problem& problem) {
  const Spec spec = preset("amm-ucb", problem.bound);
  ExactRegression regression(make_kernel(problem.environment->facts().kernel), spec.regression.ridge);
  const BoundPtr bound = make_bound(spec);
  Workspace workspace;
  Prediction all;
  Offer offer;
  double spent = 0;
  for (std::uint64_t t = 0; t < kHorizon; ++t) {
    problem.environment->offer(t, offer);
    spent += seconds([&] {
      regression.predict(offer.states, all, workspace);
      const Index chosen = best_of(all, *bound->radius(regression.evidence())).index;
      const double reward = offer.expected[chosen] + problem.environment->noise(t);
      regression.observe(offer.states.col(chosen), Vector::Constant(1, reward), workspace);
    });
  }
  return spent;
}

int main_program(int seeds) {
  const Case cases[] = {{"Gaussian l=.5", KernelType::gaussian, 0.5, 0},
                        {"Gaussian l=.2", KernelType::gaussian, 0.2, 0},
                        {"Matérn 5/2 l=.5", KernelType::matern52, 0.5, 2.5},
                        {"Matérn 5/2 l=.2", KernelType::matern52, 0.2, 2.5},
                        {"Matérn 3/2 l=.5", KernelType::matern32, 0.5, 1.5},
                        {"Matérn 3/2 l=.2", KernelType::matern32, 0.2, 1.5}};
  Table table = ratio_table();
  for (const Case& c : cases) {
    std::vector<std::pair<double, double>> race, grid, all, beside, banded;
    for (int seed = 0; seed < seeds; ++seed) {
      const Problem problem(c, static_cast<std::uint64_t>(seed));
      const double plain = run_plain(problem), amm = run(problem, "amm-ucb"), dmm = run(problem, "dmm-ucb"),
                   cmm = run(problem, "cmm-ucb"), band = run(problem, "cmm-ucb", Report::with_band);
      race.emplace_back(amm, plain);
      grid.emplace_back(dmm, plain);
      all.emplace_back(cmm, plain);
      beside.emplace_back(cmm, amm);
      banded.emplace_back(band, plain);
    }
    add_ratios(fmt::format("AMM with elimination / plain AMM, {}", c.name), ratios_of(race), "", table);
    add_ratios(fmt::format("DMM / plain AMM, {}", c.name), ratios_of(grid), "<= 1.5", table);
    add_ratios(fmt::format("CMM / plain AMM, {}", c.name), ratios_of(all), "<= 1.3", table);
    add_ratios(fmt::format("CMM / AMM with elimination, {}", c.name), ratios_of(beside), "", table);
    add_ratios(fmt::format("CMM with the band of every choice / plain AMM, {}", c.name), ratios_of(banded),
               "", table);
  }
  fmt::print(
      "\nWhole runs, T = 1000, 100 fresh candidates a round, d = 3; median over {} seeds, one core.\n{}",
      seeds, to_text(table));
  return 0;
}

}  // namespace
}  // namespace ridgerunner

int main(int argc, char** argv) {
  return ridgerunner::main_program(argc > 1 ? std::max(1, std::atoi(argv[1])) : 3);
}
