// EK-UCB's time against K-UCB's where its dictionary holds nearly every state: Bump of Zenati et al. 2022
// (their draw), ridge = projection = oversampling, as in their figure 3. Thread CPU time, measured in one run
// on one core. Usage: ridgerunner_engines [seeds] [horizon] [ridge]
#include <cmath>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include <ridgerunner/environment/environment_spec.h>
#include <ridgerunner/policy/policy.h>

#include "measure.h"

namespace ridgerunner {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Run {
  double seconds = 0, regret = 0;
  Index anchors = 0;
  std::uint64_t choices = 14695981039346656037U;  // a hash of them (FNV-1a)
};

// Seconds are those of deciding and learning.
Run play(const char* policy_name, double ridge, std::uint64_t seed, std::uint64_t horizon) {
  EnvironmentSpec problem = default_environment(EnvironmentType::bump);
  problem.draw = Draw::paper;
  const EnvironmentPtr environment = make_environment(problem, seed);
  Spec spec = preset(policy_name);
  spec.seed = seed;
  spec.kernel = environment->facts().kernel;
  spec.bound.choose("fixed");
  spec.bound.set("radius", 0.1);
  spec.regression.ridge = ridge;
  if (spec.regression.dictionary.is<dictionaries::Kors>()) {
    spec.regression.dictionary.set("projection", ridge);
    spec.regression.dictionary.set("oversampling", ridge);
  }
  Policy policy(spec);
  Offer offer;
  Run run;
  for (std::uint64_t t = 0; t < horizon; ++t) {
    environment->offer(t, offer);
    const double start = thread_seconds();
    const Decision decision = policy.decide(offer.states, Report::without_band);
    policy.observe(decision, offer.expected[decision.index] + environment->noise(t));
    run.seconds += thread_seconds() - start;
    run.regret += offer.expected.maxCoeff() - offer.expected[decision.index];
    run.choices = (run.choices ^ static_cast<std::uint64_t>(decision.index)) * 1099511628211U;
  }
  run.anchors = policy.statistics().evidence.anchors;
  return run;
}

int main_program(int seeds, std::uint64_t horizon, const std::vector<double>& ridges) {
  Table table = ratio_table();
  for (const double ridge : ridges) {
    std::vector<std::pair<double, double>> times;
    for (int seed = 0; seed < seeds; ++seed) {
      const auto number = static_cast<std::uint64_t>(seed) + 7;
      const Run exact = play("k-ucb", ridge, number, horizon),
                projected = play("ek-ucb", ridge, number, horizon);
      times.emplace_back(projected.seconds, exact.seconds);
      for (const Run* run : {&exact, &projected})
        fmt::print("ridge {:<4} {:<7} {:7.3f} s  {:5} anchors  regret {:8.3f}  choices {:016x}\n", ridge,
                   run == &exact ? "k-ucb" : "ek-ucb", run->seconds, run->anchors, run->regret, run->choices);
    }
    add_ratios(fmt::format("EK-UCB / K-UCB on Bump, T = {}, ridge {}", horizon, ridge), ratios_of(times),
               "<= 1.2", table);
  }
  fmt::print("\nMedian over {} seeds, thread CPU time.\n{}", seeds, to_text(table));
  return 0;
}

}  // namespace
}  // namespace ridgerunner

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  const std::uint64_t horizon = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2000;
  std::vector<double> ridges = {1, 10, 100};
  if (argc > 3) ridges = {std::atof(argv[3])};
  return ridgerunner::main_program(seeds, horizon, ridges);
}
