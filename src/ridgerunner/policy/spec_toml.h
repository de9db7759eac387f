#pragma once

#include <string>
#include <string_view>

#include "ridgerunner/policy/spec_json.h"

namespace ridgerunner {

// TOML has the same names as JSON and is read through it.
Json toml_to_json(std::string_view text);  // throws InvalidArgument with line and column

// A spec in full, each line explained.
std::string spec_to_toml(const Spec& spec);

}  // namespace ridgerunner
