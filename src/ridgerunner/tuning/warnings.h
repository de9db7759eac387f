#pragma once

#include <string>
#include <vector>

#include "ridgerunner/tuning/rewards.h"
#include "ridgerunner/tuning/tune.h"

namespace ridgerunner {

// What a person should know about a fit, in plain words. columns: without those that say which arm.
std::vector<std::string> tuning_warnings(const Tuned& tuned, Index columns, const Rewards& rewards);

}  // namespace ridgerunner
