#pragma once

#include <ridgerunner/policy/spec_json.h>

#include "module.h"

namespace ridgerunner::python {

// Dicts, lists, numbers, texts, None; NumPy's arrays and numbers as lists and numbers.
Json to_json(const py::handle& object);
py::object from_json(const Json& json);

}  // namespace ridgerunner::python
