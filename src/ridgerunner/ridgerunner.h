#pragma once

// Everything a program needs to decide with kernel bandits. Experiments, reports and archives have headers of
// their own.
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/version.h"
