#include "ridgerunner/experiment/run.h"

#include "ridgerunner/error.h"
#include "ridgerunner/regression/capabilities.h"

namespace ridgerunner {

std::vector<std::int64_t> checkpoints(std::int64_t horizon) {
  constexpr std::int64_t kMost = 500;
  std::vector<std::int64_t> rounds;
  const std::int64_t count = std::min(horizon, kMost);
  for (std::int64_t i = 1; i <= count; ++i) rounds.push_back(horizon * i / count);
  return rounds;
}

std::optional<Trajectory> run(Policy policy, const Environment& environment, std::int64_t horizon,
                              const Clock& clock, const std::function<bool()>& proceed) {
  if (horizon < 1) throw InvalidArgument("horizon must be >= 1, got " + std::to_string(horizon));
  const std::vector<std::int64_t> rounds = checkpoints(horizon);
  const auto ceiling = environment.facts().ceiling;
  const bool own_arms = policy.spec().arms.has_value();
  Trajectory trajectory;
  double regret = 0, ceiling_regret = 0, reward = 0, seconds = 0;
  Offer offer;
  std::size_t next = 0;
  for (std::int64_t t = 1; t <= horizon; ++t) {
    if (proceed && !proceed()) return std::nullopt;
    environment.offer(static_cast<std::uint64_t>(t - 1), offer);
    const double before = clock();
    const Decision decision =
        own_arms ? policy.decide(Report::without_band) : policy.decide(offer.states, Report::without_band);
    const double expected = offer.expected[decision.index];
    const double received = expected + environment.noise(static_cast<std::uint64_t>(t - 1));
    policy.observe(decision, received);
    seconds += clock() - before;
    regret += offer.expected.maxCoeff() - expected;
    ceiling_regret += ceiling.value_or(0) - expected;
    reward += received;
    if (t != rounds[next]) continue;
    ++next;
    trajectory.regret.push_back(regret);
    if (ceiling) trajectory.ceiling_regret.push_back(ceiling_regret);
    trajectory.reward.push_back(reward);
    trajectory.seconds.push_back(seconds);
    trajectory.anchors.push_back(static_cast<double>(policy.regression().evidence().anchors));
    if (const auto& noise = policy.noise()) {
      trajectory.noise_lower.push_back(noise->lower);
      trajectory.noise_upper.push_back(noise->upper);
      trajectory.ridge.push_back(policy.regression().evidence().ridge);
    }
  }
  const Statistics statistics = policy.statistics();
  const Diagnostics diagnostics = diagnostics_of(policy.regression());
  trajectory.log_determinant = statistics.evidence.log_determinant;
  trajectory.effective_dimension = diagnostics.effective_dimension;
  trajectory.projection_error = diagnostics.projection_error;
  trajectory.clamped = statistics.clamped;
  trajectory.empty_since = statistics.empty_since;
  return trajectory;
}

}  // namespace ridgerunner
