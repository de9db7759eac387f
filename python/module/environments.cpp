#include "environments.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/environment/seeded_environment.h>
#include <ridgerunner/error.h>
#include <ridgerunner/experiment/experiment_spec.h>

#include "arrays.h"
#include "kernels.h"
#include "specs.h"

namespace ridgerunner::python {
namespace {

// What a problem of Python functions is made of.
struct Functions {
  std::shared_ptr<const py::object> reward;      // of n x d states: n expected rewards
  std::shared_ptr<const py::object> candidates;  // of (seed, round): n x d states
};

class PythonEnvironment final : public SeededEnvironment {
 public:
  PythonEnvironment(Facts facts, Functions functions, std::uint64_t seed)
      : SeededEnvironment(std::move(facts), seed), functions_(std::move(functions)) {}

  void offer(std::uint64_t round, Offer& out) const override {
    const py::gil_scoped_acquire gil;
    const py::object states = (*functions_.candidates)(seed(), round);
    const Points offered(states, "candidates");
    const Numbers expected((*functions_.reward)(states), "the rewards");
    const Index dimension = facts().dimension;
    if (offered.size() == 0) throw InvalidArgument("candidates must not be empty");
    if (dimension > 0 && offered.columns().rows() != dimension)
      throw InvalidArgument(
          fmt::format("candidates must have dimension {}, got {}", dimension, offered.columns().rows()));
    if (!expected.several() || expected.values().size() != offered.size())
      throw InvalidArgument(
          fmt::format("the reward function must return {} numbers, one for each candidate, got {}",
                      offered.size(), expected.values().size()));
    if (!expected.values().allFinite()) throw InvalidArgument("the rewards must be finite");
    out.states = offered.columns();
    out.expected = expected.values();
  }

 private:
  Functions functions_;
};

Problem of_spec(const py::dict& given, std::uint64_t seed) {
  const EnvironmentSpec spec = environment_from_json(to_json(given));
  const auto make = [spec](std::uint64_t run) { return make_environment(spec, run); };
  return {make, spec, make(seed)};
}

Problem of_functions(const py::object& reward, const py::object& candidates, const SpecifiedKernel& kernel,
                     double noise_sd, std::optional<double> norm, bool fixed_arms, std::uint64_t seed) {
  require_at_least("noise_sd", noise_sd, 0);
  if (norm) require_positive("norm", *norm);
  if (!kernel.spec)
    throw InvalidArgument("the kernel of an environment must not be a function: policies may have one");
  Facts facts;
  facts.kernel = kernel_from_json(*kernel.spec, "kernel");
  facts.noise_sd = noise_sd;
  facts.norm = norm;
  facts.fixed_arms = fixed_arms;
  const Functions functions{shared_object(reward), shared_object(candidates)};
  {
    Offer first;
    PythonEnvironment(facts, functions, seed).offer(0, first);
    facts.dimension = first.states.rows();
  }
  kernel.kernel->check_dimension(facts.dimension);
  const auto make = [facts, functions](std::uint64_t run) -> EnvironmentPtr {
    return std::make_shared<PythonEnvironment>(facts, functions, run);
  };
  return {make, std::nullopt, make(seed)};
}

py::dict facts_of(const Facts& facts) {
  py::dict dict;
  dict["dimension"] = facts.dimension;
  dict["kernel"] = from_json(kernel_to_json(facts.kernel));
  dict["noise_sd"] = facts.noise_sd;
  dict["norm"] = facts.norm;
  dict["ceiling"] = facts.ceiling;
  dict["fixed_arms"] = facts.fixed_arms;
  return dict;
}

}  // namespace

void add_environments(py::module_& module) {
  py::class_<Problem>(module, "Environment", "A problem: a function of its seed and of the round.")
      .def(py::init(&of_spec), py::arg("spec"), py::arg("seed"))
      .def(py::init(&of_functions), py::arg("reward"), py::arg("candidates"), py::arg("kernel"),
           py::arg("noise_sd"), py::arg("norm"), py::arg("fixed_arms"), py::arg("seed"))
      .def(
          "_offered",
          [](const Problem& self, std::uint64_t round) {
            Offer offer;
            {
              const py::gil_scoped_release release;
              self.environment->offer(round, offer);
            }
            return py::make_tuple(rows_of(std::move(offer.states)), std::move(offer.expected));
          },
          py::arg("round"))
      .def(
          "noise", [](const Problem& self, std::uint64_t round) { return self.environment->noise(round); },
          py::arg("round"), R"(
The noise of a round, added to the expected reward of the chosen candidate.

>>> problem = rr.Environment("bump", noise_sd=0.5)
>>> problem.noise(3) == problem.noise(3)
True
)")
      .def_property_readonly(
          "facts", [](const Problem& self) { return facts_of(self.environment->facts()); }, R"(
What a modeller would know: dimension, kernel, noise_sd, norm, ceiling, fixed_arms.

>>> rr.Environment("bump").facts["dimension"]
6
)")
      .def_property_readonly(
          "spec",
          [](const Problem& self) {
            return self.spec ? from_json(environment_to_json(*self.spec)) : py::none();
          },
          R"(
The problem's spec; None for a problem of Python functions.

>>> rr.Environment("chessboard", actions=4).spec["actions"]
4
)");
  module.def("environment_names", [] {
    std::vector<std::string> names;
    for (const EnvironmentType type : environment_types()) names.emplace_back(name(type));
    return names;
  });
}

}  // namespace ridgerunner::python
