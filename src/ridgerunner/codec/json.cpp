#include "ridgerunner/codec/json.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr int kDeepest = 32;

}  // namespace

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

double finite_number(const Json& value, const std::string& path) {
  if (!value.is_number())
    throw InvalidArgument(fmt::format("{} must be a number, got {}", path, shown(value)));
  const double number = value.get<double>();
  if (!std::isfinite(number)) throw InvalidArgument(fmt::format("{} must be finite, got {}", path, number));
  return number;
}

std::optional<std::string> word_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float()) return shortest(value.get<double>());
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::optional<Index>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string toml_text(const Json& value) {
  if (value.is_number_float()) {
    const std::string text = shortest(value.get<double>());
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  if (value.is_array()) {
    std::string text;
    for (const Json& entry : value) text += (text.empty() ? "" : ", ") + toml_text(entry);
    return "[" + text + "]";
  }
  if (value.is_object()) {
    std::string text;
    for (const auto& [key, entry] : value.items()) {
      text += fmt::format("{}{} = {}", text.empty() ? " " : ", ", key, toml_text(entry));
    }
    return "{" + text + " }";
  }
  return value.dump();
}

Vector vector_from_json(const Json& value, const std::string& path) {
  if (!value.is_array() || value.empty()) {
    throw InvalidArgument(fmt::format("{} must be a list of numbers, got {}", path, shown(value)));
  }
  Vector vector(static_cast<Index>(value.size()));
  for (Index i = 0; i < vector.size(); ++i)
    vector[i] = finite_number(value[static_cast<std::size_t>(i)], fmt::format("{}[{}]", path, i));
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
