#pragma once

#include <string>
#include <vector>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/policy/spec.h"

namespace ridgerunner {

// A spec from JSON: the preset named by "policy" (default ek-ucb), overridden by whatever else is there.
// Validated. Throws InvalidArgument for what is unknown, of the wrong type or out of range.
Spec spec_from_json(const Json& json);

// The same without the look at ranges and at what goes together, for who changes the spec further: validate()
// is still to come.
Spec unchecked_spec_from_json(const Json& json);

// Every parameter that has a meaning for the spec; spec_from_json gives the same spec back.
Json spec_to_json(const Spec& spec);

KernelSpec kernel_from_json(const Json& json, const std::string& path, const KernelSpec& defaults = {});
Json kernel_to_json(const KernelSpec& spec);

// The reference of all parameters, for people.
std::vector<Parameter> parameters();

}  // namespace ridgerunner
