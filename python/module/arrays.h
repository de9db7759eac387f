#pragma once

#include <string>

#include <pybind11/numpy.h>

#include <ridgerunner/linalg/types.h>

#include "module.h"

namespace ridgerunner::python {

// Points in Python are rows, here they are columns: an n x d array in C order is a d x n matrix in ours, and
// is looked at where it is. Any other order, stride or number type is copied by NumPy first.
class Points {
 public:
  // A list of numbers counts as points of dimension 1. `name` is the argument's, for errors (ValueError).
  Points(const py::object& given, const char* name);

  Eigen::Map<const Matrix> columns() const;
  Index size() const { return array_.shape(0); }
  bool flat() const { return array_.ndim() == 1; }

 private:
  py::array array_;
};

// One point, or one number for each of several points.
class Numbers {
 public:
  Numbers(const py::object& given, const char* name);

  Eigen::Map<const Vector> values() const;
  bool single() const { return array_.ndim() == 0; }
  bool several() const { return array_.ndim() == 1; }

 private:
  py::array array_;
};

// One point: a list of numbers, or a number if it has one dimension.
using Point = Numbers;

py::array rows_of(Matrix columns);  // d x n of ours as an n x d array that owns it

}  // namespace ridgerunner::python
