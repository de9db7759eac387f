#include <cstdio>
#include <sstream>

#include <nlohmann/json.hpp>

#include <ridgerunner/archive/policy_archive.h>
#include <ridgerunner/experiment/sweep.h>
#include <ridgerunner/plugin/plugin.h>
#include <ridgerunner/policy/registry.h>
#include <ridgerunner/policy/spec_toml.h>
#include <ridgerunner/ridgerunner.h>

int main() {
  ridgerunner::Policy policy("gp-ucb");
  const ridgerunner::Matrix arms = Eigen::RowVectorXd::LinSpaced(50, 0, 1);
  for (int t = 0; t < 100; ++t) {
    const ridgerunner::Decision decision = policy.decide(arms);
    const double x = arms(0, decision.index);
    policy.observe(arms.col(decision.index), x * (1 - x));
  }
  std::stringstream stream;
  ridgerunner::save_policy(policy, stream);
  const ridgerunner::Policy again = ridgerunner::load_policy(stream, policy.spec());
  ridgerunner::register_bound("tenth", [](const ridgerunner::Evidence&) { return 0.1; });
  const ridgerunner::Spec own =
      ridgerunner::spec_from_json(ridgerunner::toml_to_json("policy = \"k-ucb\"\n[bound]\ntype = \"tenth\""));
  if (ridgerunner::Policy(own).statistics().radius != 0.1) return 1;
  const double mean = again.predict(ridgerunner::Vector::Constant(1, 0.5)).mean[0];
  std::printf("ridgerunner %s: f(1/2) is about %.2f\n", ridgerunner::kVersion, mean);
  return mean > 0.2 && mean < 0.3 ? 0 : 1;
}
