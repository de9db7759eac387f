#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include <ridgerunner/kernel/kernel.h>
#include <ridgerunner/policy/spec_json.h>

#include "module.h"

namespace ridgerunner::python {

// A kernel with the spec it was made of; none if a Python function is part of it.
struct SpecifiedKernel {
  KernelPtr kernel;
  std::optional<Json> spec;
};

// A spec whose kernel, if `kernel` is a user's own, says that it is: such a spec cannot be built without it.
Spec spec_with(const Json& spec, const SpecifiedKernel* kernel);
bool says_own_kernel(const Json& spec);

// Drops a Python object wherever its last owner is, which may hold no GIL.
std::shared_ptr<const py::object> shared_object(py::object object);

}  // namespace ridgerunner::python
