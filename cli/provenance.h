#pragma once

#include <ridgerunner/experiment/results.h>

namespace ridgerunner::cli {

// This program, on this machine, now.
Provenance provenance();

}  // namespace ridgerunner::cli
