#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/noise.h"
#include "ridgerunner/policy/spec.h"

namespace ridgerunner {
namespace {

using dictionaries::Bbkb, dictionaries::Bkb, dictionaries::Exact, dictionaries::ResidualBudget;

// What a preset changes of the defaults; those that derive a ridge take it from the bound's parameters.
struct Definition {
  Preset preset;
  void (*apply)(Spec&);
};

double noise_variance(const Spec& spec) {
  return spec.bound.number("noise_bound") * spec.bound.number("noise_bound");
}

// A bound with the ridge that belongs to it.
template <class Theorem>
void apply_bound(Spec& spec, DictionaryChoice dictionary) {
  spec.regression.dictionary = std::move(dictionary);
  spec.bound.choose(Theorem::kName);
  if (const auto ridge = derived_ridge(spec.bound, spec.horizon)) spec.regression.ridge = *ridge;
}

// A mixture on a growing subspace: nothing is kept of the history.
template <class Theorem>
void apply_streaming(Spec& spec) {
  apply_bound<Theorem>(spec, ResidualBudget{});
  spec.regression.arrival_features = true;
}

const std::vector<Definition>& definitions() {
  static const std::vector<Definition> all = {
      {{"auto", "tunes itself: raw features and rewards in, kernel, ridge and radius fitted on the way"},
       [](Spec& spec) {
         spec.regression.dictionary = Exact{};
         spec.rule.ties = Ties::random;
         spec.tune.type = TuneType::evidence;
       }},
      {{"ek-ucb", "EK-UCB (Zenati et al. 2022): anchors by KORS, fixed radius"}, [](Spec&) {}},
      {{"k-ucb", "K-UCB (Zenati et al. 2022): exact, fixed radius, first choice random"},
       [](Spec& spec) { spec.regression.dictionary = Exact{}; }},
      {{"kernel-ucb",
        "KernelUCB with online updates (the corrected note): exact, fixed radius, first choice arm 0"},
       [](Spec& spec) {
         spec.regression.dictionary = Exact{};
         spec.rule.first = First::lowest;
       }},
      {{"supk-ucb", "SupKernelUCB (Valko et al. 2013): exact, data kept apart in levels of certainty"},
       [](Spec& spec) {
         spec.regression.dictionary = Exact{};
         spec.rule.type = rules::SupKernelUcb{};
       }},
      {{"gp-ucb", "GP-UCB: exact, self-normalized bound, ridge = noise_bound^2"},
       [](Spec& spec) {
         spec.regression.dictionary = Exact{};
         spec.bound.choose("self_normalized");
         spec.regression.ridge = noise_variance(spec);
       }},
      {{"ay-gp-ucb", "AY-GP-UCB (Flynn & Reeb 2024): as gp-ucb with ridge = noise_bound^2 / mixture_scale"},
       [](Spec& spec) {
         spec.regression.dictionary = Exact{};
         spec.bound.choose("self_normalized");
         spec.regression.ridge = noise_variance(spec) / spec.bound.number("mixture_scale");
       }},
      {{"igp-ucb", "IGP-UCB (Chowdhury & Gopalan 2017): exact, its own bound, ridge = 1 + 2/horizon"},
       [](Spec& spec) { apply_bound<bounds::Igp>(spec, Exact{}); }},
      {{"amm-ucb", "AMM-UCB (Flynn & Reeb 2024): exact, martingale mixture in closed form"},
       [](Spec& spec) { apply_bound<bounds::Amm>(spec, Exact{}); }},
      {{"dmm-ucb", "DMM-UCB (Flynn & Reeb 2024): the best of the mixture's bounds on a grid of ridges"},
       [](Spec& spec) { apply_bound<bounds::Dmm>(spec, Exact{}); }},
      {{"cmm-ucb", "CMM-UCB (Flynn & Reeb 2024): the best of the mixture's bounds at any ridge"},
       [](Spec& spec) { apply_bound<bounds::Cmm>(spec, Exact{}); }},
      {{"streaming-amm-ucb", "AMM-UCB on a growing set of anchors: memory and time a round stay flat"},
       [](Spec& spec) { apply_streaming<bounds::Amm>(spec); }},
      {{"streaming-dmm-ucb", "DMM-UCB on a growing set of anchors"},
       [](Spec& spec) { apply_streaming<bounds::Dmm>(spec); }},
      {{"streaming-cmm-ucb", "CMM-UCB on a growing set of anchors"},
       [](Spec& spec) { apply_streaming<bounds::Cmm>(spec); }},
      {{"adaptive-ucb", "Kernel UCB (Durand et al. 2018): exact, noise and ridge learnt on the way"},
       [](Spec& spec) { apply_bound<bounds::EmpiricalBernstein>(spec, Exact{}); }},
      {{"adaptive-ts", "Kernel TS (Durand et al. 2018): as adaptive-ucb, by Thompson sampling"},
       [](Spec& spec) {
         apply_bound<bounds::EmpiricalBernstein>(spec, Exact{});
         spec.rule.type = rules::Thompson{};
       }},
      {{"kernel-ts",
        "Kernel TS (Durand et al. 2018): exact, Thompson sampling, ridge = (noise_bound / norm_bound)^2"},
       [](Spec& spec) {
         apply_bound<bounds::SelfNormalized>(spec, Exact{});
         spec.regression.ridge =
             noise_variance(spec) / (spec.bound.number("norm_bound") * spec.bound.number("norm_bound"));
         spec.rule.type = rules::Thompson{};
       }},
      {{"bkb", "BKB (Calandriello et al. 2019): anchors drawn anew each round, its own bound"},
       [](Spec& spec) {
         spec.regression.dictionary = Bkb{};
         spec.bound.choose("bkb");
         spec.regression.ridge = noise_variance(spec);
       }},
      {{"bbkb", "BBKB (Calandriello et al. 2020): as bkb, anchors drawn in batches; arms chosen in batches"},
       [](Spec& spec) {
         spec.regression.dictionary = Bbkb{};
         spec.bound.choose("bkb");
         spec.regression.ridge = noise_variance(spec);
       }},
      {{"c-bkb", "contextual BKB as in Zenati et al. 2022: fixed radius"},
       [](Spec& spec) { spec.regression.dictionary = Bkb{}; }},
      {{"c-bbkb", "contextual BBKB as in Zenati et al. 2022: fixed radius"},
       [](Spec& spec) { spec.regression.dictionary = Bbkb{}; }},
      {{"greedy", "always the largest mean: no exploration"},
       [](Spec& spec) {
         spec.regression.dictionary = Exact{};
         spec.rule.type = rules::Greedy{};
       }},
      {{"uniform", "any action with equal probability: no learning"},
       [](Spec& spec) {
         spec.regression.dictionary = Exact{};
         spec.rule.type = rules::Uniform{};
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

std::optional<double> derived_ridge(const BoundSpec& bound, double horizon) {
  return bound.visit([&]<class Theorem>(const Theorem& chosen) -> std::optional<double> {
    if constexpr (std::is_base_of_v<bounds::Amm, Theorem>) {
      return chosen.noise_bound * chosen.noise_bound / chosen.mixture_scale;
    } else if constexpr (std::is_same_v<Theorem, bounds::Igp>) {
      return 1 + 2 / horizon;
    } else if constexpr (std::is_same_v<Theorem, bounds::EmpiricalBernstein>) {
      return next_ridge(*initial_noise(bound), bound);
    } else {
      return std::nullopt;
    }
  });
}

Spec preset(std::string_view name, const BoundSpec& bound, double horizon) {
  for (const Definition& definition : definitions()) {
    if (definition.preset.name != name) continue;
    Spec spec;
    spec.policy = name;
    spec.bound = bound;
    spec.horizon = horizon;
    definition.apply(spec);
    return spec;
  }
  throw InvalidArgument(fmt::format("policy must be one of {}, got \"{}\"", preset_names(), name));
}

}  // namespace ridgerunner
