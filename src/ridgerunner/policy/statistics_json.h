#pragma once

#include "ridgerunner/codec/json.h"
#include "ridgerunner/policy/policy.h"

namespace ridgerunner {

// A policy's figures under the names that users know; null where there is none.
Json statistics_to_json(const Statistics& statistics, const Diagnostics& diagnostics);

}  // namespace ridgerunner
