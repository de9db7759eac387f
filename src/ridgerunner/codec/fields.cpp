#include "ridgerunner/codec/fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr int kDeepest = 32;

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

double finite(const Json& value, const std::string& path) {
  if (!value.is_number())
    throw InvalidArgument(fmt::format("{} must be a number, got {}", path, shown(value)));
  const double number = value.get<double>();
  if (!std::isfinite(number)) throw InvalidArgument(fmt::format("{} must be finite, got {}", path, number));
  return number;
}

}  // namespace

Fields::Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) {
    throw InvalidArgument(
        fmt::format("{} must be an object, got {}", path_.empty() ? "the text" : path_, shown(object)));
  }
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
  if (has(name)) value = finite(get(name), path(name));
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
    for (const Json& entry : json) value.push_back(finite(entry, path(name)));
  } else if (json.is_number()) {
    value = {finite(json, path(name))};
  } else {
    refuse(name, "must be a number or a list of numbers");
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

Vector vector_from_json(const Json& value, const std::string& path) {
  if (!value.is_array() || value.empty()) {
    throw InvalidArgument(fmt::format("{} must be a list of numbers, got {}", path, shown(value)));
  }
  Vector vector(static_cast<Index>(value.size()));
  for (Index i = 0; i < vector.size(); ++i)
    vector[i] = finite(value[static_cast<std::size_t>(i)], fmt::format("{}[{}]", path, i));
  return vector;
}

Matrix points_from_json(const Json& value, const std::string& path) {
  if (!value.is_array() || value.empty()) {
    throw InvalidArgument(
        fmt::format("{} must be a list of points, each a list of numbers, got {}", path, shown(value)));
  }
  Matrix points;
  for (std::size_t j = 0; j < value.size(); ++j) {
    const Vector point = vector_from_json(value[j], fmt::format("{}[{}]", path, j));
    if (j == 0) points.resize(point.size(), static_cast<Index>(value.size()));
    if (point.size() != points.rows()) {
      throw InvalidArgument(fmt::format("{}[{}] has dimension {}, but {}[0] has {}", path, j, point.size(),
                                        path, points.rows()));
    }
    points.col(static_cast<Index>(j)) = point;
  }
  return points;
}

Json vector_to_json(const VectorIn& vector) {
  Json list = Json::array();
  for (Index i = 0; i < vector.size(); ++i) list.push_back(vector[i]);
  return list;
}

Json points_to_json(const MatrixIn& points) {
  Json list = Json::array();
  for (Index j = 0; j < points.cols(); ++j) list.push_back(vector_to_json(points.col(j)));
  return list;
}

Json parse_json(std::string_view text) {
  std::vector<std::set<std::string>> keys;  // of the objects around the current place
  const auto checks = [&keys](int depth, Json::parse_event_t event, Json& parsed) {
    // Nothing we read is deep, and a library that recurses over a hostile value would overflow the stack.
    if (depth > kDeepest)
      throw InvalidArgument(fmt::format("not JSON we take: nested deeper than {}", kDeepest));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw InvalidArgument(fmt::format("the field {} is there twice", parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text, checks);
  } catch (const Json::parse_error& error) {
    std::string reason =
        error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    if (const auto at = reason.find("parse error"); at != std::string::npos) reason = reason.substr(at);
    throw InvalidArgument(fmt::format("not JSON: {}", reason));
  } catch (const Json::exception& error) {
    const std::string reason = error.what();  // "[json.exception.out_of_range.406] number overflow ..."
    throw InvalidArgument(
        fmt::format("not JSON: {}", reason.substr(std::min(reason.size(), reason.find("] ") + 2))));
  }
}

}  // namespace ridgerunner
