#pragma once

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

// One file a room of the library; each adds what it knows to the module ridgerunner._core.
namespace ridgerunner::python {

namespace py = pybind11;

void add_errors(py::module_& module);
void add_specs(py::module_& module);
void add_kernels(py::module_& module);
void add_regressions(py::module_& module);
void add_bounds(py::module_& module);
void add_policies(py::module_& module);
void add_environments(py::module_& module);
void add_experiments(py::module_& module);
void add_registry(py::module_& module);

}  // namespace ridgerunner::python
