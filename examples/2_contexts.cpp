// Contexts: a thermostat. The outside temperature is given, the setting is ours, and comfort is best on a
// curve that nobody told the policy. It learns on anchors, a few of the states it has seen, and is saved on
// the way.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <ridgerunner/archive/policy_archive.h>
#include <ridgerunner/ridgerunner.h>

namespace rr = ridgerunner;

int main() {
  rr::Spec spec = rr::preset("ek-ucb");
  spec.kernel.lengthscale = {0.3};
  spec.regression.ridge = 0.1;
  rr::Policy policy(spec);
  const rr::Matrix settings = Eigen::RowVectorXd::LinSpaced(11, 0, 1);
  const auto comfort = [](double outside, double setting) {
    return 1 - std::pow(setting - (0.8 - 0.5 * outside * outside), 2);
  };
  double early = 0, late = 0;
  for (int t = 0; t < 400; ++t) {
    const rr::Vector outside = rr::Vector::Constant(1, std::fmod(0.618034 * t, 1.0));
    const rr::Matrix states = rr::join(outside, settings);
    const rr::Vector state = states.col(policy.decide(states).index);
    policy.observe(state, comfort(state[0], state[1]));
    double best = 0;
    for (int i = 0; i < settings.cols(); ++i) best = std::max(best, comfort(outside[0], settings(0, i)));
    (t < 100 ? early : late) += best - comfort(state[0], state[1]);
    if (t == 200) policy = rr::load_policy(rr::save_policy(policy), spec);  // a restart changes nothing
  }
  std::printf("regret %.2f in 100 rounds, then %.2f in 300\n", early, late);
  std::printf("%d anchors for %d observations\n", static_cast<int>(policy.statistics().evidence.anchors),
              static_cast<int>(policy.statistics().evidence.rounds));
}
