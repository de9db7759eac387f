#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgerunner/bounds/bound.h"
#include "ridgerunner/kernel/kernel_spec.h"
#include "ridgerunner/linalg/types.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

enum class RegressionType { exact, kors, bkb, bbkb, residual_budget };
enum class BoundType {
  fixed,
  self_normalized,
  wang_de_freitas,
  igp,
  bkb,
  ek_ucb,
  amm,
  dmm,
  cmm,
  empirical_bernstein
};
enum class RuleType { ucb, thompson, supkernelucb, greedy, uniform };
enum class First { random, lowest };  // the choice while there are no data: random, or the lowest index

struct RegressionSpec {
  RegressionType type = RegressionType::kors;
  double ridge = 1;                    // λ
  std::optional<double> projection;    // kors: μ; the ridge if not set
  std::optional<double> oversampling;  // kors: γ, 1 if not set; bkb, bbkb: qbar, 2 if not set
  double accuracy = 0.5;               // ε
  double batch_threshold = 10;         // bbkb: C
  double tolerance = 0.05;             // residual_budget
  bool arrival_features = false;       // kors, residual_budget: keep no history

  double projection_or_default() const { return projection.value_or(ridge); }
  double oversampling_or_default() const {
    return oversampling.value_or(type == RegressionType::bkb || type == RegressionType::bbkb ? 2 : 1);
  }
  bool operator==(const RegressionSpec& other) const;  // a default is equal to itself written out
};

struct BoundSpec {
  BoundType type = BoundType::fixed;
  double radius = 0.1;                              // fixed
  double delta = 0.01;                              // the others
  double norm_bound = 10;                           // B
  double noise_bound = 0.1;                         // R
  double horizon = 1000;                            // rounds to come: supkernelucb, residual_budget, igp
  double mixture_scale = 1;                         // c: the ridge of mixtures is R^2/c if not set
  std::vector<double> grid = {0.1, 0.3, 1, 3, 10};  // dmm: multiples of the ridge
  double noise_lower = 0.01;                        // empirical_bernstein: at the start
  double noise_upper = 1;
  bool printed = false;  // bkb, empirical_bernstein: as the paper prints it, for comparison
  bool operator==(const BoundSpec&) const = default;
};

struct RuleSpec {
  RuleType type = RuleType::ucb;
  First first = First::random;
  bool operator==(const RuleSpec&) const = default;
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
  std::optional<Matrix> arms;  // d x A: a fixed arm set

  bool operator==(const Spec& other) const;
};

struct Preset {
  std::string_view name;
  std::string_view summary;
};
const std::vector<Preset>& presets();
std::string preset_names();  // separated by commas, for messages

// The preset's spec. Where a preset derives its ridge from the bound's parameters, it does so from those in
// `bound`. Throws InvalidArgument, listing the presets, for an unknown name.
Spec preset(std::string_view name, const BoundSpec& bound = {});

// The ridge that belongs to a type of bound, if it has one of its own: amm, dmm, cmm R^2/c, igp 1 + 2/T,
// empirical_bernstein noise_upper^2/B^2 to start with.
std::optional<double> derived_ridge(const BoundSpec& bound);

// Throws InvalidArgument naming the first parameter that cannot be, with its value and range.
void validate(const Spec& spec);

// The parts; each throws as validate() does. A user's own kernel may stand in for the spec's.
std::unique_ptr<Regression> make_regression(const Spec& spec, KernelPtr kernel = nullptr);
BoundPtr make_bound(const Spec& spec);

}  // namespace ridgerunner
