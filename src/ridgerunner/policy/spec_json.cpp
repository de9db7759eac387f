#include "ridgerunner/policy/spec_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

const Names<RegressionType> kRegressions = {{RegressionType::exact, "exact"},
                                            {RegressionType::kors, "kors"},
                                            {RegressionType::bkb, "bkb"},
                                            {RegressionType::bbkb, "bbkb"},
                                            {RegressionType::residual_budget, "residual_budget"}};
const Names<BoundType> kBounds = {{BoundType::fixed, "fixed"},
                                  {BoundType::self_normalized, "self_normalized"},
                                  {BoundType::wang_de_freitas, "wang_de_freitas"},
                                  {BoundType::igp, "igp"},
                                  {BoundType::bkb, "bkb"},
                                  {BoundType::ek_ucb, "ek_ucb"},
                                  {BoundType::amm, "amm"},
                                  {BoundType::dmm, "dmm"},
                                  {BoundType::cmm, "cmm"},
                                  {BoundType::empirical_bernstein, "empirical_bernstein"}};
const Names<RuleType> kRules = {{RuleType::ucb, "ucb"},
                                {RuleType::thompson, "thompson"},
                                {RuleType::supkernelucb, "supkernelucb"},
                                {RuleType::greedy, "greedy"},
                                {RuleType::uniform, "uniform"}};
const Names<First> kFirsts = {{First::random, "random"}, {First::lowest, "lowest"}};

void read_parts(Fields& fields, KernelSpec& spec) {
  if (const Json* parts = fields.child("parts")) {
    if (!parts->is_array()) fields.refuse("parts", "must be a list of kernels");
    for (std::size_t i = 0; i < parts->size(); ++i) {
      spec.parts.push_back(kernel_from_json((*parts)[i], fmt::format("{}[{}]", fields.path("parts"), i)));
    }
  }
  if (spec.type != KernelType::product) return;
  fields.integer("context_dim", spec.context_dim, 1);
  const Json* context = fields.child("context");
  const Json* action = fields.child("action");
  if (spec.context_dim == 0 && !context && !action) return;
  if (spec.context_dim == 0 || !context || !action || !spec.parts.empty()) {
    throw InvalidArgument("a product over blocks needs context_dim, context and action, and no parts");
  }
  spec.parts = {kernel_from_json(*context, fields.path("context")),
                kernel_from_json(*action, fields.path("action"))};
}

void read_bound(const Json& json, BoundSpec& bound) {
  Fields fields(json, "bound");
  fields.choice("type", bound.type, kBounds);
  fields.number("radius", bound.radius);
  fields.number("delta", bound.delta);
  fields.number("norm_bound", bound.norm_bound);
  fields.number("noise_bound", bound.noise_bound);
  fields.number("horizon", bound.horizon);
  fields.number("mixture_scale", bound.mixture_scale);
  fields.numbers("grid", bound.grid);
  fields.number("noise_lower", bound.noise_lower);
  fields.number("noise_upper", bound.noise_upper);
  fields.boolean("printed", bound.printed);
  fields.finish();
}

void read_optional(Fields& fields, const char* name, std::optional<double>& value) {
  double given = 0;
  fields.number(name, given);
  if (fields.has(name)) value = given;
}

void read_regression(const Json& json, RegressionSpec& regression) {
  Fields fields(json, "regression");
  fields.choice("type", regression.type, kRegressions);
  fields.number("ridge", regression.ridge);
  read_optional(fields, "projection", regression.projection);
  read_optional(fields, "oversampling", regression.oversampling);
  fields.number("accuracy", regression.accuracy);
  fields.number("batch_threshold", regression.batch_threshold);
  fields.number("tolerance", regression.tolerance);
  fields.boolean("arrival_features", regression.arrival_features);
  fields.finish();
}

Json regression_to_json(const RegressionSpec& regression) {
  return {{"type", name_in(kRegressions, regression.type)},
          {"ridge", regression.ridge},
          {"projection", regression.projection_or_default()},
          {"oversampling", regression.oversampling_or_default()},
          {"accuracy", regression.accuracy},
          {"batch_threshold", regression.batch_threshold},
          {"tolerance", regression.tolerance},
          {"arrival_features", regression.arrival_features}};
}

}  // namespace

