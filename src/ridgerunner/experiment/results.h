#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgerunner/experiment/experiment_spec.h"
#include "ridgerunner/experiment/run.h"

namespace ridgerunner {

// Where results come from.
struct Provenance {
  std::string version;  // of ridgerunner
  std::string machine;  // processor, cores
  std::string compiler;
  std::string time;  // when, UTC

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("version", &Provenance::version, any_value(), "of ridgerunner");
    visit("machine", &Provenance::machine, any_value(), "processor, cores");
    visit("compiler", &Provenance::compiler, any_value(), "");
    visit("time", &Provenance::time, any_value(), "when, UTC");
  }
};

struct PolicyResults {
  std::string label;
  Spec spec;  // of the first run
  std::vector<Trajectory> runs;
};

struct Results {
  ExperimentSpec spec;
  Provenance provenance;
  std::vector<std::int64_t> rounds;  // at which trajectories are recorded
  std::vector<PolicyResults> policies;
};

// A versioned JSON text, and back. Numbers read back exactly. results_from_json() refuses other formats and
// versions than this one and the one before.
std::string results_to_json(const Results& results);
Results results_from_json(std::string_view text);

// The same for one run. trajectory_from_json() refuses curves that do not have `size` entries; `path` names
// the run in errors.
Json trajectory_to_json(const Trajectory& run);
Trajectory trajectory_from_json(const Json& json, const std::string& path, std::size_t size);

// Mean and standard deviation over runs (0 for a single run).
struct Summary {
  double mean = 0, sd = 0;
};
Summary summarise(const std::vector<double>& values);

// The last entries of one of a trajectory's curves, run by run.
std::vector<double> final_values(const std::vector<Trajectory>& runs, std::vector<double> Trajectory::*which);

// Mean and standard deviation at every recorded round of one of a trajectory's curves.
struct Curve {
  std::vector<double> mean, sd;
};
Curve curve(const std::vector<Trajectory>& runs, std::vector<double> Trajectory::*which);

}  // namespace ridgerunner
