#include "module.h"

#include <ridgerunner/error.h>
#include <ridgerunner/version.h>

namespace ridgerunner::python {

// Misuse is a ValueError by itself: InvalidArgument is a std::invalid_argument.
void add_errors(py::module_& module) {
  py::register_exception<NumericalError>(module, "NumericalError", PyExc_ArithmeticError);
}

}  // namespace ridgerunner::python

PYBIND11_MODULE(_core, module) {
  using namespace ridgerunner::python;
  module.doc() = "The C++ engine. Import ridgerunner instead.";
  module.attr("__version__") = ridgerunner::kVersion;
  add_errors(module);
  add_specs(module);
  add_kernels(module);
  add_regressions(module);
  add_bounds(module);
  add_policies(module);
  add_environments(module);
  add_experiments(module);
  add_registry(module);
}
