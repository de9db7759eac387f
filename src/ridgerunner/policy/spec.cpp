#include "ridgerunner/policy/spec.h"

#include <limits>

#include <fmt/format.h>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/noise.h"
#include "ridgerunner/policy/registry.h"
#include "ridgerunner/policy/rule.h"
#include "ridgerunner/policy/valko2013_supkernelucb.h"
#include "ridgerunner/regression/arm_features.h"
#include "ridgerunner/regression/checks.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/levelled.h"
#include "ridgerunner/regression/projected/full_first.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {
namespace {

// The dictionary with every default that depends on others written out.
DictionaryChoice resolved(const RegressionSpec& spec) {
  DictionaryChoice dictionary = spec.dictionary;
  dictionary.set("projection", spec.projection_or_default());
  return dictionary;
}

bool is_exact(const Spec& spec) {
  return spec.regression.dictionary.is<dictionaries::Exact>();
}

// bkb, bbkb, and a user's own dictionary that says so.
bool draws_anew(const Spec& spec) {
  const DictionaryChoice& dictionary = spec.regression.dictionary;
  return dictionary.is<dictionaries::Bkb>() || dictionary.is<dictionaries::Bbkb>();
}

}  // namespace

const Names<Ties>& names_of(Ties) {
  static const Names<Ties> names = {{Ties::lowest, "lowest"}, {Ties::random, "random"}};
  return names;
}

const Names<First>& names_of(First) {
  static const Names<First> names = {{First::random, "random"}, {First::lowest, "lowest"}};
  return names;
}

double RegressionSpec::projection_or_default() const {
  const ParameterValue projection = dictionary.value("projection");
  const double* given = std::get_if<double>(&projection);
  return given ? *given : ridge;
}

bool RegressionSpec::operator==(const RegressionSpec& other) const {
  return ridge == other.ridge && accuracy == other.accuracy && arrival_features == other.arrival_features &&
         offset == other.offset && reward_low == other.reward_low && reward_high == other.reward_high &&
         resolved(*this) == resolved(other);
}

bool Spec::operator==(const Spec& other) const {
  const bool same_arms = arms.has_value() == other.arms.has_value() &&
                         (!arms || (arms->rows() == other.arms->rows() &&
                                    arms->cols() == other.arms->cols() && *arms == *other.arms));
  return policy == other.policy && seed == other.seed && kernel == other.kernel &&
         regression == other.regression && bound == other.bound && rule == other.rule && tune == other.tune &&
         horizon == other.horizon && same_arms && features == other.features;
}

namespace {

void check_bound(const Spec& spec) {
  spec.bound.check();
  require_at_least("horizon", spec.horizon, 1);
  if (!spec.bound.is<Own>())
    require_at_least("noise_upper", spec.bound.number("noise_upper"), spec.bound.number("noise_lower"));
}

void check_regression(const Spec& spec) {
  check_record(spec.regression);
  spec.regression.dictionary.check();
  const auto& [low, high] = std::tie(spec.regression.reward_low, spec.regression.reward_high);
  if (low && high && !(*low <= *high))
    throw InvalidArgument(fmt::format("reward_high must be at least reward_low = {}, got {}", *low, *high));
}

// Tuning fits one radius, and builds the model anew from its observations.
void check_tuning(const Spec& spec) {
  check_record(spec.tune);
  if (!spec.tune.on()) return;
  if (!spec.bound.is<bounds::Fixed>())
    throw InvalidArgument(fmt::format("tune.type evidence needs bound.type fixed, got {}: it tunes a radius",
                                      spec.bound.type()));
  if (spec.rule.type.is<rules::SupKernelUcb>())
    throw InvalidArgument("tune.type evidence does not go with rule.type supkernelucb");
  if (draws_anew(spec))
    throw InvalidArgument(
        fmt::format("tune.type evidence needs regression.type exact, kors or residual_budget, got {}",
                    spec.regression.dictionary.type()));
}

// KORS's μ, where proposition 4.1 of Zenati et al. 2022 promises it.
std::optional<double> guaranteed_projection(const Spec& spec) {
  const auto* kors = spec.regression.dictionary.get_if<dictionaries::Kors>();
  if (!kors || spec.regression.accuracy < 0.5) return std::nullopt;
  if (kors->oversampling < zenati2022_oversampling(spec.horizon, spec.bound.number("delta")))
    return std::nullopt;
  return spec.regression.projection_or_default();
}

// Makes the bound, after a look at what it needs of the other parts.
struct BoundMaker {
  const Spec& spec;

