#pragma once

// Everything a program needs to decide with kernel bandits. Experiments, reports, archives, specs as JSON and
// TOML and parts of one's own (policy/registry.h) have headers of their own.
#include "ridgerunner/error.h"
#include "ridgerunner/features/encoder.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/version.h"
