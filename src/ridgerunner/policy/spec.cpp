#include "ridgerunner/policy/spec.h"

#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "ridgerunner/bounds/abbasi2012_selfnormalised.h"
#include "ridgerunner/bounds/calandriello2019_bkb.h"
#include "ridgerunner/bounds/chowdhury2017_igp.h"
#include "ridgerunner/bounds/durand2018_streaming.h"
#include "ridgerunner/bounds/fixed.h"
#include "ridgerunner/bounds/flynn2024_mixtures.h"
#include "ridgerunner/bounds/wang2014.h"
#include "ridgerunner/bounds/zenati2022_ekucb.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/noise.h"
#include "ridgerunner/policy/valko2013_supkernelucb.h"
#include "ridgerunner/regression/dictionary/calandriello2019_bkb.h"
#include "ridgerunner/regression/dictionary/residual_budget.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/levelled.h"
#include "ridgerunner/regression/projected/projected.h"
#include "ridgerunner/regression/spectral.h"

namespace ridgerunner {

bool RegressionSpec::operator==(const RegressionSpec& other) const {
  const auto values = [](const RegressionSpec& spec) {
    return std::tuple(spec.type, spec.ridge, spec.projection_or_default(), spec.oversampling_or_default(),
                      spec.accuracy, spec.batch_threshold, spec.tolerance, spec.arrival_features);
  };
  return values(*this) == values(other);
}

bool Spec::operator==(const Spec& other) const {
  const bool same_arms = arms.has_value() == other.arms.has_value() &&
                         (!arms || (arms->rows() == other.arms->rows() &&
                                    arms->cols() == other.arms->cols() && *arms == *other.arms));
  return policy == other.policy && seed == other.seed && kernel == other.kernel &&
         regression == other.regression && bound == other.bound && rule == other.rule && same_arms;
}

namespace {

// What a preset changes of the defaults; those that derive a ridge take it from the bound's parameters.
struct Definition {
  Preset preset;
  void (*apply)(Spec&);
};

double noise_variance(const Spec& spec) {
  return spec.bound.noise_bound * spec.bound.noise_bound;
}

void apply_bound(Spec& spec, RegressionType engine, BoundType type) {
  spec.regression.type = engine;
  spec.bound.type = type;
  if (const auto ridge = derived_ridge(spec.bound)) spec.regression.ridge = *ridge;
}

// A mixture on a growing subspace: nothing is kept of the history.
void apply_streaming(Spec& spec, BoundType type) {
  apply_bound(spec, RegressionType::residual_budget, type);
  spec.regression.arrival_features = true;
}

const std::vector<Definition>& definitions() {
  using enum RegressionType;
  static const std::vector<Definition> all = {
      {{"ek-ucb", "EK-UCB (Zenati et al. 2022): anchors by KORS, fixed radius"}, [](Spec&) {}},
      {{"k-ucb", "K-UCB (Zenati et al. 2022): exact, fixed radius, first choice random"},
       [](Spec& spec) { spec.regression.type = exact; }},
      {{"kernel-ucb",
        "KernelUCB with online updates (the corrected note): exact, fixed radius, first choice arm 0"},
       [](Spec& spec) {
         spec.regression.type = exact;
         spec.rule.first = First::lowest;
       }},
      {{"supk-ucb", "SupKernelUCB (Valko et al. 2013): exact, data kept apart in levels of certainty"},
       [](Spec& spec) {
         spec.regression.type = exact;
         spec.rule.type = RuleType::supkernelucb;
       }},
      {{"gp-ucb", "GP-UCB: exact, self-normalised bound, ridge = noise_bound^2"},
       [](Spec& spec) {
         spec.regression.type = exact;
         spec.bound.type = BoundType::self_normalized;
         spec.regression.ridge = noise_variance(spec);
       }},
      {{"ay-gp-ucb", "AY-GP-UCB (Flynn & Reeb 2024): as gp-ucb with ridge = noise_bound^2 / mixture_scale"},
       [](Spec& spec) {
         spec.regression.type = exact;
         spec.bound.type = BoundType::self_normalized;
         spec.regression.ridge = noise_variance(spec) / spec.bound.mixture_scale;
       }},
      {{"igp-ucb", "IGP-UCB (Chowdhury & Gopalan 2017): exact, its own bound, ridge = 1 + 2/horizon"},
       [](Spec& spec) { apply_bound(spec, exact, BoundType::igp); }},
      {{"amm-ucb", "AMM-UCB (Flynn & Reeb 2024): exact, martingale mixture in closed form"},
       [](Spec& spec) { apply_bound(spec, exact, BoundType::amm); }},
      {{"dmm-ucb", "DMM-UCB (Flynn & Reeb 2024): the best of the mixture's bounds on a grid of ridges"},
       [](Spec& spec) { apply_bound(spec, exact, BoundType::dmm); }},
      {{"cmm-ucb", "CMM-UCB (Flynn & Reeb 2024): the best of the mixture's bounds at any ridge"},
       [](Spec& spec) { apply_bound(spec, exact, BoundType::cmm); }},
      {{"streaming-amm-ucb", "AMM-UCB on a growing set of anchors: memory and time a round stay flat"},
       [](Spec& spec) { apply_streaming(spec, BoundType::amm); }},
      {{"streaming-dmm-ucb", "DMM-UCB on a growing set of anchors"},
       [](Spec& spec) { apply_streaming(spec, BoundType::dmm); }},
      {{"streaming-cmm-ucb", "CMM-UCB on a growing set of anchors"},
       [](Spec& spec) { apply_streaming(spec, BoundType::cmm); }},
      {{"adaptive-ucb", "Kernel UCB (Durand et al. 2018): exact, noise and ridge learnt on the way"},
       [](Spec& spec) { apply_bound(spec, exact, BoundType::empirical_bernstein); }},
      {{"adaptive-ts", "Kernel TS (Durand et al. 2018): as adaptive-ucb, by Thompson sampling"},
       [](Spec& spec) {
         apply_bound(spec, exact, BoundType::empirical_bernstein);
         spec.rule.type = RuleType::thompson;
       }},
      {{"kernel-ts",
        "Kernel TS (Durand et al. 2018): exact, Thompson sampling, ridge = (noise_bound / norm_bound)^2"},
       [](Spec& spec) {
         apply_bound(spec, exact, BoundType::self_normalized);
         spec.regression.ridge = noise_variance(spec) / (spec.bound.norm_bound * spec.bound.norm_bound);
         spec.rule.type = RuleType::thompson;
       }},
      {{"bkb", "BKB (Calandriello et al. 2019): anchors drawn anew each round, its own bound"},
       [](Spec& spec) {
         spec.regression.type = bkb;
         spec.bound.type = BoundType::bkb;
         spec.regression.ridge = noise_variance(spec);
       }},
      {{"bbkb", "BBKB (Calandriello et al. 2020): as bkb, anchors drawn in batches; arms chosen in batches"},
       [](Spec& spec) {
         spec.regression.type = bbkb;
         spec.bound.type = BoundType::bkb;
         spec.regression.ridge = noise_variance(spec);
       }},
      {{"c-bkb", "contextual BKB as in Zenati et al. 2022: fixed radius"},
       [](Spec& spec) { spec.regression.type = bkb; }},
      {{"c-bbkb", "contextual BBKB as in Zenati et al. 2022: fixed radius"},
       [](Spec& spec) { spec.regression.type = bbkb; }},
      {{"greedy", "always the largest mean: no exploration"},
       [](Spec& spec) {
         spec.regression.type = exact;
         spec.rule.type = RuleType::greedy;
       }},
      {{"uniform", "any action with equal probability: no learning"},
       [](Spec& spec) {
         spec.regression.type = exact;
         spec.rule.type = RuleType::uniform;
       }},
  };
  return all;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    for (const Definition& definition : definitions()) list.push_back(definition.preset);
    return list;
  }();
  return all;
}

std::string preset_names() {
  std::string names;
  for (const Preset& known : presets()) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  return names;
}

std::optional<double> derived_ridge(const BoundSpec& bound) {
  switch (bound.type) {
    case BoundType::amm:
    case BoundType::dmm:
    case BoundType::cmm:
      return bound.noise_bound * bound.noise_bound / bound.mixture_scale;
    case BoundType::igp:
      return 1 + 2 / bound.horizon;
    case BoundType::empirical_bernstein:
      return next_ridge(*initial_noise(bound), bound);
    default:
      return std::nullopt;
  }
}

Spec preset(std::string_view name, const BoundSpec& bound) {
  for (const Definition& definition : definitions()) {
    if (definition.preset.name != name) continue;
    Spec spec;
    spec.policy = name;
    spec.bound = bound;
    definition.apply(spec);
    return spec;
  }
  throw InvalidArgument(fmt::format("policy must be one of {}, got \"{}\"", preset_names(), name));
}

namespace {

// KORS's μ, where proposition 4.1 of Zenati et al. 2022 promises it.
std::optional<double> guaranteed_projection(const Spec& spec) {
  const RegressionSpec& regression = spec.regression;
  const bool promised =
      regression.type == RegressionType::kors && regression.accuracy >= 0.5 &&
      regression.oversampling_or_default() >= zenati2022_oversampling(spec.bound.horizon, spec.bound.delta);
  return promised ? std::optional<double>(regression.projection_or_default()) : std::nullopt;
}

}  // namespace

BoundPtr make_bound(const Spec& spec) {
  // All of them, also those that this type does not use: a typing mistake is one wherever it is.
  const BoundSpec& bound = spec.bound;
  require_at_least("radius", bound.radius, 0);
  require_between("delta", bound.delta, 0, 1);
  require_at_least("norm_bound", bound.norm_bound, 0);
  require_at_least("noise_bound", bound.noise_bound, 0);
  require_at_least("horizon", bound.horizon, 1);
  require_positive("mixture_scale", bound.mixture_scale);
  if (bound.grid.empty()) throw InvalidArgument("grid must not be empty");
  for (const double multiple : bound.grid) require_positive("grid", multiple);
  require_positive("noise_lower", bound.noise_lower);
  require_at_least("noise_upper", bound.noise_upper, bound.noise_lower);
  const auto need_projected = [&](const char* name) {
    if (spec.regression.type != RegressionType::exact) return;
    throw InvalidArgument(fmt::format(
        "bound.type {} needs a regression.type that projects (kors, bkb, bbkb, residual_budget), got exact",
        name));
  };
  const auto need_exact = [&](const char* name) {
    if (spec.regression.type == RegressionType::exact) return;
    throw InvalidArgument(
        fmt::format("bound.type {} needs regression.type exact: it holds on no projection", name));
  };
  // A mixture needs features that were known before the reward.
  const auto need_predictable = [&](const char* name) {
    if (spec.regression.type == RegressionType::exact || spec.regression.arrival_features) return;
    throw InvalidArgument(fmt::format(
        "bound.type {} needs regression.type exact, or kors or residual_budget with arrival_features = true",
        name));
  };
  const bool one_radius = bound.type != BoundType::dmm && bound.type != BoundType::cmm;
  if (!one_radius && (spec.rule.type == RuleType::supkernelucb || spec.rule.type == RuleType::thompson))
    throw InvalidArgument(
        "bound.type dmm and cmm need rule.type ucb, greedy or uniform: they are not one radius");
  if (bound.type == BoundType::empirical_bernstein && spec.rule.type == RuleType::supkernelucb)
    throw InvalidArgument("bound.type empirical_bernstein moves the ridge, which supkernelucb cannot");
  switch (bound.type) {
    case BoundType::fixed:
      return fixed_bound(bound.radius);
    case BoundType::self_normalized:
      return self_normalised_bound({bound.delta, bound.norm_bound, bound.noise_bound});
    case BoundType::bkb:
      need_projected("bkb");
      return bkb_bound(
          {bound.delta, bound.norm_bound, bound.noise_bound, spec.regression.accuracy, bound.printed});
    case BoundType::ek_ucb:
      need_projected("ek_ucb");
      return ekucb_bound({bound.delta, bound.norm_bound, bound.noise_bound, guaranteed_projection(spec)});
    case BoundType::wang_de_freitas:
      need_exact("wang_de_freitas");
      return wang_de_freitas_bound({bound.delta, bound.norm_bound, bound.noise_bound});
    case BoundType::igp:
      need_exact("igp");
      if (!(spec.regression.ridge > 1))
        throw InvalidArgument(
            fmt::format("bound.type igp needs regression.ridge > 1, got {}", spec.regression.ridge));
      return igp_bound({bound.delta, bound.norm_bound, bound.noise_bound});
    case BoundType::amm:
      need_predictable("amm");
      return amm_bound({bound.delta, bound.norm_bound, bound.noise_bound});
    case BoundType::dmm:
      need_predictable("dmm");
      return dmm_bound({bound.delta, bound.norm_bound, bound.noise_bound}, bound.grid);
    case BoundType::cmm:
      need_predictable("cmm");
      return cmm_bound({bound.delta, bound.norm_bound, bound.noise_bound});
    case BoundType::empirical_bernstein:
      if (spec.regression.type == RegressionType::bkb || spec.regression.type == RegressionType::bbkb)
        throw InvalidArgument(
            "bound.type empirical_bernstein moves the ridge, by which bkb and bbkb draw their anchors: it "
            "needs "
            "regression.type exact, kors or residual_budget");
      return noise_bound(*initial_noise(bound), bound);
  }
  throw InvalidArgument("unknown bound type");
}

namespace {

std::unique_ptr<Dictionary> make_dictionary(const Spec& spec, const KernelPtr& kernel) {
  const RegressionSpec& regression = spec.regression;
  switch (regression.type) {
    case RegressionType::exact:
      return nullptr;
    case RegressionType::kors:
      return kors(kernel, {regression.projection_or_default(), regression.oversampling_or_default(),
                           regression.accuracy});
    case RegressionType::bkb:
      return bkb_dictionary(regression.oversampling_or_default());
    case RegressionType::bbkb:
      return bbkb_dictionary(regression.oversampling_or_default(), regression.batch_threshold);
    case RegressionType::residual_budget:
      return residual_budget({regression.tolerance, spec.bound.norm_bound, spec.bound.horizon});
  }
  throw InvalidArgument("unknown regression type");
}

void check(const RegressionSpec& regression) {
  require_positive("ridge", regression.ridge);
  require_positive("projection", regression.projection_or_default());
  require_positive("oversampling", regression.oversampling_or_default());
  require_between("accuracy", regression.accuracy, 0, 1);
  require_at_least("batch_threshold", regression.batch_threshold, 1);
  require_positive("tolerance", regression.tolerance);
}

// Where dmm and cmm need factors, beside the ridge.
std::vector<double> further_ridges(const Spec& spec) {
  // For cmm, which searches all ridges from those it has. Measured on the problems of Flynn & Reeb: races are
  // best run at 3 to 15 times the ridge.
  static const std::vector<double> kLadder = {2.5, 5, 12};
  std::vector<double> ridges;
  const bool grid = spec.bound.type == BoundType::dmm;
  if (!grid && spec.bound.type != BoundType::cmm) return ridges;
  for (const double multiple : grid ? spec.bound.grid : kLadder)
    if (multiple != 1) ridges.push_back(multiple * spec.regression.ridge);
  return ridges;
}

// For a ridge that moves: features of the arms, if they are much fewer than the arms.
std::unique_ptr<Regression> make_spectral(const KernelPtr& kernel, double ridge, const Matrix& arms) {
  constexpr Index kMostArms = 1000;  // whose kernel matrix is soon factored
  if (arms.cols() > kMostArms) return nullptr;
  auto spectral = std::make_unique<SpectralRegression>(kernel, ridge, arms);
  if (2 * spectral->rank() > arms.cols()) return nullptr;
  return spectral;
}

std::unique_ptr<Regression> make_engine(const Spec& spec, const KernelPtr& kernel) {
  const bool moving = spec.bound.type == BoundType::empirical_bernstein;
  if (moving) require_positive("norm_bound", spec.bound.norm_bound);
  const double ridge = moving ? *derived_ridge(spec.bound) : spec.regression.ridge;
  auto dictionary = make_dictionary(spec, kernel);
  if (!dictionary) {
    if (moving && spec.arms) {
      if (auto spectral = make_spectral(kernel, ridge, *spec.arms)) return spectral;
    }
    return std::make_unique<ExactRegression>(kernel, ridge, spec.arms, further_ridges(spec));
  }
  return std::make_unique<ProjectedRegression>(
      kernel, ridge, std::move(dictionary),
      ProjectedOptions{spec.seed, spec.regression.arrival_features, {}, spec.arms, moving});
}

}  // namespace

std::unique_ptr<Regression> make_regression(const Spec& spec, KernelPtr kernel) {
  check(spec.regression);
  if (!kernel) kernel = make_kernel(spec.kernel);
  if (spec.rule.type == RuleType::supkernelucb) {
    return std::make_unique<LevelledRegression>(supkernelucb_levels(spec.bound.horizon),
                                                [&] { return make_engine(spec, kernel); });
  }
  return make_engine(spec, kernel);
}

void validate(const Spec& spec) {
  constexpr auto kMostSeed = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (spec.seed > kMostSeed)
    throw InvalidArgument(fmt::format("seed must be at most {}, got {}", kMostSeed, spec.seed));
  make_bound(spec);
  make_regression(spec);
}

}  // namespace ridgerunner
