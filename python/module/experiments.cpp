#include <chrono>
#include <future>
#include <mutex>

#include <nlohmann/json.hpp>

#include <ridgerunner/error.h>
#include <ridgerunner/experiment/sweep.h>
#include <ridgerunner/report/comparison.h>
#include <ridgerunner/version.h>

#include "environments.h"
#include "kernels.h"
#include "specs.h"

namespace ridgerunner::python {
namespace {

using Curves = std::vector<double> Trajectory::*;
using NamedPolicy = std::tuple<std::string, py::dict, std::optional<SpecifiedKernel>>;

ExperimentSpec experiment(const Problem& problem, const std::vector<NamedPolicy>& policies,
                          std::int64_t horizon, std::int64_t runs, std::uint64_t seed) {
  ExperimentSpec spec;
  if (problem.spec) {
    spec.environment = *problem.spec;
  } else {
    spec.own_environment = problem.make;
  }
  for (const auto& [label, given, kernel] : policies) {
    Json json = to_json(given);
    if (kernel && kernel->spec) json["kernel"] = *kernel->spec;
    Contender contender{label, json, nullptr};
    if (kernel && !kernel->spec) contender.kernel = kernel->kernel;
    spec.policies.push_back(std::move(contender));
  }
  spec.horizon = horizon;
  spec.runs = runs;
  spec.seed = seed;
  return spec;
}

// Python's signals are seen on its main thread only, so the sweep has threads of its own and the caller's
// looks after signals and progress a few times a second.
Results compare(const Problem& problem, const std::vector<NamedPolicy>& policies, std::int64_t horizon,
                std::int64_t runs, int threads, std::uint64_t seed, const py::object& on_progress,
                const Provenance& provenance) {
  const ExperimentSpec spec = experiment(problem, policies, horizon, runs, seed);
  std::mutex mutex;
  Progress progress;
  std::stop_source stop;
  SweepOptions options;
  options.threads = threads;
  options.stop = stop.get_token();
  options.on_progress = [&](const Progress& now) {
    const std::lock_guard lock(mutex);
    progress = now;
    return true;
  };
  const py::gil_scoped_release release;
  auto running = std::async(std::launch::async, [&] { return sweep(spec, options); });
  const auto look = [&] {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (on_progress.is_none()) return;
    const Progress now = [&] {
      const std::lock_guard lock(mutex);
      return progress;
    }();
    on_progress(now.rounds_done, now.rounds_total);
  };
  constexpr std::chrono::milliseconds kNap(50);
  while (running.wait_for(kNap) != std::future_status::ready) {
    try {
      look();
    } catch (...) {
      stop.request_stop();
      running.wait();
      throw;
    }
  }
  std::optional<Results> results = running.get();
  look();
  if (!results) throw InvalidArgument("stopped");
  results->provenance = provenance;
  return std::move(*results);
}

const std::vector<std::pair<std::string, Curves>>& curves() {
  static const std::vector<std::pair<std::string, Curves>> all = {
      {"regret", &Trajectory::regret},           {"ceiling_regret", &Trajectory::ceiling_regret},
      {"reward", &Trajectory::reward},           {"seconds", &Trajectory::seconds},
      {"anchors", &Trajectory::anchors},         {"noise_lower", &Trajectory::noise_lower},
      {"noise_upper", &Trajectory::noise_upper}, {"ridge", &Trajectory::ridge}};
  return all;
}

// runs x rounds; no columns where the policy has no such curve.
Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> curve_of(const Results& results,
                                                                                std::size_t policy,
                                                                                const std::string& name) {
  for (const auto& [known, which] : curves()) {
    if (known != name) continue;
    const auto& runs = results.policies.at(policy).runs;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> out(
        std::ssize(runs), runs.empty() ? 0 : std::ssize(runs[0].*which));
    for (Index r = 0; r < out.rows(); ++r) {
      const auto& values = runs[static_cast<std::size_t>(r)].*which;
      out.row(r) = Eigen::Map<const Eigen::RowVectorXd>(values.data(), out.cols());
    }
    return out;
  }
  throw InvalidArgument("no such curve: " + name);
}

py::dict provenance_of(const Provenance& from) {
  py::dict dict;
  dict["version"] = from.version;
  dict["machine"] = from.machine;
  dict["compiler"] = from.compiler;
  dict["time"] = from.time;
  return dict;
}

py::list ends_of(const Results& results, std::size_t policy) {
  py::list ends;
  for (const Trajectory& run : results.policies.at(policy).runs) {
    py::dict end;
    end["log_determinant"] = run.log_determinant;
    end["effective_dimension"] = run.effective_dimension;
    end["projection_error"] = run.projection_error;
    end["clamped"] = run.clamped;
    end["empty_since"] = run.empty_since;
    ends.append(end);
  }
  return ends;
}

std::string to_file(const Results& results) {
  bool own = static_cast<bool>(results.spec.own_environment);
  for (const Contender& contender : results.spec.policies) own = own || contender.kernel;
  if (own) throw InvalidArgument("results of Python functions cannot be written: no file holds a function");
  return results_to_json(results);
}

}  // namespace

void add_experiments(py::module_& module) {
  py::class_<Results>(module, "RawResults", "What happened in a comparison.")
      .def_property_readonly("rounds",
                             [](const Results& self) {
                               return Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>(
                                   Eigen::Map<const Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>>(
                                       self.rounds.data(), std::ssize(self.rounds)));
                             })
      .def_property_readonly("labels",
                             [](const Results& self) {
                               std::vector<std::string> labels;
                               for (const PolicyResults& policy : self.policies)
                                 labels.push_back(policy.label);
                               return labels;
                             })
      .def_property_readonly("provenance", [](const Results& self) { return provenance_of(self.provenance); })
      .def_property_readonly("horizon", [](const Results& self) { return self.spec.horizon; })
      .def_property_readonly("runs", [](const Results& self) { return self.spec.runs; })
      .def_property_readonly("seed", [](const Results& self) { return self.spec.seed; })
      .def_property_readonly("environment",
                             [](const Results& self) -> py::object {
                               if (self.spec.own_environment) return py::none();
                               return from_json(environment_to_json(self.spec.environment));
                             })
      .def(
          "spec_of",
          [](const Results& self, std::size_t policy) {
            return from_json(spec_to_json(self.policies.at(policy).spec));
          },
          py::arg("policy"))
      .def("curve", &curve_of, py::arg("policy"), py::arg("name"))
      .def("ends", &ends_of, py::arg("policy"))
      .def("title", &comparison_title)
      .def("table", [](const Results& self) { return to_text(comparison_table(self)); })
      .def("table_html", [](const Results& self) { return to_html(comparison_table(self)); })
      .def("findings", &findings)
      .def("report", [](const Results& self) { return to_html(comparison_page(self)); })
      .def("to_json", &to_file)
      .def_static(
          "from_json", [](const std::string& text) { return results_from_json(text); }, py::arg("text"));
  module.def(
      "compare",
      [](const Problem& problem, const std::vector<NamedPolicy>& policies, std::int64_t horizon,
         std::int64_t runs, int threads, std::uint64_t seed, const py::object& on_progress,
         const std::string& machine, const std::string& time) {
        const Provenance provenance{kVersion, machine, "g++ " __VERSION__, time};
        return compare(problem, policies, horizon, runs, threads, seed, on_progress, provenance);
      },
      py::arg("environment"), py::arg("policies"), py::arg("horizon"), py::arg("runs"), py::arg("threads"),
      py::arg("seed"), py::arg("on_progress"), py::arg("machine"), py::arg("time"));
  module.attr("curves") = [] {
    py::list names;
    for (const auto& [name, which] : curves()) names.append(name);
    return py::tuple(names);
  }();
}

}  // namespace ridgerunner::python
