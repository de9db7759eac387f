#include "ridgerunner/policy/spec.h"

#include <limits>

#include <fmt/format.h>

#include "ridgerunner/bounds/abbasi2012_selfnormalised.h"
#include "ridgerunner/bounds/fixed.h"
#include "ridgerunner/error.h"
#include "ridgerunner/regression/exact.h"

namespace ridgerunner {

bool Spec::operator==(const Spec& other) const {
  const bool same_arms = arms.has_value() == other.arms.has_value() &&
                         (!arms || (arms->rows() == other.arms->rows() &&
                                    arms->cols() == other.arms->cols() && *arms == *other.arms));
  return policy == other.policy && seed == other.seed && kernel == other.kernel &&
         regression == other.regression && bound == other.bound && rule == other.rule && same_arms;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      {"kernel-ucb", "KernelUCB with online updates (the corrected note): fixed radius, first choice arm 0"},
      {"k-ucb", "K-UCB (Zenati et al. 2022): exact, fixed radius, first choice random"},
      {"gp-ucb", "GP-UCB: exact, self-normalised bound, ridge = noise_bound^2"},
      {"ay-gp-ucb", "AY-GP-UCB (Flynn & Reeb 2024): as gp-ucb with ridge = noise_bound^2 / mixture_scale"},
      {"greedy", "always the largest mean: no exploration"},
      {"uniform", "any action with equal probability: no learning"},
  };
  return all;
}

std::string preset_names() {
  std::string names;
  for (const Preset& known : presets()) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  return names;
}

Spec preset(std::string_view name, const BoundSpec& bound) {
  Spec spec;
  spec.policy = name;
  spec.bound = bound;
  const double noise_variance = bound.noise_bound * bound.noise_bound;
  if (name == "kernel-ucb") {
    spec.rule.first = First::lowest;
  } else if (name == "k-ucb") {
    // the defaults
  } else if (name == "gp-ucb") {
    spec.bound.type = BoundType::self_normalized;
    spec.regression.ridge = noise_variance;
  } else if (name == "ay-gp-ucb") {
    spec.bound.type = BoundType::self_normalized;
    spec.regression.ridge = noise_variance / bound.mixture_scale;
  } else if (name == "greedy") {
    spec.rule.type = RuleType::greedy;
  } else if (name == "uniform") {
    spec.rule.type = RuleType::uniform;
  } else {
    throw InvalidArgument(fmt::format("policy must be one of {}, got \"{}\"", preset_names(), name));
  }
  return spec;
}

BoundPtr make_bound(const BoundSpec& spec) {
  // All of them, also those that this type does not use: a typing mistake is one wherever it is.
  require_at_least("radius", spec.radius, 0);
  require_between("delta", spec.delta, 0, 1);
  require_at_least("norm_bound", spec.norm_bound, 0);
  require_at_least("noise_bound", spec.noise_bound, 0);
  require_positive("mixture_scale", spec.mixture_scale);
  switch (spec.type) {
    case BoundType::fixed:
      return fixed_bound(spec.radius);
    case BoundType::self_normalized:
      return self_normalised_bound({spec.delta, spec.norm_bound, spec.noise_bound});
  }
  throw InvalidArgument("unknown bound type");
}

std::unique_ptr<Regression> make_regression(const Spec& spec, KernelPtr kernel) {
  if (!kernel) kernel = make_kernel(spec.kernel);
  switch (spec.regression.type) {
    case RegressionType::exact:
      return std::make_unique<ExactRegression>(std::move(kernel), spec.regression.ridge, spec.arms);
  }
  throw InvalidArgument("unknown regression type");
}

void validate(const Spec& spec) {
  constexpr auto kMostSeed = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (spec.seed > kMostSeed)
    throw InvalidArgument(fmt::format("seed must be at most {}, got {}", kMostSeed, spec.seed));
  make_bound(spec.bound);
  make_regression(spec);
}

}  // namespace ridgerunner
