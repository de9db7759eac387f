#pragma once

#include "ridgerunner/bounds/bound.h"

namespace ridgerunner {

// mean ± radius sd with a radius chosen by hand: no guarantee, but what most experiments use (0.1 in
// zenati2022_ekucb; the eta of the KernelUCB note). radius >= 0.
BoundPtr fixed_bound(double radius);

}  // namespace ridgerunner
