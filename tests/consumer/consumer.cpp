#include <cstdio>

#include <ridgerunner/archive/policy_archive.h>
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
  const ridgerunner::Policy again = ridgerunner::load_policy(ridgerunner::save_policy(policy), policy.spec());
  const double mean = again.predict(ridgerunner::Vector::Constant(1, 0.5)).mean[0];
  std::printf("ridgerunner %s: f(1/2) is about %.2f\n", ridgerunner::kVersion, mean);
  return mean > 0.2 && mean < 0.3 ? 0 : 1;
}
