#include "features.h"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/error.h>

namespace ridgerunner::python {
namespace {

std::string type_name(const py::handle& object) {
  return std::string(py::str(py::type::handle_of(object).attr("__name__")));
}

bool is_structured(const py::handle& object) {  // a row or an array of NumPy with names
  return py::hasattr(object, "dtype") && py::hasattr(object.attr("dtype"), "names") &&
         !object.attr("dtype").attr("names").is_none();
}

bool is_frame(const py::handle& object) {
  return py::hasattr(object, "to_dict") && py::hasattr(object, "iterrows");
}

bool is_row(const py::handle& object) {
  if (py::isinstance<py::dict>(object) || py::hasattr(object, "_asdict")) return true;
  if (is_structured(object)) return object.attr("ndim").cast<int>() == 0;
  return py::hasattr(object, "to_dict") && !is_frame(object);
}

py::dict dict_of(const py::handle& row) {
  if (py::isinstance<py::dict>(row)) return py::reinterpret_borrow<py::dict>(row);
  if (py::hasattr(row, "_asdict")) return row.attr("_asdict")();
  if (py::hasattr(row, "to_dict")) return row.attr("to_dict")();
  py::dict named;
  for (const auto& name : row.attr("dtype").attr("names")) named[name] = row[name];
  return named;
}

Json value_of(const py::handle& object, const std::string& path) {
  if (object.is_none() || type_name(object) == "NAType" || type_name(object) == "NaTType") return nullptr;
  if (py::isinstance<py::bool_>(object)) return object.cast<bool>();
  if (py::isinstance<py::int_>(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    return overflow == 0 ? Json(value) : Json(std::string(py::str(object)));
  }
  if (py::isinstance<py::float_>(object)) return object.cast<double>();
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (py::isinstance<py::bytes>(object))
    return std::string(py::str(object.attr("decode")("utf-8", "replace")));
  if (is_row(object)) return named_row(object, path);
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    Json list = Json::array();
    for (const auto& entry : object) list.push_back(value_of(entry, path));
    return list;
  }
  if (py::hasattr(object, "tolist")) {  // numbers and arrays of NumPy
    const py::object plain = object.attr("tolist")();
    if (!py::type::of(plain).is(py::type::handle_of(object))) return value_of(plain, path);
  }
  throw InvalidArgument(fmt::format("{} must be a number, text, flag or a list of them, got {}", path,
                                    std::string(py::repr(object)).substr(0, 60)));
}

}  // namespace

Json named_row(const py::handle& given, const std::string& path) {
  if (!is_row(given)) return value_of(given, path);
  Json json = Json::object();
  for (const auto& [key, value] : dict_of(given)) {
    if (!py::isinstance<py::str>(key))
      throw InvalidArgument(
          fmt::format("{} must have names for keys, got {}", path, std::string(py::repr(key)).substr(0, 60)));
    const auto name = key.cast<std::string>();
    json[name] = value_of(value, path + "." + name);
  }
  return json;
}

Json named_rows(const py::handle& given, const std::string& path) {
  const py::object rows = is_frame(given) ? py::object(given.attr("to_dict")("records"))
                                          : py::reinterpret_borrow<py::object>(given);
  if (is_row(rows) || py::isinstance<py::str>(rows) || !py::isinstance<py::iterable>(rows))
    return value_of(rows, path);
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(named_row(row, fmt::format("{}[{}]", path, list.size())));
  return list;
}

void refuse_named(const py::handle& given, const char* path) {
  py::handle seen = given;
  if (py::isinstance<py::list>(given) && py::len(given) > 0) seen = PyList_GET_ITEM(given.ptr(), 0);
  if (py::isinstance<py::dict>(seen))
    throw InvalidArgument(fmt::format("{} must be numbers, as the spec has no features, got {}", path,
                                      std::string(py::repr(given)).substr(0, 60)));
}

}  // namespace ridgerunner::python
