#include "ridgerunner/experiment/experiment_spec.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {

PartialSpec::PartialSpec() : PartialSpec(Json::object()) {}

PartialSpec::PartialSpec(const Json& given) : json_(std::make_shared<const Json>(given)) {}

PartialSpec::PartialSpec(const Spec& whole) : PartialSpec(spec_to_json(whole)) {}

PartialSpec PartialSpec::preset(std::string_view name) {
  return Json{{"policy", name}};
}

EnvironmentSpec environment_from_json(const Json& json, const std::string& path) {
  Fields fields(json, path);
  EnvironmentType type = EnvironmentType::rkhs_sample;
  fields.choice("type", type, names_of(type));
  EnvironmentSpec spec = default_environment(type);
  read_record(fields, spec);
  if (const Json* kernel = fields.child("kernel"))
    spec.kernel = kernel_from_json(*kernel, path + ".kernel", spec.kernel);
  fields.finish();
  make_environment(spec, 0);  // checks the rest
  return spec;
}

Json environment_to_json(const EnvironmentSpec& spec) {
  Json json = {{"type", name(spec.type)}};
  write_record(json, spec);
  json["kernel"] = kernel_to_json(spec.kernel);
  return json;
}

EnvironmentPtr environment_of(const ExperimentSpec& spec, std::uint64_t seed) {
  return spec.own_environment ? spec.own_environment(seed) : make_environment(spec.environment, seed);
}

Spec contender_spec(const Contender& contender, const Environment& environment, std::int64_t horizon,
                    std::uint64_t seed) {
  const Facts& facts = environment.facts();
  Json json = contender.spec.json();
  if (!json.is_object()) throw InvalidArgument("a spec must be an object");
  // A kernel of which only parts are given, not its type, is the problem's with these parts changed. A policy
  // that tunes its kernel is not told the problem's.
  const bool given = json.contains("kernel");
  const bool in_part = given && json["kernel"].is_object() && !json["kernel"].contains("type");
  if (in_part || (!given && !unchecked_spec_from_json(json).tune.on())) {
    Json kernel = kernel_to_json(facts.kernel);
    if (json.contains("kernel")) kernel.update(json["kernel"]);
    json["kernel"] = std::move(kernel);
  }
  if (!json.contains("bound")) json["bound"] = Json::object();
  Json& bound = json["bound"];
  if (bound.is_object() && !bound.contains("noise_bound") && facts.noise_sd > 0)
    bound["noise_bound"] = facts.noise_sd;
  if (bound.is_object() && !bound.contains("norm_bound") && facts.norm) bound["norm_bound"] = *facts.norm;
  if (bound.is_object() && !bound.contains("horizon")) bound["horizon"] = horizon;
  json["seed"] = seed;
  Spec spec = unchecked_spec_from_json(json);
  if (facts.fixed_arms) {
    Offer offer;
    environment.offer(0, offer);
    if (spec.arms) throw InvalidArgument("arms must not be set: the environment has its own");
    spec.arms = std::move(offer.states);
  } else if (spec.arms) {
    throw InvalidArgument("arms must not be set: the environment's candidates change every round");
  }
  validate(spec);
  return spec;
}

void validate(const ExperimentSpec& spec) {
  if (spec.horizon < 1) throw InvalidArgument(fmt::format("horizon must be >= 1, got {}", spec.horizon));
  if (spec.runs < 1) throw InvalidArgument(fmt::format("runs must be >= 1, got {}", spec.runs));
  constexpr double kMostRounds = 1e12;
  const double rounds = static_cast<double>(spec.horizon) * static_cast<double>(spec.runs) *
                        static_cast<double>(spec.policies.size());
  if (rounds > kMostRounds) {
    throw InvalidArgument(
        fmt::format("horizon x runs x policies must be at most {}, got {}", kMostRounds, rounds));
  }
  if (spec.policies.empty()) throw InvalidArgument("policies must name at least one policy");
  std::set<std::string> labels;
  const EnvironmentPtr environment = environment_of(spec, run_seed(spec.seed, 0));
  for (const Contender& contender : spec.policies) {
    if (!labels.insert(contender.label).second) {
      throw InvalidArgument(
          fmt::format("policies must have different names, got \"{}\" twice", contender.label));
    }
    try {
      contender_spec(contender, *environment, spec.horizon, spec.seed);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: {}", contender.label, error.what()));
    }
  }
}

}  // namespace ridgerunner
