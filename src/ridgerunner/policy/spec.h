#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgerunner/bounds/abbasi2012_self_normalized.h"
#include "ridgerunner/bounds/calandriello2019_bkb.h"
#include "ridgerunner/bounds/chowdhury2017_igp.h"
#include "ridgerunner/bounds/durand2018_streaming.h"
#include "ridgerunner/bounds/fixed.h"
#include "ridgerunner/bounds/flynn2024_mixtures.h"
#include "ridgerunner/bounds/wang2014.h"
#include "ridgerunner/bounds/zenati2022_ekucb.h"
#include "ridgerunner/codec/fields.h"
#include "ridgerunner/features/schema.h"
#include "ridgerunner/kernel/kernel_spec.h"
#include "ridgerunner/linalg/types.h"
#include "ridgerunner/policy/choice.h"
#include "ridgerunner/regression/dictionary/calandriello2019_bkb.h"
#include "ridgerunner/regression/dictionary/residual_budget.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/regression.h"
#include "ridgerunner/tuning/tune_spec.h"

namespace ridgerunner {

// The theorem that turns sd into a band.
using BoundSpec =
    Choice<PartKind::bound, bounds::Fixed, bounds::SelfNormalized, bounds::WangDeFreitas, bounds::Igp,
           bounds::Bkb, bounds::EkUcb, bounds::Amm, bounds::Dmm, bounds::Cmm, bounds::EmpiricalBernstein>;

namespace dictionaries {
struct Exact {  // none: all data
  static constexpr const char* kName = "exact";
  template <class Visit>
  static void fields(Visit&&) {}
};
}  // namespace dictionaries

// Which states a projected engine keeps as anchors.
using DictionaryChoice = Choice<PartKind::dictionary, dictionaries::Exact, dictionaries::Kors,
                                dictionaries::Bkb, dictionaries::Bbkb, dictionaries::ResidualBudget>;

namespace rules {
struct NoParameters {
  template <class Visit>
  static void fields(Visit&&) {}
};
struct Ucb : NoParameters {
  static constexpr const char* kName = "ucb";
};
struct Thompson : NoParameters {
  static constexpr const char* kName = "thompson";
};
struct SupKernelUcb : NoParameters {
  static constexpr const char* kName = "supkernelucb";
};
struct Greedy : NoParameters {
  static constexpr const char* kName = "greedy";
};
struct Uniform : NoParameters {
  static constexpr const char* kName = "uniform";
};
}  // namespace rules

// How the band becomes a choice.
using RuleChoice =
    Choice<PartKind::rule, rules::Ucb, rules::Thompson, rules::SupKernelUcb, rules::Greedy, rules::Uniform>;

enum class Ties { lowest, random };  // among equal upper bounds: the lowest index, or any
const Names<Ties>& names_of(Ties);

enum class First { random, lowest };  // the choice while there are no data: random, or the lowest index
const Names<First>& names_of(First);

struct RegressionSpec {
  DictionaryChoice dictionary = dictionaries::Kors{};
  double ridge = 1;                               // λ
  double accuracy = 0.5;                          // ε: kors's score, and the bound bkb
  bool arrival_features = false;                  // kors, residual_budget: keep no history
  double offset = 0;                              // taken from every reward, and added to every mean
  std::optional<double> reward_low, reward_high;  // rewards beyond count as these

  double projection_or_default() const;                // μ of kors
  bool operator==(const RegressionSpec& other) const;  // a default is equal to itself written out

  // But for the dictionary.
  template <class Visit>
  static void fields(Visit&& visit) {
    using Self = RegressionSpec;
    visit("ridge", &Self::ridge, positive(),
          "lambda; gp-ucb, bkb, bbkb: noise_bound^2; ay-gp-ucb and the bounds amm, dmm, cmm: noise_bound^2 / "
          "mixture_scale; igp: 1 + 2/horizon; kernel-ts: (noise_bound / norm_bound)^2; empirical_bernstein: "
          "moved every round, from (noise_upper / norm_bound)^2 on, whatever is set");
    visit("accuracy", &Self::accuracy, between(0, 1), "epsilon: kors's score, and the bound bkb");
    visit("arrival_features", &Self::arrival_features, any_value(),
          "kors, residual_budget: keep no history, O(m^2) memory");
    visit("offset", &Self::offset, any_value("a number"), "taken from every reward and added to every mean");
    visit("reward_low", &Self::reward_low, any_value("a number"), "rewards below count as this");
    visit("reward_high", &Self::reward_high, any_value("a number"), "rewards above count as this");
  }
};

struct RuleSpec {
  RuleChoice type;
  First first = First::random;
  Ties ties = Ties::lowest;
  bool operator==(const RuleSpec&) const = default;

  // But for the type.
  template <class Visit>
  static void fields(Visit&& visit) {
    visit("first", &RuleSpec::first, any_value(),
          "the choice while there are no data: random, or the lowest index");
    visit("ties", &RuleSpec::ties, any_value(),
          "ucb, greedy: the choice among equal upper bounds: the lowest index, or random");
  }
};

// A policy as one plain value: what a user writes, a results file records and a saved model is checked
// against.
struct Spec {
  std::string policy = "ek-ucb";  // the preset it started from
  std::uint64_t seed = 7;
  KernelSpec kernel;
  RegressionSpec regression;
  BoundSpec bound;
  RuleSpec rule;
  TuneSpec tune;
  double horizon = 1000;       // rounds to come: supkernelucb, residual_budget, igp; bound.horizon in files
  std::optional<Matrix> arms;  // d x A: a fixed arm set
  std::optional<Schema>
      features;  // names of what states are made of (features/encoder.h); or lists of numbers

  bool operator==(const Spec& other) const;
};

struct Preset {
  std::string_view name;
  std::string_view summary;
};
const std::vector<Preset>& presets();
std::string preset_names();  // separated by commas, for messages

// The preset's spec. Where a preset derives its ridge from the bound's parameters or the horizon, it does so
// from those given here. Throws InvalidArgument, listing the presets, for an unknown name.
Spec preset(std::string_view name, const BoundSpec& bound = {}, double horizon = Spec{}.horizon);

// The ridge that belongs to a type of bound, if it has one of its own: amm, dmm, cmm R^2/c, igp 1 + 2/T,
// empirical_bernstein noise_upper^2/B^2 to start with.
std::optional<double> derived_ridge(const BoundSpec& bound, double horizon);

// Throws InvalidArgument naming the first parameter that cannot be, with its value and range, or the parts
// that do not go together. Builds no engine: its cost is that of a look at the arms, if there are any.
void validate(const Spec& spec);

// The parts; each throws as validate() does. A user's own kernel may stand in for the spec's.
std::unique_ptr<Regression> make_regression(const Spec& spec, KernelPtr kernel = nullptr);
BoundPtr make_bound(const Spec& spec);

}  // namespace ridgerunner
