#include "ridgerunner/features/encoder.h"

#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/features/hashing.h"
#include "ridgerunner/features/value.h"

namespace ridgerunner {

// The context's or the action's share of a schema, ready to be looked up by name.
struct EncoderSide {
  const std::vector<Feature>* features;
  const std::vector<Feature>* others;  // those of the other side
  const char* others_name;
  std::unordered_map<std::string_view, std::size_t> positions;
  std::vector<Index> begins;  // where the columns of each feature begin
  Index own = 0;              // columns of the features, or of the id
  Index hashed = 0;           // columns after them, for unknown names

  EncoderSide(const std::vector<Feature>& mine, const std::vector<Feature>& other, const char* other_name,
              Index id_columns, Index hash_columns)
      : features(&mine), others(&other), others_name(other_name), own(id_columns), hashed(hash_columns) {
    for (const Feature& feature : mine) {
      positions.emplace(feature.name, begins.size());
      begins.push_back(own);
      own += feature.columns();
    }
  }

  Index columns() const { return own + hashed; }
};

namespace {

[[noreturn]] void refuse_unknown(const EncoderSide& side, const std::string& name, const ValuePlace& place) {
  for (const Feature& other : *side.others) {
    if (other.name == name)
      throw InvalidArgument(
          fmt::format("unknown feature {}; {} is a feature of the {}", place.text(), name, side.others_name));
  }
  std::vector<std::string> known;
  for (const Feature& feature : *side.features) known.push_back(feature.name);
  throw InvalidArgument(fmt::format("unknown feature {}; {}", place.text(), suggestion(name, known)));
}

// Fills the columns of a side, value by value; finish() fills in what was not there.
class SideWriter {
 public:
  SideWriter(const EncoderSide& side, const std::string& path)
      : side_(side), path_(path), seen_(side.features->size()), columns_(Vector::Zero(side.columns())) {}

  // `read` makes a value of its type of what was given.
  template <class Given, class Read>
  void put(const std::string& name, const Given& given, Read read) {
    const ValuePlace place{path_, name};
    const auto known = side_.positions.find(name);
    if (known != side_.positions.end()) {
      const std::size_t at = known->second;
      if (seen_[at]) throw InvalidArgument(fmt::format("{} must not be there twice", place.text()));
      seen_[at] = true;
      const Feature& feature = (*side_.features)[at];
      write_value(feature, read(feature, given, place), place, block(at));
    } else if (side_.hashed > 0) {
      add_unknown(given, place, columns_.tail(side_.hashed));
    } else {
      refuse_unknown(side_, name, place);
    }
  }

  Vector finish() {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Feature& feature = (*side_.features)[i];
      if (!seen_[i]) write_value(feature, Missing{}, {path_, feature.name}, block(i));
    }
    if (!columns_.allFinite())
      throw InvalidArgument(fmt::format("{} has numbers too large to add up", path_));
    return std::move(columns_);
  }

  Vector& columns() { return columns_; }

 private:
  VectorOut block(std::size_t feature) {
    return columns_.segment(side_.begins[feature], (*side_.features)[feature].columns());
  }

  const EncoderSide& side_;
  const std::string& path_;
  std::vector<bool> seen_;
  Vector columns_;
};

void put_object(SideWriter& writer, const Json& object, std::string_view but_for = {}) {
  for (const auto& [name, value] : object.items()) {
    if (name != but_for) writer.put(name, value, value_from_json);
  }
}

// Whether it is {"id": ..., "features": {...}} rather than the features themselves.
bool is_wrapped(const Json& action) {
  return action.is_object() && action.contains("features");
}

}  // namespace

struct Encoder::Parts {
  Schema schema;
  EncoderSide context, action;

  explicit Parts(Schema given)
      : schema(std::move(given)),
        context(schema.context, schema.action, "action", 0, hash_columns()),
        action(schema.action, schema.context, "context", schema.action.empty() ? kCodeWidth : 0,
               hash_columns()) {}
  Parts(const Parts&) = delete;  // its sides point into it
  Parts& operator=(const Parts&) = delete;

  Index hash_columns() const { return schema.hash_unknown ? schema.hash_width : 0; }
  bool has_ids_only() const { return schema.action.empty(); }
};

Encoder::Encoder(Schema schema) {
  check_schema(schema);
  parts_ = std::make_shared<const Parts>(std::move(schema));
}

const Schema& Encoder::schema() const {
  return parts_->schema;
}

Vector Encoder::encode_context(const Json& values, const std::string& path) const {
  if (!values.is_object())
    throw InvalidArgument(fmt::format("{} must be an object of features, as the spec has features, got {}",
                                      path, shown(values)));
  SideWriter writer(parts_->context, path);
  put_object(writer, values);
  return writer.finish();
}

