#include <cmath>

#include <fmt/format.h>

#include <ridgerunner/error.h>
#include <ridgerunner/plugin/plugin.h>
#include <ridgerunner/policy/registry.h>

#include "kernels.h"

namespace ridgerunner::python {
namespace {

ParameterValue value_of(const std::string& name, const py::handle& object) {
  if (py::isinstance<py::bool_>(object)) return object.cast<bool>();
  if (py::isinstance<py::int_>(object) || py::isinstance<py::float_>(object)) return object.cast<double>();
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object))
    return object.cast<std::vector<double>>();
  throw InvalidArgument(fmt::format("{} must be a number, a list of numbers, a text or a bool, got {}", name,
                                    std::string(py::repr(object))));
}

py::dict keywords(const Parameters& parameters) {
  py::dict all;
  for (const auto& [name, value] : parameters) {
    std::visit(
        [&, &key = name]<class Value>(const Value& held) {
          if constexpr (!std::is_same_v<Value, std::monostate>) all[py::str(key)] = held;
        },
        value);
  }
  return all;
}

// radius(evidence, **parameters), asked on whatever thread needs it.
void register_python_bound(const std::string& name, const py::object& radius, const py::dict& given) {
  if (!PyCallable_Check(radius.ptr())) throw InvalidArgument("radius must be callable");
  Parameters parameters;
  for (const auto& [key, value] : given)
    parameters.emplace(key.cast<std::string>(), value_of(key.cast<std::string>(), value));
  const auto function = shared_object(radius);
  register_bound(name, std::move(parameters), [name, function](const Parameters& chosen) {
    return radius_bound([name, function, chosen](const Evidence& evidence) {
      const py::gil_scoped_acquire gil;
      const double value = (*function)(py::cast(evidence), **keywords(chosen)).cast<double>();
      if (!(value >= 0)) throw NumericalError(fmt::format("the radius of {} is {}", name, value));
      return value;
    });
  });
}

}  // namespace

void add_registry(py::module_& module) {
  module.def("register_bound", &register_python_bound, py::arg("name"), py::arg("radius"),
             py::arg("parameters"), "Makes a function of the evidence a bound that specs may name.");
  module.def("load_plugin", &load_plugin, py::arg("file"),
             "Loads a shared library with bounds, rules or dictionaries of one's own.");
}

}  // namespace ridgerunner::python
