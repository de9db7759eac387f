#pragma once

#include <functional>
#include <optional>

#include <ridgerunner/environment/environment_spec.h>

#include "module.h"

namespace ridgerunner::python {

// A problem: one of the library's, by its spec, or Python functions.
struct Problem {
  std::function<EnvironmentPtr(std::uint64_t seed)> make;
  std::optional<EnvironmentSpec> spec;  // none for Python functions
  EnvironmentPtr environment;           // with the seed of the object itself
};

}  // namespace ridgerunner::python
