#include "ridgerunner/codec/fields.h"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner {

Fields::Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) {
    throw InvalidArgument(
        fmt::format("{} must be an object, got {}", path_.empty() ? "the text" : path_, shown(object)));
  }
}

bool Fields::has(const char* name) const {
  return object_.contains(name);
}

std::optional<std::size_t> Fields::word(const char* name, const std::vector<std::string>& words) {
  std::string given;
  text(name, given);
  if (!has(name)) return std::nullopt;
  std::string allowed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == given) return i;
    allowed += (i == 0 ? "" : ", ") + words[i];
  }
  refuse(name, "must be one of " + allowed);
}

const Json& Fields::get(const char* name) {
  asked_.insert(name);
  return object_.at(name);
}

void Fields::refuse(const char* name, const std::string& rule) const {
  throw InvalidArgument(fmt::format("{} {}, got {}", path(name), rule, shown(object_.at(name))));
}

void Fields::number(const char* name, double& value) {
  asked_.insert(name);
  if (has(name)) value = finite_number(get(name), path(name));
}

void Fields::integer(const char* name, std::int64_t& value, std::int64_t least) {
  asked_.insert(name);
  if (!has(name)) return;
  const Json& json = get(name);
  const bool fits =
      json.is_number_integer() &&
      !(json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max());
  if (!fits || json.get<std::int64_t>() < least) refuse(name, fmt::format("must be an integer >= {}", least));
  value = json.get<std::int64_t>();
}

void Fields::unsigned_integer(const char* name, std::uint64_t& value) {
  asked_.insert(name);
  if (!has(name)) return;
  const Json& json = get(name);
  if (!json.is_number_integer() || (!json.is_number_unsigned() && json.get<std::int64_t>() < 0)) {
    refuse(name, "must be an integer >= 0");
  }
  value = json.get<std::uint64_t>();
  // TOML and many other readers have no larger integers.
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    refuse(name, fmt::format("must be at most {}", std::numeric_limits<std::int64_t>::max()));
  }
}

void Fields::boolean(const char* name, bool& value) {
  asked_.insert(name);
  if (!has(name)) return;
  if (!get(name).is_boolean()) refuse(name, "must be true or false");
  value = get(name).get<bool>();
}

void Fields::text(const char* name, std::string& value) {
  asked_.insert(name);
  if (!has(name)) return;
  if (!get(name).is_string()) refuse(name, "must be a string");
  value = get(name).get<std::string>();
}

void Fields::numbers(const char* name, std::vector<double>& value) {
  asked_.insert(name);
  if (!has(name)) return;
  const Json& json = get(name);
  if (json.is_array() && !json.empty()) {
    value.clear();
    for (const Json& entry : json) value.push_back(finite_number(entry, path(name)));
  } else if (json.is_number()) {
    value = {finite_number(json, path(name))};
  } else {
    refuse(name, "must be a number or a list of numbers");
  }
}

void Fields::words(const char* name, std::vector<std::string>& value) {
  asked_.insert(name);
  if (!has(name)) return;
  const Json& json = get(name);
  if (!json.is_array()) refuse(name, "must be a list of words");
  value.clear();
  for (const Json& entry : json) {
    auto word = word_of(entry);
    if (!word) refuse(name, "must be a list of words");
    value.push_back(std::move(*word));
  }
}

void Fields::points(const char* name, Matrix& value) {
  asked_.insert(name);
  if (has(name)) value = points_from_json(get(name), path(name));
}

const Json* Fields::child(const char* name) {
  asked_.insert(name);
  return has(name) ? &get(name) : nullptr;
}

void Fields::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (asked_.contains(name)) continue;
    std::string known;
    for (const auto& field : asked_) known += (known.empty() ? "" : ", ") + field;
    throw InvalidArgument(fmt::format("unknown field {}; known are {}", path(name.c_str()), known));
  }
}

}  // namespace ridgerunner
