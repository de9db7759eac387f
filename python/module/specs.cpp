#include "specs.h"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/error.h>
#include <ridgerunner/policy/spec_toml.h>

namespace ridgerunner::python {
namespace {

constexpr int kDeepest = 32;  // as for texts

Json integer(const py::handle& object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow == 0) return value >= 0 ? Json(static_cast<std::uint64_t>(value)) : Json(value);
  return object.cast<double>();
}

Json convert(const py::handle& object, int depth) {
  if (depth > kDeepest)
    throw InvalidArgument(fmt::format("a spec must not be nested deeper than {}", kDeepest));
  if (object.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(object)) return object.cast<bool>();
  if (py::isinstance<py::int_>(object)) return integer(object);
  if (py::isinstance<py::float_>(object)) return object.cast<double>();
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (py::isinstance<py::dict>(object)) {
    Json json = Json::object();
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(object)) {
      if (!py::isinstance<py::str>(key))
        throw InvalidArgument(fmt::format("a spec has names for keys, got {}", std::string(py::repr(key))));
      json[key.cast<std::string>()] = convert(value, depth + 1);
    }
    return json;
  }
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    Json json = Json::array();
    for (const auto& entry : object) json.push_back(convert(entry, depth + 1));
    return json;
  }
  if (py::hasattr(object, "tolist")) return convert(object.attr("tolist")(), depth + 1);
  throw InvalidArgument(fmt::format("a spec cannot hold {}", std::string(py::repr(object))));
}

}  // namespace

Json to_json(const py::handle& object) {
  return convert(object, 0);
}

py::object from_json(const Json& json) {
  if (json.is_null()) return py::none();
  if (json.is_boolean()) return py::bool_(json.get<bool>());
  if (json.is_number_unsigned()) return py::int_(json.get<std::uint64_t>());
  if (json.is_number_integer()) return py::int_(json.get<std::int64_t>());
  if (json.is_number()) return py::float_(json.get<double>());
  if (json.is_string()) return py::str(json.get<std::string>());
  if (json.is_array()) {
    py::list list;
    for (const Json& entry : json) list.append(from_json(entry));
    return list;
  }
  py::dict dict;
  for (const auto& [key, value] : json.items()) dict[py::str(key)] = from_json(value);
  return dict;
}

void add_specs(py::module_& module) {
  module.def(
      "complete_spec",
      [](const py::dict& spec) { return from_json(spec_to_json(spec_from_json(to_json(spec)))); },
      py::arg("spec"), "The spec with every parameter filled in and checked.");
  module.def(
      "parse_spec",
      [](const std::string& text) {
        const auto first = text.find_first_not_of(" \t\r\n");
        const bool json = first != std::string::npos && text[first] == '{';
        return from_json(json ? parse_json(text) : toml_to_json(text));
      },
      py::arg("text"), "TOML or JSON text as a dict.");
  module.def(
      "spec_to_toml", [](const py::dict& spec) { return spec_to_toml(spec_from_json(to_json(spec))); },
      py::arg("spec"), "The spec in full as TOML, each line explained.");
  module.def(
      "presets",
      [] {
        py::dict all;
        for (const Preset& known : presets())
          all[py::str(known.name.data(), known.name.size())] = known.summary;
        return all;
      },
      "The presets, each with what it is.");
  module.def(
      "parameters",
      [] {
        py::dict all;
        for (const Parameter& known : parameters())
          all[py::str(known.path)] = py::make_tuple(known.initial, known.range, known.meaning);
        return all;
      },
      "Every parameter of a spec by its path, with default, range and meaning.");
}

}  // namespace ridgerunner::python
