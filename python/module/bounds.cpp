#include <nlohmann/json.hpp>

#include <ridgerunner/bounds/abbasi2012_self_normalized.h>
#include <ridgerunner/bounds/bound.h>
#include <ridgerunner/bounds/calandriello2019_bkb.h>
#include <ridgerunner/bounds/chowdhury2017_igp.h>
#include <ridgerunner/bounds/flynn2024_mixtures.h>
#include <ridgerunner/bounds/wang2014.h>
#include <ridgerunner/bounds/zenati2022_ekucb.h>
#include <ridgerunner/selection/best_of_mixture.h>

#include "arrays.h"
#include "regressions.h"
#include "specs.h"

namespace ridgerunner::python {
namespace {

struct SpecifiedBound {
  BoundPtr bound;
  Json spec;
};

SpecifiedBound make(const py::dict& given) {
  const Spec spec = spec_from_json(to_json(given));
  return {make_bound(spec), spec_to_json(spec)["bound"]};
}

Band band(const SpecifiedBound& self, SharedRegression& regression, const py::object& states) {
  const Points at(states, "states");
  return regression.guarded.use([&](const RegressionPtr& model) {
    const Evidence evidence = model->evidence();
    if (const auto radius = self.bound->radius(evidence))
      return radius_band(predict(*model, at.columns()), *radius);
    Workspace workspace;
    return mixture_band(*model, at.columns(), *self.bound->mixture(evidence), workspace);
  });
}

// radius(evidence, delta, norm_bound, noise_bound) of a numbered result.
template <class Inputs, auto radius>
void add_radius(py::module_& module, const char* name, const char* what) {
  module.def(
      name,
      [](const Evidence& evidence, double delta, double norm_bound, double noise_bound) {
        require_between("delta", delta, 0, 1);
        require_at_least("norm_bound", norm_bound, 0);
        require_at_least("noise_bound", noise_bound, 0);
        Inputs inputs;
        inputs.delta = delta;
        inputs.norm_bound = norm_bound;
        inputs.noise_bound = noise_bound;
        return radius(inputs, evidence);
      },
      py::arg("evidence"), py::arg("delta") = 0.01, py::arg("norm_bound") = 10.0,
      py::arg("noise_bound") = 0.1, what);
}

}  // namespace

void add_bounds(py::module_& module) {
  py::class_<SpecifiedBound>(module, "Bound", "A theorem, applied: from what the data say to a band.")
      .def(py::init(&make), py::arg("spec"))
      .def(
          "radius",
          [](const SpecifiedBound& self, const Evidence& evidence) { return self.bound->radius(evidence); },
          py::arg("evidence"), R"(
The r of mean ± r sd; None for dmm and cmm, which are no single radius.

>>> rr.Bound("fixed", radius=0.3).radius(rr.Evidence())
0.3
)")
      .def(
          "_band",
          [](const SpecifiedBound& self, SharedRegression& regression, const py::object& states) {
            Band at = band(self, regression, states);
            return py::make_tuple(std::move(at.lower), std::move(at.upper));
          },
          py::arg("regression"), py::arg("states"))
      .def_property_readonly(
          "spec", [](const SpecifiedBound& self) { return from_json(self.spec); }, R"(
Its parameters.

>>> rr.Bound("amm", delta=0.2).spec["delta"]
0.2
)");
  add_radius<bounds::SelfNormalized, &abbasi2012_radius>(module, "abbasi2012_radius",
                                                         "Abbasi-Yadkori 2012, Cor. 3.15.");
  add_radius<bounds::Igp, &chowdhury2017_radius>(module, "chowdhury2017_radius",
                                                 "Chowdhury & Gopalan 2017, Theorem 2.");
  add_radius<bounds::WangDeFreitas, &wang2014_radius>(module, "wang2014_radius", "Wang & de Freitas 2014.");
  add_radius<BkbInputs, &calandriello2019_radius>(module, "calandriello2019_radius",
                                                  "Calandriello et al. 2019, Theorem 9.");
  add_radius<EkUcbInputs, &zenati2022_radius>(module, "zenati2022_radius", "Zenati et al. 2022, Lemma 4.1.");
  add_radius<MixtureInputs, &flynn2024_amm_radius>(module, "flynn2024_amm_radius",
                                                   "Flynn & Reeb 2024, Corollary 4.6 at the model's ridge.");
}

}  // namespace ridgerunner::python