KernelSpec kernel_from_json(const Json& json, const std::string& path, const KernelSpec& defaults) {
  Fields fields(json, path);
  KernelSpec spec = defaults;
  fields.choice("type", spec.type, names_of(spec.type));
  read_record(fields, spec);
  if (spec.type == KernelType::linear || spec.type == KernelType::polynomial)
    spec.offset = spec.offset_or_default();
  if (is_combined(spec.type)) read_parts(fields, spec);
  if (spec.type == KernelType::precomputed) fields.points("gram", spec.gram);
  fields.finish();    // refuses what has no meaning for the type
  make_kernel(spec);  // checks the ranges
  return spec;
}

Json kernel_to_json(const KernelSpec& spec) {
  Json json = {{"type", name(spec.type)}};
  KernelSpec written = spec;
  written.offset = spec.offset_or_default();
  write_record(json, written);
  if (is_stationary(spec.type) && spec.lengthscale.size() == 1) json["lengthscale"] = spec.lengthscale[0];
  if (is_combined(spec.type)) {
    if (spec.context_dim > 0) {
      json["context_dim"] = spec.context_dim;
      json["context"] = kernel_to_json(spec.parts.at(0));
      json["action"] = kernel_to_json(spec.parts.at(1));
    } else {
      json["parts"] = Json::array();
      for (const KernelSpec& part : spec.parts) json["parts"].push_back(kernel_to_json(part));
    }
  }
  if (spec.type == KernelType::precomputed) json["gram"] = points_to_json(spec.gram);
  return json;
}

Spec spec_from_json(const Json& json) {
  Fields fields(json, "");
  std::string policy = Spec{}.policy;
  fields.text("policy", policy);
  const Json* bound_json = fields.child("bound");
  BoundSpec bound;
  if (bound_json) read_bound(*bound_json, bound);
  bound.type = BoundSpec{}.type;      // a preset has its own
  Spec spec = preset(policy, bound);  // its derived values see the bound's parameters ...
  const BoundType preset_type = spec.bound.type;
  if (bound_json) read_bound(*bound_json, spec.bound);  // ... and what is given wins over the preset
  if (spec.bound.type != preset_type) {                 // another theorem has another ridge
    if (const auto ridge = derived_ridge(spec.bound)) spec.regression.ridge = *ridge;
  }
  fields.unsigned_integer("seed", spec.seed);
  if (const Json* kernel = fields.child("kernel")) spec.kernel = kernel_from_json(*kernel, "kernel");
  if (const Json* regression = fields.child("regression")) read_regression(*regression, spec.regression);
  if (const Json* rule = fields.child("rule")) {
    Fields inner(*rule, "rule");
    inner.choice("type", spec.rule.type, kRules);
    inner.choice("first", spec.rule.first, kFirsts);
    inner.finish();
  }
  if (const Json* arms = fields.child("arms")) {
    Fields inner(*arms, "arms");
    Matrix points;
    inner.points("points", points);
    inner.finish();
    spec.arms = std::move(points);
  }
  fields.finish();
  validate(spec);
  return spec;
}

