#include "ridgerunner/policy/spec_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

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

// A parameter that is known by its name: of the kind that it has already.
ParameterValue read_parameter(Fields& fields, const char* name, const ParameterValue& before) {
  if (const bool* flag = std::get_if<bool>(&before)) {
    bool value = *flag;
    fields.boolean(name, value);
    return value;
  }
  if (const auto* text = std::get_if<std::string>(&before)) {
    std::string value = *text;
    fields.text(name, value);
    return value;
  }
  if (const auto* list = std::get_if<std::vector<double>>(&before)) {
    std::vector<double> value = *list;
    fields.numbers(name, value);
    return value;
  }
  double value = 0;
  fields.number(name, value);
  return fields.has(name) ? value : before;
}

template <class Part>
void read_parameters(Fields& fields, Part& part) {
  for (const std::string& name : part.names())
    part.set(name, read_parameter(fields, name.c_str(), part.value(name)));
}

template <class Part>
void read_type(Fields& fields, Part& part) {
  const std::vector<std::string> types = Part::types();
  if (const auto at = fields.word("type", types)) part.choose(types[*at]);
}

void put(Json& json, const std::string& name, const auto& value) {
  if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
    json[name] = nullptr;
  } else {
    json[name] = value;
  }
}

// One of a record's own fields; whether it has one of that name.
template <class T>
bool write_named(Json& json, const std::string& name, const T& record) {
  bool found = false;
  T::fields([&](const char* known, auto member, auto&&...) {
    if (name != known) return;
    found = true;
    write_field(json, known, record.*member);
  });
  return found;
}

// The order in which a spec has always been written; parameters that are not here follow.
const std::vector<const char*> kRegressionOrder = {
    "ridge", "projection", "oversampling", "accuracy", "batch_threshold", "tolerance", "arrival_features"};
const std::vector<const char*> kBoundOrder = {"radius",      "delta",         "norm_bound", "noise_bound",
                                              "horizon",     "mixture_scale", "grid",       "noise_lower",
                                              "noise_upper", "printed"};

// A part's parameters in the order of `first`, then the others.
template <class Part, class Write>
void write_parameters(Json& json, const Part& part, const std::vector<const char*>& first, Write write) {
  std::vector<std::string> names(first.begin(), first.end());
  for (const std::string& name : part.names()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names) {
    if (!write(json, name)) std::visit([&](const auto& value) { put(json, name, value); }, part.value(name));
  }
}

Json regression_to_json(const RegressionSpec& regression) {
  Json json = {{"type", regression.dictionary.type()}};
  write_parameters(json, regression.dictionary, kRegressionOrder, [&](Json& into, const std::string& name) {
    if (name == "projection") into[name] = regression.projection_or_default();
    return name == "projection" || write_named(into, name, regression);
  });
  if (regression.offset != 0) json["offset"] = regression.offset;
  if (regression.reward_low) json["reward_low"] = *regression.reward_low;
  if (regression.reward_high) json["reward_high"] = *regression.reward_high;
  return json;
}

