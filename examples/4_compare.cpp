// Comparing policies: the same problem, the same rounds, the same noise, as many runs as the claim needs.
#include <cstdio>

#include <ridgerunner/experiment/sweep.h>

namespace rr = ridgerunner;

int main() {
  rr::ExperimentSpec spec;
  spec.environment = rr::default_environment(rr::EnvironmentType::step_diagonal);
  for (const char* name : {"ek-ucb", "k-ucb", "greedy", "uniform"})
    spec.policies.push_back({name, rr::PartialSpec::preset(name)});
  spec.horizon = 300;
  spec.runs = 5;
  const auto results = rr::sweep(spec, {.threads = 2});
  if (!results) return 1;  // it was stopped
  for (const rr::PolicyResults& policy : results->policies) {
    const rr::Summary regret = rr::summarise(rr::final_values(policy.runs, &rr::Trajectory::regret));
    std::printf("%-8s regret %6.2f, sd %.2f\n", policy.label.c_str(), regret.mean, regret.sd);
  }
}