  BoundPtr operator()(const bounds::Fixed& bound) const { return fixed_bound(bound.radius); }
  BoundPtr operator()(const bounds::SelfNormalized& bound) const { return self_normalized_bound(bound); }
  BoundPtr operator()(const bounds::Bkb& bound) const {
    need_projected(bound.kName);
    return bkb_bound({bound, spec.regression.accuracy});
  }
  BoundPtr operator()(const bounds::EkUcb& bound) const {
    need_projected(bound.kName);
    return ekucb_bound({bound, guaranteed_projection(spec)});
  }
  BoundPtr operator()(const bounds::WangDeFreitas& bound) const {
    need_exact(bound.kName);
    return wang_de_freitas_bound(bound);
  }
  BoundPtr operator()(const bounds::Igp& bound) const {
    need_exact(bound.kName);
    if (!(spec.regression.ridge > 1))
      throw InvalidArgument(
          fmt::format("bound.type igp needs regression.ridge > 1, got {}", spec.regression.ridge));
    return igp_bound(bound);
  }
  BoundPtr operator()(const bounds::Amm& bound) const {
    need_predictable(bound.kName);
    return amm_bound(bound);
  }
  BoundPtr operator()(const bounds::Dmm& bound) const {
    need_one_rule();
    need_predictable(bound.kName);
    return dmm_bound(bound, bound.grid);
  }
  BoundPtr operator()(const bounds::Cmm& bound) const {
    need_one_rule();
    need_predictable(bound.kName);
    return cmm_bound(bound);
  }
  BoundPtr operator()(const bounds::EmpiricalBernstein&) const {
    if (spec.rule.type.is<rules::SupKernelUcb>())
      throw InvalidArgument("bound.type empirical_bernstein moves the ridge, which supkernelucb cannot");
    if (draws_anew(spec))
      throw InvalidArgument(
          "bound.type empirical_bernstein moves the ridge, by which bkb and bbkb draw their anchors: it "
          "needs "
          "regression.type exact, kors or residual_budget");
    require_positive("norm_bound", spec.bound.number("norm_bound"));
    return noise_bound(*initial_noise(spec.bound), spec.bound);
  }
  BoundPtr operator()(const Own& own) const {
    BoundPtr bound = make_own_bound(own);
    // Mixtures need engines that were made for them.
    if (!bound->radius(Evidence{}))
      throw InvalidArgument(fmt::format("bound.type {} must be one radius", own.name));
    return bound;
  }

 private:
  void need_projected(const char* name) const {
    if (!is_exact(spec)) return;
    throw InvalidArgument(fmt::format(
        "bound.type {} needs a regression.type that projects (kors, bkb, bbkb, residual_budget), got exact",
        name));
  }
  void need_exact(const char* name) const {
    if (is_exact(spec)) return;
    throw InvalidArgument(
        fmt::format("bound.type {} needs regression.type exact: it holds on no projection", name));
  }
  // A mixture needs features that were known before the reward.
  void need_predictable(const char* name) const {
    if (is_exact(spec) || spec.regression.arrival_features) return;
    throw InvalidArgument(fmt::format(
        "bound.type {} needs regression.type exact, or kors or residual_budget with arrival_features = true",
        name));
  }
  void need_one_rule() const {
    if (spec.rule.type.is<rules::SupKernelUcb>() || spec.rule.type.is<rules::Thompson>())
      throw InvalidArgument(
          "bound.type dmm and cmm need rule.type ucb, greedy or uniform: they are not one radius");
  }
};

struct DictionaryMaker {
  const Spec& spec;
  const KernelPtr& kernel;

