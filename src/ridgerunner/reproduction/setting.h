#pragma once

#include <string>
#include <vector>

#include "ridgerunner/experiment/experiment_spec.h"
#include "ridgerunner/reproduction/job.h"

namespace ridgerunner {

// One policy on one problem with one seed, and how long it may take.
struct Setting {
  EnvironmentSpec environment;
  Contender contender;
  std::int64_t horizon = 1;
  std::uint64_t seed = 0;
  double seconds = 1;
};

// What the run depends on; `what` says what is measured.
Json identity(const std::string& what, const Setting& setting);

// The exact model with the spec's kernel, ridge and arms, to compare with.
std::unique_ptr<Regression> exact_model(Spec spec);

// Its trajectory, as trajectory_to_json() has it.
Job trajectory_job(const Setting& setting);

// A policy of a definition: {"label", "spec", "seconds"}, the last one a guess for one run.
struct PlannedPolicy {
  Contender contender;
  double seconds = 1;
};
PlannedPolicy policy_from_json(const Json& json, const std::string& path);

// What all kinds share: {"environment", "horizon", "runs", "seed"}.
struct Plan {
  EnvironmentSpec environment;
  std::int64_t horizon = 1000;
  std::int64_t runs = 1;
  std::uint64_t seed = 7;

  Setting setting(const PlannedPolicy& policy, std::int64_t run) const;
};
Plan plan_from_json(Fields& fields);

// Integers >= 1 that rise.
std::vector<std::int64_t> rounds_from_json(Fields& fields, const char* name);

}  // namespace ridgerunner
