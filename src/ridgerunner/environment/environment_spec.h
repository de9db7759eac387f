#pragma once

#include <string>
#include <vector>

#include "ridgerunner/environment/environment.h"

namespace ridgerunner {

enum class EnvironmentType { bump, chessboard, step_diagonal, rkhs_sample, taylor_function, gp_draw };
enum class Draw {
  fresh,
  paper
};  // fresh: from the run's seed; paper: the one fixed draw of the EK-UCB authors

// A problem as a plain value; with a seed it becomes an Environment.
struct EnvironmentSpec {
  EnvironmentType type = EnvironmentType::rkhs_sample;
  Draw draw = Draw::fresh;  // bump, chessboard, step_diagonal
  Index actions = 10;       // bump, chessboard, step_diagonal: action anchors
  Index dimension = 3;      // rkhs_sample
  Index candidates = 100;   // rkhs_sample: a round; taylor_function, gp_draw: arms
  bool fixed_arms = false;  // rkhs_sample: draw the candidates once, for all rounds
  Index inducing = 20;      // rkhs_sample: points that span the function
  Index features = 60;      // taylor_function: terms of the expansion
  double norm = 10;         // rkhs_sample, taylor_function
  double noise_sd = 0.1;
  KernelSpec kernel;  // rkhs_sample, taylor_function and gp_draw (gaussian), and the one suggested

  bool operator==(const EnvironmentSpec&) const = default;
};

const char* name(EnvironmentType type);
bool is_anchored(
    EnvironmentType type);  // contexts with a few action anchors: bump, chessboard, step_diagonal
std::vector<EnvironmentType> environment_types();

// The problem as its paper has it.
EnvironmentSpec default_environment(EnvironmentType type);

// Throws InvalidArgument, naming the parameter, if the spec makes no sense.
EnvironmentPtr make_environment(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
