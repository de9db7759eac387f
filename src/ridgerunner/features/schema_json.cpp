#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"
#include "ridgerunner/features/schema.h"

namespace ridgerunner {
namespace {

std::vector<Feature> read_features(Fields& in, const char* name) {
  std::vector<Feature> features;
  const Json* list = in.child(name);
  if (!list) return features;
  if (!list->is_array()) in.refuse(name, "must be a list of features");
  for (std::size_t i = 0; i < list->size(); ++i) {
    Fields fields((*list)[i], fmt::format("{}[{}]", in.path(name), i));
    if (!fields.has("name")) throw InvalidArgument(fmt::format("{} is missing", fields.path("name")));
    Feature feature;
    fields.choice("type", feature.type, names_of(feature.type));  // first: it says which others count
    read_record(fields, feature);
    fields.finish();
    features.push_back(std::move(feature));
  }
  return features;
}

Json features_to_json(const std::vector<Feature>& features) {
  Json list = Json::array();
  for (const Feature& feature : features) list.push_back(feature_to_json(feature));
  return list;
}

}  // namespace

Json feature_to_json(const Feature& feature) {
  Json all = Json::object(), usual = Json::object();
  write_record(all, feature);
  Feature plain;
  plain.type = feature.type;
  write_record(usual, plain);
  Json json = {{"name", feature.name}, {"type", all["type"]}};
  for (const auto& [key, value] : all.items()) {
    const bool says_something = !usual.contains(key) || usual[key] != value || key == "width";
    if (says_something) json[key] = value;
  }
  return json;
}

Schema schema_from_json(const Json& json, const std::string& path) {
  Fields fields(json, path);
  Schema schema;
  read_record(fields, schema);
  schema.context = read_features(fields, "context");
  schema.action = read_features(fields, "action");
  fields.finish();
  check_schema(schema);
  return schema;
}

Json schema_to_json(const Schema& schema) {
  Json json = Json::object();
  write_record(json, schema);
  if (!schema.context.empty()) json["context"] = features_to_json(schema.context);
  if (!schema.action.empty()) json["action"] = features_to_json(schema.action);
  return json;
}

}  // namespace ridgerunner