  std::unique_ptr<Dictionary> operator()(const dictionaries::Exact&) const { return nullptr; }
  std::unique_ptr<Dictionary> operator()(const dictionaries::Kors& chosen) const {
    return kors(kernel,
                {spec.regression.projection_or_default(), chosen.oversampling, spec.regression.accuracy});
  }
  std::unique_ptr<Dictionary> operator()(const dictionaries::Bkb& chosen) const {
    return bkb_dictionary(chosen.oversampling);
  }
  std::unique_ptr<Dictionary> operator()(const dictionaries::Bbkb& chosen) const {
    return bbkb_dictionary(chosen.oversampling, chosen.batch_threshold);
  }
  std::unique_ptr<Dictionary> operator()(const dictionaries::ResidualBudget& chosen) const {
    return residual_budget({chosen.tolerance, spec.bound.number("norm_bound"), spec.horizon});
  }
  std::unique_ptr<Dictionary> operator()(const Own& own) const { return make_own_dictionary(own, kernel); }
};

bool moves_ridge(const Spec& spec) {
  return spec.bound.is<bounds::EmpiricalBernstein>();
}

double starting_ridge(const Spec& spec) {
  return moves_ridge(spec) ? *derived_ridge(spec.bound, spec.horizon) : spec.regression.ridge;
}

// Null for the exact engine.
std::unique_ptr<Dictionary> make_dictionary(const Spec& spec, const KernelPtr& kernel) {
  auto dictionary = spec.regression.dictionary.visit(DictionaryMaker{spec, kernel});
  if (dictionary && dictionary->resampling() && spec.regression.arrival_features)
    throw InvalidArgument("arrival_features needs anchors that stay: bkb and bbkb draw them anew");
  if (dictionary && dictionary->resampling() && moves_ridge(spec))
    throw InvalidArgument("a moving ridge needs anchors that stay: bkb and bbkb draw them by one ridge");
  return dictionary;
}

// Where dmm and cmm need factors, beside the ridge.
std::vector<double> further_ridges(const Spec& spec) {
  // For cmm, which searches all ridges from those it has. Measured on the problems of Flynn & Reeb: races are
  // best run at 3 to 15 times the ridge.
  static const std::vector<double> kLadder = {2.5, 5, 12};
  std::vector<double> ridges;
  const auto* dmm = spec.bound.get_if<bounds::Dmm>();
  if (!dmm && !spec.bound.is<bounds::Cmm>()) return ridges;
  for (const double multiple : dmm ? dmm->grid : kLadder)
    if (multiple != 1) ridges.push_back(multiple * spec.regression.ridge);
  return ridges;
}

// For a ridge that moves: features of the arms, if they are much fewer than the arms.
std::unique_ptr<Regression> make_arm_features(const KernelPtr& kernel, double ridge, const Matrix& arms) {
  constexpr Index kMostArms = 1000;  // whose kernel matrix is soon factored
  if (arms.cols() > kMostArms) return nullptr;
  auto features = std::make_unique<ArmFeatureRegression>(kernel, ridge, arms);
  if (2 * features->rank() > arms.cols()) return nullptr;
  return features;
}

std::unique_ptr<Regression> make_engine(const Spec& spec, const KernelPtr& kernel) {
  const bool moving = moves_ridge(spec);
  const double ridge = starting_ridge(spec);
  auto dictionary = make_dictionary(spec, kernel);
  if (!dictionary) {
    if (moving && spec.arms) {
      if (auto features = make_arm_features(kernel, ridge, *spec.arms)) return features;
    }
    return std::make_unique<ExactRegression>(kernel, ridge, spec.arms, further_ridges(spec));
  }
  const bool may_be_full =
      spec.regression.dictionary.is<dictionaries::Kors>() && spec.regression.projection_or_default() == ridge;
  if (may_be_full && !spec.arms && !spec.regression.arrival_features && !moving)
    return std::make_unique<FullFirstRegression>(kernel, ridge, std::move(dictionary), spec.seed);
  return std::make_unique<ProjectedRegression>(
      kernel, ridge, std::move(dictionary),
      ProjectedOptions{spec.seed, spec.regression.arrival_features, {}, spec.arms, moving});
}

}  // namespace

BoundPtr make_bound(const Spec& spec) {
  check_bound(spec);
  return spec.bound.visit(BoundMaker{spec});
}

std::unique_ptr<Regression> make_regression(const Spec& spec, KernelPtr kernel) {
  check_bound(spec);
  if (moves_ridge(spec)) require_positive("norm_bound", spec.bound.number("norm_bound"));
  check_regression(spec);
  if (!kernel) kernel = make_kernel(spec.kernel);
  if (spec.rule.type.is<rules::SupKernelUcb>()) {
    return std::make_unique<LevelledRegression>(supkernelucb_levels(spec.horizon),
                                                [&] { return make_engine(spec, kernel); });
  }
  return make_engine(spec, kernel);
}

void validate(const Spec& spec) {
  constexpr auto kMostSeed = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (spec.seed > kMostSeed)
    throw InvalidArgument(fmt::format("seed must be at most {}, got {}", kMostSeed, spec.seed));
  make_bound(spec);
  check_regression(spec);
  check_tuning(spec);
  spec.rule.type.check();
  const KernelPtr kernel = make_kernel(spec.kernel);
  make_dictionary(spec, kernel);
  make_rule(spec);
  require_positive("ridge", starting_ridge(spec));
  for (const double ridge : further_ridges(spec)) require_positive("ridge", ridge);
  if (spec.features) {
    if (spec.arms)
      throw InvalidArgument("features and arms exclude each other: arms are whole states in numbers");
    check_schema(*spec.features);
    kernel->check_dimension(spec.features->dimension());
  }
  if (!spec.arms) return;
  require_arms(*spec.arms);
  kernel->check_dimension(spec.arms->rows());
  for (const double prior : diagonal(*kernel, *spec.arms)) require_finite("k(s, s) of an arm", prior);
}

}  // namespace ridgerunner