Json spec_to_json(const Spec& spec) {
  Json json = {{"policy", spec.policy}, {"seed", spec.seed}};
  json["kernel"] = kernel_to_json(spec.kernel);
  json["regression"] = regression_to_json(spec.regression);
  Json& bound = json["bound"] = {{"type", name_in(kBounds, spec.bound.type)}};
  bound["radius"] = spec.bound.radius;
  bound["delta"] = spec.bound.delta;
  bound["norm_bound"] = spec.bound.norm_bound;
  bound["noise_bound"] = spec.bound.noise_bound;
  bound["horizon"] = spec.bound.horizon;
  bound["mixture_scale"] = spec.bound.mixture_scale;
  bound["grid"] = spec.bound.grid;
  bound["noise_lower"] = spec.bound.noise_lower;
  bound["noise_upper"] = spec.bound.noise_upper;
  bound["printed"] = spec.bound.printed;
  json["rule"] = {{"type", name_in(kRules, spec.rule.type)}, {"first", name_in(kFirsts, spec.rule.first)}};
  if (spec.arms) json["arms"] = {{"points", points_to_json(*spec.arms)}};
  return json;
}

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = {
      {"policy", "\"ek-ucb\"", "a preset", "where the spec starts; everything below overrides it"},
      {"seed", "7", "integer >= 0", "of the policy's own randomness"},
      {"kernel.type", "\"gaussian\"",
       "gaussian, matern12, matern32, matern52, linear, polynomial, rational_quadratic, sum, product, "
       "precomputed",
       "how alike two states are"},
      {"kernel.lengthscale", "0.5", "> 0; one number, or one per dimension",
       "stationary kernels: the scale of distances"},
      {"kernel.variance", "1.0", "> 0", "factor of the kernel; k(s, s) of the stationary ones"},
      {"kernel.offset", "0.0", ">= 0",
       "linear: variance (x.y + offset); polynomial (default 1): variance (x.y + offset)^degree"},
      {"kernel.degree", "2", "integer from 1 to 100", "polynomial"},
      {"kernel.shape", "1.0", "> 0", "rational_quadratic: (1 + r^2/(2 shape))^-shape"},
      {"kernel.parts", "", "list of kernels", "sum, product"},
      {"kernel.context_dim", "", "integer >= 1",
       "product over blocks: the first so many entries are the context"},
      {"kernel.context", "", "a kernel", "product over blocks: on the context"},
      {"kernel.action", "", "a kernel", "product over blocks: on the rest"},
      {"kernel.gram", "", "symmetric matrix, as a list of lists", "precomputed: states are indices of arms"},
      {"kernel.file", "", "a CSV file", "precomputed: the same matrix from a file (command line)"},
      {"regression.type", "\"kors\"", "exact, kors, bkb, bbkb, residual_budget",
       "the engine: all data, or a projection on anchors"},
      {"regression.ridge", "1.0", "> 0",
       "lambda; gp-ucb, bkb, bbkb: noise_bound^2; ay-gp-ucb and the bounds amm, dmm, cmm: noise_bound^2 / "
       "mixture_scale; igp: 1 + 2/horizon; kernel-ts: (noise_bound / norm_bound)^2; empirical_bernstein: "
       "moved every round, from (noise_upper / norm_bound)^2 on, whatever is set"},
      {"regression.projection", "1.0", "> 0",
       "kors: mu, how much the anchors may miss; the ridge if not set"},
      {"regression.oversampling", "1.0", "> 0",
       "factor of the probability to become an anchor; bkb, bbkb: 2 if not set"},
      {"regression.accuracy", "0.5", "between 0 and 1", "epsilon: kors's score, and the bound bkb"},
      {"regression.batch_threshold", "10.0", ">= 1",
       "bbkb: anchors are drawn anew when 1 + the variances chosen since exceed it"},
      {"regression.tolerance", "0.05", "> 0", "residual_budget: what the anchors may miss of the reward"},
      {"regression.arrival_features", "false", "true, false",
       "kors, residual_budget: keep no history, O(m^2) memory"},
      {"bound.type", "\"fixed\"",
       "fixed, self_normalized, wang_de_freitas, igp, bkb, ek_ucb, amm, dmm, cmm, empirical_bernstein",
       "what turns sd into a band"},
      {"bound.radius", "0.1", ">= 0", "fixed: mean +- radius sd"},
      {"bound.delta", "0.01", "between 0 and 1",
       "probability that the band may miss, over all rounds together"},
      {"bound.norm_bound", "10.0", ">= 0",
       "B: at least the norm of the reward function in the kernel's space"},
      {"bound.noise_bound", "0.1", ">= 0", "R: the noise is R-sub-Gaussian (its sd, if Gaussian)"},
      {"bound.horizon", "1000.0", ">= 1", "rounds to come: supkernelucb, residual_budget, igp"},
      {"bound.mixture_scale", "1.0", "> 0", "amm, dmm, cmm, ay-gp-ucb: c; the ridge is derived from it"},
      {"bound.grid", "[0.1, 0.3, 1.0, 3.0, 10.0]", "> 0; one number or a list",
       "dmm: multiples of the ridge to take the best of"},
      {"bound.noise_lower", "0.01", "> 0", "empirical_bernstein: the noise is at least this, to start with"},
      {"bound.noise_upper", "1.0", ">= noise_lower",
       "empirical_bernstein: the noise is at most this, to start with"},
      {"bound.printed", "false", "true, false",
       "bkb, empirical_bernstein: as the paper prints it, for comparison"},
      {"rule.type", "\"ucb\"", "ucb, thompson, supkernelucb, greedy, uniform",
       "how the band becomes a choice"},
      {"rule.first", "\"random\"", "random, lowest",
       "the choice while there are no data: random, or the lowest index"},
      {"arms.points", "", "list of points", "a fixed arm set; then decide needs no actions"},
      {"arms.file", "", "a CSV file, one arm a line", "the same from a file (command line)"},
  };
  return all;
}

}  // namespace ridgerunner
