#pragma once

#include <string>
#include <vector>

#include "ridgerunner/policy/policy.h"

namespace ridgerunner {

// What a person should know about a policy, in sentences: a length-scale so far from the data that every
// state is a stranger to all others, or all states look alike, and what tuning has to say. Looks at 64 states
// at most.
std::vector<std::string> warnings_about(const Policy& policy);

}  // namespace ridgerunner
