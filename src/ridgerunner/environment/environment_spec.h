#pragma once

#include <string>
#include <vector>

#include "ridgerunner/codec/fields.h"
#include "ridgerunner/codec/range.h"
#include "ridgerunner/environment/environment.h"

namespace ridgerunner {

enum class EnvironmentType {
  bump,
  chessboard,
  step_diagonal,
  rkhs_sample,
  taylor_function,
  gp_draw,
  pricing
};
enum class Draw { fresh, paper };  // from the run's seed, or the one fixed draw of the EK-UCB authors

const char* name(EnvironmentType type);
const Names<EnvironmentType>& names_of(EnvironmentType);
const Names<Draw>& names_of(Draw);
bool is_anchored(
    EnvironmentType type);  // contexts with a few action anchors: bump, chessboard, step_diagonal

// A problem as a plain value; with a seed it becomes an Environment.
struct EnvironmentSpec {
  EnvironmentType type = EnvironmentType::rkhs_sample;
  Draw draw = Draw::fresh;  // bump, chessboard, step_diagonal
  Index actions = 10;       // bump, chessboard, step_diagonal: action anchors; pricing: prices
  Index dimension = 3;      // rkhs_sample
  Index candidates = 100;   // rkhs_sample: a round; taylor_function, gp_draw: arms
  bool fixed_arms = false;  // rkhs_sample: draw the candidates once, for all rounds
  Index inducing = 20;      // rkhs_sample: points that span the function
  Index features = 60;      // taylor_function: terms of the expansion
  double norm = 10;         // rkhs_sample, taylor_function
  double noise_sd = 0.1;
  KernelSpec kernel;  // rkhs_sample, taylor_function and gp_draw (gaussian), and the one suggested

  bool operator==(const EnvironmentSpec&) const = default;

  // But for the type and the kernel.
  template <class Visit>
  static void fields(Visit&& visit) {
    using Self = EnvironmentSpec;
    using enum EnvironmentType;
    constexpr double kMost = 100'000;  // more than any experiment needs
    const auto anchored = [](const Self& s) { return is_anchored(s.type); };
    const auto sample = [](const Self& s) { return s.type == rkhs_sample; };
    visit("draw", &Self::draw, any_value(), "from the run's seed, or the paper's", anchored);
    visit("actions", &Self::actions, integer_from(1, kMost), "action anchors", anchored);
    visit("candidates", &Self::candidates, integer_from(1, kMost), "a round, or arms",
          [](const Self& s) { return !is_anchored(s.type) && s.type != gp_draw && s.type != pricing; });
    visit("actions", &Self::actions, integer_from(1, 1000), "prices",
          [](const Self& s) { return s.type == pricing; });
    visit("candidates", &Self::candidates, integer_from(1, 5000), "arms, whose Gram matrix is factored",
          [](const Self& s) { return s.type == gp_draw; });
    visit("dimension", &Self::dimension, integer_from(1, kMost), "of the states", sample);
    visit("inducing", &Self::inducing, integer_from(1, kMost), "points that span the function", sample);
    visit("fixed_arms", &Self::fixed_arms, any_value(), "the same candidates every round", sample);
    visit("features", &Self::features, integer_from(1, kMost), "terms of the expansion",
          [](const Self& s) { return s.type == taylor_function; });
    visit("norm", &Self::norm, positive(), "of the function",
          [](const Self& s) { return s.type == rkhs_sample || s.type == taylor_function; });
    visit("noise_sd", &Self::noise_sd, at_least(0), "of the Gaussian noise");
  }
};
std::vector<EnvironmentType> environment_types();

// The problem as its paper has it.
EnvironmentSpec default_environment(EnvironmentType type);

// Throws InvalidArgument, naming the parameter, if the spec makes no sense.
EnvironmentPtr make_environment(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
