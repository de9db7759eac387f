#include "arrays.h"

#include <string_view>

#include <fmt/format.h>

#include <ridgerunner/error.h>

namespace ridgerunner::python {
namespace {

std::string shape_of(const py::array& array) {
  std::string text;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) text += fmt::format("{}{}", i ? " x " : "", array.shape(i));
  return text.empty() ? "one number" : text;
}

constexpr int kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;

bool as_needed(const py::array& array) {
  constexpr int kNeeded = int{py::array::c_style} | kAligned;
  return (array.flags() & kNeeded) == kNeeded && array.dtype().is(py::dtype::of<double>());
}

// float64, aligned, in C order; the array itself where it is that already.
py::array doubles(const py::object& given, const char* name) {
  if (py::isinstance<py::array>(given)) {
    auto array = py::reinterpret_borrow<py::array>(given);
    if (as_needed(array)) return array;
  }
  py::array array;
  try {
    array = py::module_::import("numpy").attr("asarray")(given);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    throw InvalidArgument(fmt::format("{} must be numbers, in rows of equal length", name));
  }
  constexpr std::string_view kNumbers = "fiubO";
  if (kNumbers.find(array.dtype().kind()) == std::string_view::npos) {
    throw InvalidArgument(
        fmt::format("{} must be real numbers, got {}", name, std::string(py::str(array.dtype()))));
  }
  constexpr int kWanted = int{py::array::c_style} | int{py::array::forcecast} | kAligned;
  auto converted = py::array_t<double, kWanted>::ensure(array);
  if (!converted) {
    PyErr_Clear();
    throw InvalidArgument(fmt::format("{} must be numbers, in rows of equal length", name));
  }
  return converted;
}

const double* data_of(const py::array& array) {
  return static_cast<const double*>(array.data());
}

}  // namespace

Points::Points(const py::object& given, const char* name) : array_(doubles(given, name)) {
  if (array_.ndim() == 1 || array_.ndim() == 2) return;
  throw InvalidArgument(
      fmt::format("{} must be points in rows, an array of n x d numbers, got {}", name, shape_of(array_)));
}

Eigen::Map<const Matrix> Points::columns() const {
  return {data_of(array_), flat() ? 1 : array_.shape(1), array_.shape(0)};
}

Numbers::Numbers(const py::object& given, const char* name) : array_(doubles(given, name)) {
  if (array_.ndim() < 2) return;
  throw InvalidArgument(
      fmt::format("{} must be a number or a list of numbers, got an array of {}", name, shape_of(array_)));
}

Eigen::Map<const Vector> Numbers::values() const {
  return {data_of(array_), array_.size()};
}

py::array rows_of(Matrix columns) {
  auto* owned = new Matrix(std::move(columns));
  const py::capsule owner(owned, [](void* matrix) { delete static_cast<Matrix*>(matrix); });
  return py::array_t<double>({owned->cols(), owned->rows()}, owned->data(), owner);
}

}  // namespace ridgerunner::python
