#include "ridgerunner/reproduction/setting.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {

Json identity(const std::string& what, const Setting& setting) {
  const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
  Json policy = spec_to_json(contender_spec(setting.contender, *environment, setting.horizon, setting.seed));
  policy.erase("arms");  // the problem's own
  return {{"what", what},
          {"environment", environment_to_json(setting.environment)},
          {"policy", policy},
          {"horizon", setting.horizon},
          {"seed", setting.seed}};
}

std::unique_ptr<Regression> exact_model(Spec spec) {
  const double ridge = spec.regression.ridge;
  spec.regression = {};
  spec.regression.dictionary = dictionaries::Exact{};
  spec.regression.ridge = ridge;
  return make_regression(spec);
}

Job trajectory_job(const Setting& setting) {
  return {identity("trajectory", setting), setting.horizon, setting.seconds,
          [setting](const std::function<bool()>& proceed) -> std::optional<Json> {
            const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
            const Spec spec = contender_spec(setting.contender, *environment, setting.horizon, setting.seed);
            const auto trajectory =
                run(Policy(spec), *environment, setting.horizon, monotone_seconds, proceed);
            return trajectory ? std::optional(trajectory_to_json(*trajectory)) : std::nullopt;
          }};
}

PlannedPolicy policy_from_json(const Json& json, const std::string& path) {
  Fields fields(json, path);
  PlannedPolicy policy;
  fields.text("label", policy.contender.label);
  fields.number("seconds", policy.seconds);
  const Json* spec = fields.child("spec");
  if (!spec || policy.contender.label.empty())
    throw InvalidArgument(fmt::format("{} must have label and spec", path));
  policy.contender.spec = *spec;
  fields.finish();
  return policy;
}

Setting Plan::setting(const PlannedPolicy& policy, std::int64_t run) const {
  return {environment, policy.contender, horizon, run_seed(seed, static_cast<std::uint64_t>(run)),
          policy.seconds};
}

Plan plan_from_json(Fields& fields) {
  Plan plan;
  const Json* environment = fields.child("environment");
  if (!environment) throw InvalidArgument("environment is missing");
  plan.environment = environment_from_json(*environment);
  fields.integer("horizon", plan.horizon, 1);
  fields.integer("runs", plan.runs, 1);
  fields.unsigned_integer("seed", plan.seed);
  return plan;
}

std::vector<std::int64_t> rounds_from_json(Fields& fields, const char* name) {
  std::vector<double> numbers;
  fields.numbers(name, numbers);
  std::vector<std::int64_t> rounds;
  for (const double value : numbers) {
    if (!(value > (rounds.empty() ? 0 : static_cast<double>(rounds.back()))) || value > 1e9 ||
        value != std::floor(value))
      fields.refuse(name, "must be rising integers >= 1");
    rounds.push_back(static_cast<std::int64_t>(value));
  }
  return rounds;
}

}  // namespace ridgerunner
