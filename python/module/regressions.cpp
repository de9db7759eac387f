#include "regressions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/archive/engine_archive.h>
#include <ridgerunner/regression/capabilities.h>
#include <ridgerunner/regression/joint_prediction.h>

#include "arrays.h"
#include "specs.h"

namespace ridgerunner::python {
namespace {

std::unique_ptr<SharedRegression> make(const py::dict& given, const SpecifiedKernel* kernel) {
  Spec spec = spec_with(to_json(given), kernel);
  auto regression = make_regression(spec, kernel ? kernel->kernel : nullptr);
  return std::make_unique<SharedRegression>(std::move(regression), std::move(spec));
}

void observe(SharedRegression& self, const py::object& states, const py::object& rewards) {
  const Numbers received(rewards, "rewards");
  if (received.single()) {
    const Point at(states, "states");
    self.guarded.use([&](RegressionPtr& model) { model->observe(at.values(), received.values()); });
    return;
  }
  const Points at(states, "states");
  self.guarded.use([&](RegressionPtr& model) { model->observe(at.columns(), received.values()); });
}

py::tuple predict(SharedRegression& self, const py::object& states) {
  const Points at(states, "states");
  Prediction prediction = self.guarded.use(
      [&](const RegressionPtr& model) { return ridgerunner::predict(*model, at.columns()); });
  return py::make_tuple(std::move(prediction.mean), std::move(prediction.sd), std::move(prediction.prior));
}

Matrix covariance(SharedRegression& self, const py::object& states) {
  const Points at(states, "states");
  return self.guarded.use([&](const RegressionPtr& model) {
    Workspace workspace;
    const JointPrediction joint = predict_jointly(*model, at.columns(), workspace);
    Matrix out(at.size(), at.size());
    joint.covariance(0, 0, out);
    return out;
  });
}

std::unique_ptr<SharedRegression> restore(const py::bytes& archive, SharedRegression& fresh) {
  ByteReader in{std::string_view(archive)};
  auto regression = fresh.guarded.use([](const RegressionPtr& model) { return model->clone(); });
  read_engine(in, *regression, fresh.spec.arms ? fresh.spec.arms->cols() : 0);
  in.finish();
  return std::make_unique<SharedRegression>(std::move(regression), fresh.spec);
}

std::string text_of(const Evidence& evidence) {
  return fmt::format(
      "Evidence(rounds={}, anchors={}, ridge={}, log_determinant={}, sum_of_squares={}, quadratic_form={})",
      evidence.rounds, evidence.anchors, evidence.ridge, evidence.log_determinant, evidence.sum_of_squares,
      evidence.quadratic_form);
}

void add_evidence(py::module_& module) {
  py::class_<Evidence>(module, "Evidence", "What a theorem may know of the data.")
      .def(py::init([](Index rounds, Index anchors, double ridge, double log_determinant,
                       double sum_of_squares, double quadratic_form, double residual_sum, double variance_sum,
                       double largest_prior, bool arrival_features, double batch_growth, double draw_growth) {
             return Evidence{rounds,         anchors,          ridge,        log_determinant,
                             sum_of_squares, quadratic_form,   residual_sum, variance_sum,
                             largest_prior,  arrival_features, batch_growth, draw_growth};
           }),
           py::kw_only(), py::arg("rounds") = 0, py::arg("anchors") = 0, py::arg("ridge") = 1.0,
           py::arg("log_determinant") = 0.0, py::arg("sum_of_squares") = 0.0, py::arg("quadratic_form") = 0.0,
           py::arg("residual_sum") = 0.0, py::arg("variance_sum") = 0.0, py::arg("largest_prior") = 0.0,
           py::arg("arrival_features") = false, py::arg("batch_growth") = 1.0, py::arg("draw_growth") = 1.0)
      .def_readonly("rounds", &Evidence::rounds)
      .def_readonly("anchors", &Evidence::anchors)
      .def_readonly("ridge", &Evidence::ridge)
      .def_readonly("log_determinant", &Evidence::log_determinant)
      .def_readonly("sum_of_squares", &Evidence::sum_of_squares)
      .def_readonly("quadratic_form", &Evidence::quadratic_form)
      .def_readonly("residual_sum", &Evidence::residual_sum)
      .def_readonly("variance_sum", &Evidence::variance_sum)
      .def_readonly("largest_prior", &Evidence::largest_prior)
      .def_readonly("arrival_features", &Evidence::arrival_features)
      .def_readonly("batch_growth", &Evidence::batch_growth)
      .def_readonly("draw_growth", &Evidence::draw_growth)
      .def("__repr__", &text_of);
}

}  // namespace

void add_regressions(py::module_& module) {
  add_evidence(module);
  py::class_<SharedRegression>(module, "Regression", "A model of the reward.")
      .def(py::init(&make), py::arg("spec"), py::arg("kernel") = py::none())
      .def(py::init([](SharedRegression& other) {
             return std::make_unique<SharedRegression>(
                 other.guarded.use([](const RegressionPtr& model) { return model->clone(); }), other.spec);
           }),
           py::arg("other"))
      .def(py::init(&restore), py::arg("archive"), py::arg("fresh"))
      .def("observe", &observe, py::arg("states"), py::arg("rewards"), R"(
Learns the rewards of states in rows, or the reward of one.

>>> model = rr.Regression("exact"); model.observe([[0.1], [0.2]], [1.0, 2.0])
>>> model.evidence().rounds
2
)")
      .def("_prediction", &predict, py::arg("states"))
      .def("covariance", &covariance, py::arg("states"), R"(
The posterior covariances between the rows of `states`, divided by the ridge; the diagonal is sd squared.

>>> rr.Regression("exact", kernel=rr.Linear(), ridge=2.0).covariance([[1.0], [2.0]])
array([[0.5, 1. ],
       [1. , 2. ]])
)")
      .def(
          "evidence",
          [](SharedRegression& self) {
            return self.guarded.use([](const RegressionPtr& model) { return model->evidence(); });
          },
          R"(
What a bound may know of the data.

>>> rr.Regression("exact", ridge=0.5).evidence().ridge
0.5
)")
      .def(
          "diagnostics",
          [](SharedRegression& self) {
            const Diagnostics quality =
                self.guarded.use([](const RegressionPtr& model) { return diagnostics_of(*model); });
            py::dict answer;
            answer["effective_dimension"] = quality.effective_dimension;
            answer["projection_error"] = quality.projection_error;
            return answer;
          },
          R"(
How good an approximation is: effective dimension, and an estimate of what the anchors miss.

>>> sorted(rr.Regression("kors").diagnostics())
['effective_dimension', 'projection_error']
)")
      .def_property_readonly(
          "anchors",
          [](SharedRegression& self) {
            return rows_of(self.guarded.use([](const RegressionPtr& model) { return anchors_of(*model); }));
          },
          R"(
The states that the model rests on, in rows.

>>> model = rr.Regression("exact"); model.observe([[0.5, 0.1]], [1.0]); model.anchors
array([[0.5, 0.1]])
)")
      .def(
          "archive",
          [](SharedRegression& self) {
            return py::bytes(self.guarded.use([](const RegressionPtr& model) {
              ByteWriter out;
              write_engine(out, *model);
              return out.take();
            }));
          },
          R"(
All it has learnt, as bytes.

>>> isinstance(rr.Regression("exact").archive(), bytes)
True
)")
      .def_property_readonly(
          "spec",
          [](const SharedRegression& self) {
            Json spec = spec_to_json(self.spec);
            if (says_own_kernel(spec)) spec["kernel"] = nullptr;
            return from_json(spec);
          },
          R"(
Its parameters, as in a policy's spec.

>>> rr.Regression("bkb").spec["regression"]["type"]
'bkb'
)");
}

}  // namespace ridgerunner::python
