#include "ridgerunner/environment/environment_spec.h"

#include <algorithm>

#include <fmt/format.h>

#include "ridgerunner/environment/bump.h"
#include "ridgerunner/environment/chessboard.h"
#include "ridgerunner/environment/gp_draw.h"
#include "ridgerunner/environment/pricing.h"
#include "ridgerunner/environment/rkhs_sample.h"
#include "ridgerunner/environment/step_diagonal.h"
#include "ridgerunner/environment/taylor_function.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

Index state_dimension(const EnvironmentSpec& spec) {
  switch (spec.type) {
    case EnvironmentType::bump:
      return Bump::context_dim + 1;
    case EnvironmentType::chessboard:
    case EnvironmentType::step_diagonal:
      return 2;
    case EnvironmentType::rkhs_sample:
      return spec.dimension;
    case EnvironmentType::taylor_function:
    case EnvironmentType::gp_draw:
      return 1;
    case EnvironmentType::pricing:
      return Pricing::dimension;
  }
  throw InvalidArgument("unknown environment type");
}

void require_count(const char* name, Index value, Index least) {
  require_at_least(name, static_cast<double>(value), static_cast<double>(least));
}

bool needs_indices(const KernelSpec& kernel) {
  return kernel.type == KernelType::precomputed ||
         std::any_of(kernel.parts.begin(), kernel.parts.end(), needs_indices);
}

void validate_anchors(const EnvironmentSpec& spec) {
  require_count("actions", spec.actions, 1);
  if (spec.actions > 100) throw InvalidArgument(fmt::format("actions must be <= 100, got {}", spec.actions));
  if (spec.draw == Draw::paper && spec.actions != 10) {
    throw InvalidArgument(fmt::format("actions must be 10 where draw is paper, got {}", spec.actions));
  }
  if (spec.fixed_arms) {
    throw InvalidArgument(fmt::format("fixed_arms must be false for {}, got true", name(spec.type)));
  }
}

void validate_taylor_kernel(const KernelSpec& kernel) {
  if (kernel.type != KernelType::gaussian) {
    throw InvalidArgument(
        fmt::format("kernel must be gaussian for taylor_function, got {}", name(kernel.type)));
  }
}

void validate(const EnvironmentSpec& spec) {
  require_at_least("noise_sd", spec.noise_sd, 0);
  if (is_anchored(spec.type)) {
    validate_anchors(spec);
  } else if (spec.draw == Draw::paper) {
    throw InvalidArgument(fmt::format("draw must be fresh for {}, got paper", name(spec.type)));
  }
  if (spec.type == EnvironmentType::rkhs_sample) {
    require_count("dimension", spec.dimension, 1);
    require_count("candidates", spec.candidates, 1);
    require_count("inducing", spec.inducing, 1);
    require_positive("norm", spec.norm);
  }
  if (spec.type == EnvironmentType::taylor_function) {
    require_count("candidates", spec.candidates, 2);
    require_count("features", spec.features, 1);
    require_positive("norm", spec.norm);
    validate_taylor_kernel(spec.kernel);
  }
  if (spec.type == EnvironmentType::pricing) require_count("actions", spec.actions, 1);
  if (spec.type == EnvironmentType::gp_draw) require_count("candidates", spec.candidates, 2);
  if (needs_indices(spec.kernel)) {
    throw InvalidArgument(
        fmt::format("kernel must be one of vectors for {}, got precomputed", name(spec.type)));
  }
  make_kernel(spec.kernel)->check_dimension(state_dimension(spec));
}

}  // namespace

bool is_anchored(EnvironmentType type) {
  return type == EnvironmentType::bump || type == EnvironmentType::chessboard ||
         type == EnvironmentType::step_diagonal;
}

const Names<EnvironmentType>& names_of(EnvironmentType) {
  using enum EnvironmentType;
  static const Names<EnvironmentType> names = {
      {bump, "bump"},
      {chessboard, "chessboard"},
      {step_diagonal, "step_diagonal"},
      {rkhs_sample, "rkhs_sample"},
      {taylor_function, "taylor_function"},
      {gp_draw, "gp_draw"},
      {pricing, "pricing"},
  };
  return names;
}

const Names<Draw>& names_of(Draw) {
  static const Names<Draw> names = {{Draw::fresh, "fresh"}, {Draw::paper, "paper"}};
  return names;
}

const char* name(EnvironmentType type) {
  return name_in(names_of(type), type);
}

std::vector<EnvironmentType> environment_types() {
  std::vector<EnvironmentType> types;
  for (const auto& [type, word] : names_of(EnvironmentType{})) types.push_back(type);
  return types;
}

EnvironmentSpec default_environment(EnvironmentType type) {
  EnvironmentSpec spec;
  spec.type = type;
  switch (type) {
    case EnvironmentType::bump:
    case EnvironmentType::chessboard:
    case EnvironmentType::step_diagonal:
      spec.kernel.lengthscale = {0.1};
      break;
    case EnvironmentType::rkhs_sample:
      spec.kernel.type = KernelType::matern52;
      spec.kernel.lengthscale = {0.5};
      break;
    case EnvironmentType::taylor_function:
      spec.kernel.lengthscale = {0.3};
      spec.norm = 2.06;
      break;
    case EnvironmentType::gp_draw:
      spec.kernel.lengthscale = {0.1};
      break;
    case EnvironmentType::pricing:  // the kernel is the usual one: nobody has looked at the data
      spec.noise_sd = 2;
      break;
  }
  return spec;
}

EnvironmentPtr make_environment(const EnvironmentSpec& spec, std::uint64_t seed) {
  validate(spec);
  switch (spec.type) {
    case EnvironmentType::bump:
      return bump(spec, seed);
    case EnvironmentType::chessboard:
      return chessboard(spec, seed);
    case EnvironmentType::step_diagonal:
      return step_diagonal(spec, seed);
    case EnvironmentType::rkhs_sample:
      return rkhs_sample(spec, seed);
    case EnvironmentType::taylor_function:
      return taylor_function(spec, seed);
    case EnvironmentType::gp_draw:
      return gp_draw(spec, seed);
    case EnvironmentType::pricing:
      return pricing(spec, seed);
  }
  throw InvalidArgument("unknown environment type");
}

}  // namespace ridgerunner
