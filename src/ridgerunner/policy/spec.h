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

enum class RegressionType { exact };
enum class BoundType { fixed, self_normalized };
enum class RuleType { ucb, greedy, uniform };
enum class First { random, lowest };  // the choice while there are no data: random, or the lowest index

struct RegressionSpec {
  RegressionType type = RegressionType::exact;
  double ridge = 1;
  bool operator==(const RegressionSpec&) const = default;
};

struct BoundSpec {
  BoundType type = BoundType::fixed;
  double radius = 0.1;       // fixed
  double delta = 0.01;       // the others
  double norm_bound = 10;    // B
  double noise_bound = 0.1;  // R
  double mixture_scale = 1;  // c: presets derive the ridge R^2/c from it
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
  std::string policy = "k-ucb";  // the preset it started from
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

// Throws InvalidArgument naming the first parameter that cannot be, with its value and range.
void validate(const Spec& spec);

// The parts; each throws as validate() does. A user's own kernel may stand in for the spec's.
std::unique_ptr<Regression> make_regression(const Spec& spec, KernelPtr kernel = nullptr);
BoundPtr make_bound(const BoundSpec& spec);

}  // namespace ridgerunner