Json bound_to_json(const Spec& spec) {
  Json json = {{"type", spec.bound.type()}};
  write_parameters(json, spec.bound, kBoundOrder, [&](Json& into, const std::string& name) {
    if (name == "horizon") into[name] = spec.horizon;
    return name == "horizon";
  });
  return json;
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

namespace {

// The preset, the horizon and the bound: a preset's derived values see the parameters that are given, and
// what is given wins over the preset.
Spec read_preset_and_bound(Fields& fields) {
  std::string policy = Spec{}.policy;
  fields.text("policy", policy);
  const Json* given = fields.child("bound");
  if (!given) return preset(policy);
  Fields in(*given, "bound");
  BoundSpec parameters;
  double horizon = Spec{}.horizon;
  in.number("horizon", horizon);
  read_parameters(in, parameters);
  Spec spec = preset(policy, parameters, horizon);
  const std::string usual = spec.bound.type();
  read_type(in, spec.bound);
  read_parameters(in, spec.bound);
  in.finish();
  if (spec.bound.type() != usual) {  // another theorem has another ridge
    if (const auto ridge = derived_ridge(spec.bound, spec.horizon)) spec.regression.ridge = *ridge;
  }
  return spec;
}

// A kernel, ridge or radius that is given is kept, unless the spec says that it is tuned: then it is the one
// that a written spec has in its place.
void read_tuning(Fields& fields, const Json& spec, TuneSpec& tune) {
  const Json* given = fields.child("tune");
  const auto has = [](const Json* object, const char* name) {
    return object && object->is_object() && object->contains(name);
  };
  const auto part = [&](const char* name) { return spec.contains(name) ? &spec.at(name) : nullptr; };
  tune.kernel = !has(&spec, "kernel");
  tune.ridge = !has(part("regression"), "ridge");
  tune.radius = !has(part("bound"), "radius");
  if (given) {
    Fields inner(*given, "tune");
    read_record(inner, tune);
    inner.finish();
  }
  if (!tune.on()) tune = {};
}

}  // namespace

Spec unchecked_spec_from_json(const Json& json) {
  Fields fields(json, "");
  Spec spec = read_preset_and_bound(fields);
  fields.unsigned_integer("seed", spec.seed);
  if (const Json* kernel = fields.child("kernel")) spec.kernel = kernel_from_json(*kernel, "kernel");
  if (const Json* regression = fields.child("regression")) {
    Fields inner(*regression, "regression");
    read_type(inner, spec.regression.dictionary);
    read_record(inner, spec.regression);
    read_parameters(inner, spec.regression.dictionary);
    inner.finish();
  }
  if (const Json* rule = fields.child("rule")) {
    Fields inner(*rule, "rule");
    read_type(inner, spec.rule.type);
    read_record(inner, spec.rule);
    read_parameters(inner, spec.rule.type);
    inner.finish();
  }
  read_tuning(fields, json, spec.tune);
  if (const Json* arms = fields.child("arms")) {
    Fields inner(*arms, "arms");
    Matrix points;
    inner.points("points", points);
    inner.finish();
    spec.arms = std::move(points);
  }
  if (const Json* features = fields.child("features")) spec.features = schema_from_json(*features);
  fields.finish();
  return spec;
}

Spec spec_from_json(const Json& json) {
  Spec spec = unchecked_spec_from_json(json);
  validate(spec);
  return spec;
}

Json spec_to_json(const Spec& spec) {
  Json json = {{"policy", spec.policy}, {"seed", spec.seed}};
  json["kernel"] = kernel_to_json(spec.kernel);
  json["regression"] = regression_to_json(spec.regression);
  json["bound"] = bound_to_json(spec);
  Json& rule = json["rule"] = {{"type", spec.rule.type.type()}};
  write_record(rule, spec.rule);
  write_parameters(rule, spec.rule.type, {}, [](Json&, const std::string&) { return false; });
  // Since 0.2: what is as it always was is not written, so that older files compare equal.
  if (spec.rule.ties == Ties::lowest) rule.erase("ties");
  if (spec.tune.on()) write_record(json["tune"] = Json::object(), spec.tune);
  if (spec.arms) json["arms"] = {{"points", points_to_json(*spec.arms)}};
  if (spec.features) json["features"] = schema_to_json(*spec.features);
  return json;
}

namespace {

// What users registered, told by the name of its part.
void add_own(PartKind kind, const std::string& section, std::vector<Parameter>& rows) {
  for (const std::string& part : own_names(kind)) {
    Json json = Json::object();
    for (const auto& [name, initial] : own_parameters(kind, part).value_or(Parameters{})) {
      std::visit([&, &key = name](const auto& value) { put(json, key, value); }, initial);
      add_parameter(rows, {section + "." + name, toml_text(json[name]), "", part});
    }
  }
}

// Rows of a section in the order of a written spec, after its type.
void arrange(std::vector<Parameter>& rows, const std::string& section,
             const std::vector<const char*>& order) {
  const auto in_section = [&](const Parameter& row) { return row.path.starts_with(section); };
  const auto rank = [&](const Parameter& row) {
    const std::string name = row.path.substr(section.size());
    const auto at = std::find(order.begin(), order.end(), name);
    return name == "type" ? -1 : at - order.begin();
  };
  const auto begin = std::find_if(rows.begin(), rows.end(), in_section);
  const auto end = std::stable_partition(begin, rows.end(), in_section);
  std::stable_sort(begin, end, [&](const Parameter& a, const Parameter& b) { return rank(a) < rank(b); });
}

std::vector<Parameter> all_parameters() {
  std::vector<Parameter> all;
  const auto add = [&](const char* path, std::string initial, std::string range, const char* meaning) {
    all.push_back({path, std::move(initial), std::move(range), meaning});
  };
  const auto type = [&](const char* path, const std::string& initial, std::vector<std::string> types,
                        const char* meaning) { add(path, "\"" + initial + "\"", listed(types), meaning); };
  const Spec usual;
  add("policy", "\"" + usual.policy + "\"", "a preset",
      "where the spec starts; everything below overrides it");
  add("seed", std::to_string(usual.seed), "integer >= 0", "of the policy's own randomness");
  add("kernel.type", toml_text(name(usual.kernel.type)), allowed(any_value(), usual.kernel.type),
      "how alike two states are");
  describe_record<KernelSpec>("kernel", all);
  add("kernel.parts", "", "list of kernels", "sum, product");
  add("kernel.context_dim", "", "integer >= 1",
      "product over blocks: the first so many entries are the context");
  add("kernel.context", "", "a kernel", "product over blocks: on the context");
  add("kernel.action", "", "a kernel", "product over blocks: on the rest");
  add("kernel.gram", "", "symmetric matrix, as a list of lists", "precomputed: states are indices of arms");
  add("kernel.file", "", "a CSV file", "precomputed: the same matrix from a file (command line)");
  type("regression.type", usual.regression.dictionary.type(), DictionaryChoice::types(),
       "the engine: all data, or a projection on anchors");
  describe_record<RegressionSpec>("regression", all);
  DictionaryChoice::describe("regression", all);
  type("bound.type", usual.bound.type(), BoundSpec::types(), "what turns sd into a band");
  BoundSpec::describe("bound", all);
  add("bound.horizon", toml_text(usual.horizon), ">= 1",
      "rounds to come: supkernelucb, residual_budget, igp");
  type("rule.type", usual.rule.type.type(), RuleChoice::types(), "how the band becomes a choice");
  describe_record<RuleSpec>("rule", all);
  describe_record<TuneSpec>("tune", all);
  add("arms.points", "", "list of points", "a fixed arm set; then decide needs no actions");
  add("arms.file", "", "a CSV file, one arm a line", "the same from a file (command line)");
  add("features.context", "", "list of features",
      "named values of a context: [[features.context]] and the keys below, for each");
  describe_record<Feature>("features.context", all);
  add("features.action", "", "list of features", "the same of an action; without any, an action is its id");
  describe_record<Schema>("features", all);
  for (const auto& [kind, section] : {std::pair{PartKind::dictionary, "regression"},
                                      std::pair{PartKind::bound, "bound"}, std::pair{PartKind::rule, "rule"}})
    add_own(kind, section, all);
  arrange(all, "regression.", kRegressionOrder);
  arrange(all, "bound.", kBoundOrder);
  for (Parameter& row : all) {  // defaults that depend on others
    if (row.path == "kernel.offset") row.initial = "0.0";
    if (row.path == "regression.projection") row.initial = "1.0";
    if (row.path == "features.context.name") row.initial = "";
    if (row.path == "kernel.lengthscale") row.initial = toml_text(usual.kernel.lengthscale[0]);
  }
  return all;
}

}  // namespace

std::vector<Parameter> parameters() {
  return all_parameters();
}

}  // namespace ridgerunner
