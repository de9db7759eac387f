#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgerunner/environment/environment_spec.h"
#include "ridgerunner/policy/spec_json.h"

namespace ridgerunner {

// A spec of which a user has set some parameters: what is absent is filled in for each run from what the
// problem knows of itself.
class PartialSpec {
 public:
  PartialSpec();                   // the preset that specs start from
  PartialSpec(const Json& given);  // an object as spec_from_json() takes it
  PartialSpec(const Spec& whole);  // nothing is absent
  static PartialSpec preset(std::string_view name);

  const Json& json() const { return *json_; }

 private:
  std::shared_ptr<const Json> json_;
};

// Policies x environment x runs.
struct Contender {
  std::string label;
  PartialSpec spec;
  KernelPtr kernel = nullptr;  // a user's own function in the place of the spec's; no file knows of it
};

struct ExperimentSpec {
  EnvironmentSpec environment;
  std::vector<Contender> policies;
  std::int64_t horizon = 1000;
  std::int64_t runs = 10;
  std::uint64_t seed = 7;
  // A user's own problem in the place of `environment`, a function of the run's seed; no file knows of it.
  std::function<EnvironmentPtr(std::uint64_t)> own_environment = nullptr;
};

// The problem of the run with this seed.
EnvironmentPtr environment_of(const ExperimentSpec& spec, std::uint64_t seed);

EnvironmentSpec environment_from_json(const Json& json, const std::string& path = "environment");
Json environment_to_json(const EnvironmentSpec& spec);

// The contender's spec for one run: kernel, noise_bound and norm_bound from the problem's facts where the
// user has not set them, the horizon likewise, its arms where they are fixed, and the run's seed.
Spec contender_spec(const Contender& contender, const Environment& environment, std::int64_t horizon,
                    std::uint64_t seed);

// Throws InvalidArgument, naming the culprit, if the experiment makes no sense.
void validate(const ExperimentSpec& spec);

}  // namespace ridgerunner
