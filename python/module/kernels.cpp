#include "kernels.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/error.h>
#include <ridgerunner/kernel/composite.h>

#include "arrays.h"
#include "specs.h"

namespace ridgerunner::python {
namespace {

double checked(double value) {
  if (!std::isfinite(value)) throw NumericalError(fmt::format("the kernel function returned {}", value));
  return value;
}

// A Python function as a kernel: of two points, or of two arrays of points at once.
class PythonKernel final : public Kernel {
 public:
  PythonKernel(py::object function, bool batches)
      : function_(shared_object(std::move(function))), batches_(batches) {}

  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    const py::gil_scoped_acquire gil;
    if (batches_) {
      batch(x, y, out);
      return;
    }
    const py::list left = points_of(x), right = points_of(y);
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < x.cols(); ++i) out(i, j) = value(item(left, i), item(right, j));
    }
  }

  void diagonal(const MatrixIn& x, VectorOut out) const override {
    const py::gil_scoped_acquire gil;
    Matrix one(1, 1);
    const py::list points = batches_ ? py::list() : points_of(x);
    for (Index i = 0; i < x.cols(); ++i) {
      if (batches_) {
        batch(x.col(i), x.col(i), one);
        out[i] = one(0, 0);
      } else {
        out[i] = value(item(points, i), item(points, i));
      }
    }
  }

  void check_dimension(Index) const override {}

 private:
  static py::list points_of(const MatrixIn& x) {
    py::list points;
    for (Index i = 0; i < x.cols(); ++i) points.append(py::cast(Vector(x.col(i))));
    return points;
  }

  static py::handle item(const py::list& points, Index i) { return PyList_GET_ITEM(points.ptr(), i); }

  double value(const py::handle& x, const py::handle& y) const {
    return checked((*function_)(x, y).cast<double>());
  }

  void batch(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const {
    const py::object returned = (*function_)(rows_of(x), rows_of(y));
    const Points values(returned, "the kernel function's values");
    const Eigen::Map<const Matrix> columns = values.columns();  // q x p: their rows are our columns
    if (values.flat() || columns.rows() != y.cols() || columns.cols() != x.cols()) {
      throw InvalidArgument(fmt::format(
          "the kernel function must return an array of {} x {} for so many points", x.cols(), y.cols()));
    }
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < x.cols(); ++i) out(i, j) = checked(columns(j, i));
    }
  }

  std::shared_ptr<const py::object> function_;
  bool batches_;
};

std::vector<KernelPtr> kernels_of(const std::vector<SpecifiedKernel>& parts) {
  std::vector<KernelPtr> kernels;
  for (const SpecifiedKernel& part : parts) kernels.push_back(part.kernel);
  return kernels;
}

SpecifiedKernel from_spec(const py::dict& given) {
  const KernelSpec spec = kernel_from_json(to_json(given), "kernel");
  return {make_kernel(spec), kernel_to_json(spec)};
}

const Json& own_kernel() {
  static const Json json = {{"type", "precomputed"}, {"gram", Json::array()}};
  return json;
}

}  // namespace

std::shared_ptr<const py::object> shared_object(py::object object) {
  return {new py::object(std::move(object)), [](const py::object* last) {
            const py::gil_scoped_acquire gil;
            delete last;
          }};
}

bool says_own_kernel(const Json& spec) {
  return spec.contains("kernel") && spec["kernel"] == own_kernel();
}

Spec spec_with(const Json& given, const SpecifiedKernel* kernel) {
  Json json = given;
  if (says_own_kernel(json)) {
    if (!kernel || kernel->spec)
      throw InvalidArgument(
          "the policy has a kernel function of its own, which no file holds: hand in the kernel");
    json.erase("kernel");
  }
  if (kernel && kernel->spec) json["kernel"] = *kernel->spec;
  Spec spec = spec_from_json(json);
  if (kernel && !kernel->spec) {
    spec.kernel = KernelSpec{};
    spec.kernel.type = KernelType::precomputed;
  }
  return spec;
}

void add_kernels(py::module_& module) {
  py::class_<SpecifiedKernel>(module, "Kernel", "A positive-definite function of two points.")
      .def(py::init(&from_spec), py::arg("spec"))
      .def(py::init([](const SpecifiedKernel& other) { return other; }), py::arg("other"))
      .def_static(
          "_of_function",
          [](const py::object& function, bool batches) {
            if (!PyCallable_Check(function.ptr())) throw InvalidArgument("function must be callable");
            return SpecifiedKernel{std::make_shared<PythonKernel>(function, batches), std::nullopt};
          },
          py::arg("function"), py::arg("batches") = false)
      .def_static(
          "_sum_of",
          [](const std::vector<SpecifiedKernel>& parts) {
            return SpecifiedKernel{sum(kernels_of(parts)), std::nullopt};
          },
          py::arg("parts"))
      .def_static(
          "_product_of",
          [](const std::vector<SpecifiedKernel>& parts) {
            return SpecifiedKernel{product(kernels_of(parts)), std::nullopt};
          },
          py::arg("parts"))
      .def_static(
          "_scaled",
          [](double factor, const SpecifiedKernel& part) {
            return SpecifiedKernel{scaled(factor, part.kernel), std::nullopt};
          },
          py::arg("factor"), py::arg("part"))
      .def_static(
          "_blocks_of",
          [](Index context_dim, const SpecifiedKernel& context, const SpecifiedKernel& action) {
            return SpecifiedKernel{block_product(context_dim, context.kernel, action.kernel), std::nullopt};
          },
          py::arg("context_dim"), py::arg("context"), py::arg("action"))
      .def_property_readonly(
          "spec", [](const SpecifiedKernel& self) { return self.spec ? from_json(*self.spec) : py::none(); },
          R"(
The kernel as a spec has it; None if a function is part of it.

>>> rr.Matern32(0.2).spec
{'type': 'matern32', 'lengthscale': 0.2, 'variance': 1.0}
)")
      .def(
          "gram",
          [](const SpecifiedKernel& self, const py::object& x, const py::object& y) {
            const Points left(x, "x"), right(y.is_none() ? x : y, "y");
            const py::gil_scoped_release release;
            const Eigen::Map<const Matrix> p = left.columns(), q = right.columns();
            self.kernel->check_dimension(p.rows());
            if (p.rows() != q.rows())
              throw InvalidArgument(
                  fmt::format("x and y must have the same dimension, got {} and {}", p.rows(), q.rows()));
            return gram(*self.kernel, p, q);
          },
          py::arg("x"), py::arg("y") = py::none(), R"(
The kernel's values between the rows of x and those of y (of x, if there is no y).

>>> rr.Linear().gram([[1.0], [2.0]], [[3.0]])
array([[3.],
       [6.]])
)")
      .def(
          "diagonal",
          [](const SpecifiedKernel& self, const py::object& x) {
            const Points points(x, "x");
            const py::gil_scoped_release release;
            self.kernel->check_dimension(points.columns().rows());
            return diagonal(*self.kernel, points.columns());
          },
          py::arg("x"), R"(
The kernel's values between each row of x and itself.

>>> rr.Linear().diagonal([[1.0], [2.0]])
array([1., 4.])
)");
}

}  // namespace ridgerunner::python