std::optional<std::string> Encoder::action_id(const Json& action, const std::string& path) const {
  if (!action.is_object()) return parts_->has_ids_only() ? word_of(action) : std::nullopt;
  const auto given = action.find("id");
  if (given == action.end() || given->is_null()) return std::nullopt;
  if (auto id = word_of(*given)) return id;
  throw InvalidArgument(fmt::format("{}.id must be a word, got {}", path, shown(*given)));
}

void Encoder::require_id(bool given, const std::string& path) const {
  if (!given && !parts_->schema.hash_unknown)
    throw InvalidArgument(
        fmt::format("{}.id is missing: actions have no features to tell them apart by", path));
}

Vector Encoder::encode_action(const Json& action, const std::string& path) const {
  const bool ids_only = parts_->has_ids_only();
  const auto id = action_id(action, path);
  if (!action.is_object() && !id) {
    const std::string_view rule = ids_only ? "an id or an object of features, as the spec has features"
                                           : "an object of features, as the spec has features";
    throw InvalidArgument(fmt::format("{} must be {}, got {}", path, rule, shown(action)));
  }
  if (ids_only) require_id(id.has_value(), path);
  const std::string inner = is_wrapped(action) ? path + ".features" : path;
  SideWriter writer(parts_->action, inner);
  if (ids_only) {
    VectorOut code = writer.columns().head(kCodeWidth);
    id ? write_code(*id, code) : write_missing_code(code);
  }
  if (is_wrapped(action)) {
    for (const auto& [name, value] : action.items()) {
      if (name != "id" && name != "features")
        throw InvalidArgument(
            fmt::format("unknown field {}.{}; beside features there may be id", path, name));
    }
    const Json& features = action["features"];
    if (!features.is_object())
      throw InvalidArgument(fmt::format("{} must be an object of features, as the spec has features, got {}",
                                        inner, shown(features)));
    put_object(writer, features);
  } else if (action.is_object()) {
    const bool id_is_feature = parts_->action.positions.contains("id");
    put_object(writer, action, id_is_feature ? "" : "id");
  }
  return writer.finish();
}

Vector Encoder::encode_state(const Json* context, const Json& action) const {
  const Vector first = encode_context(context ? *context : Json::object());
  const Vector second = encode_action(action);
  Vector state(first.size() + second.size());
  state << first, second;
  return state;
}

EncodedActions Encoder::encode_actions(const Json* context, const Json& actions) const {
  if (!actions.is_array() || actions.empty())
    throw InvalidArgument(fmt::format("actions must be a list of actions, got {}", shown(actions)));
  const Vector first = encode_context(context ? *context : Json::object());
  EncodedActions encoded;
  encoded.states.resize(parts_->schema.dimension(), std::ssize(actions));
  encoded.states.topRows(first.size()).colwise() = first;
  std::vector<std::string> ids(actions.size());
  bool named = false;
  for (std::size_t j = 0; j < actions.size(); ++j) {
    const std::string path = fmt::format("actions[{}]", j);
    encoded.states.col(static_cast<Index>(j)).tail(parts_->action.columns()) =
        encode_action(actions[j], path);
    if (auto id = action_id(actions[j], path)) {
      ids[j] = std::move(*id);
      named = true;
    }
  }
  if (named) encoded.ids = std::move(ids);
  return encoded;
}

Vector Encoder::encode_context(std::span<const NamedCell> row) const {
  const std::string path = "context";
  SideWriter writer(parts_->context, path);
  for (const NamedCell& cell : row) writer.put(std::string(cell.name), cell.text, value_from_cell);
  return writer.finish();
}

Vector Encoder::encode_action(std::span<const NamedCell> row) const {
  const std::string path = "action";
  SideWriter writer(parts_->action, path);
  const bool id_is_feature = parts_->action.positions.contains("id");
  std::string_view id;
  for (const NamedCell& cell : row) {
    if (cell.name == "id" && !id_is_feature) {
      id = trimmed(cell.text);
    } else {
      writer.put(std::string(cell.name), cell.text, value_from_cell);
    }
  }
  if (parts_->has_ids_only()) {
    require_id(!is_missing_cell(id), path);
    VectorOut code = writer.columns().head(kCodeWidth);
    is_missing_cell(id) ? write_missing_code(code) : write_code(id, code);
  }
  return writer.finish();
}

void refuse_names(const Json& value, const std::string& path) {
  if (value.is_object())
    throw InvalidArgument(
        fmt::format("{} must be a list of numbers, as the spec has no features, got {}", path, shown(value)));
  if (!value.is_array()) return;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i].is_object()) refuse_names(value[i], fmt::format("{}[{}]", path, i));
  }
}

}  // namespace ridgerunner
