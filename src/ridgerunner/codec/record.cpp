#include "ridgerunner/codec/record.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner {

void read_field(Fields& in, const char* name, const ValueRange&, double& value) {
  in.number(name, value);
}

void read_field(Fields& in, const char* name, const ValueRange& range, std::int64_t& value) {
  const bool integer = range.kind == ValueRange::Kind::integer;
  const std::int64_t least =
      integer ? static_cast<std::int64_t>(range.low) : std::numeric_limits<std::int64_t>::min();
  in.integer(name, value, least);
  if (!integer || range.high < range.low || !in.has(name)) return;
  if (static_cast<double>(value) > range.high)
    in.refuse(name, fmt::format("must be an integer from {} to {}", range.low, range.high));
}

void read_field(Fields& in, const char* name, const ValueRange&, std::uint64_t& value) {
  in.unsigned_integer(name, value);
}

void read_field(Fields& in, const char* name, const ValueRange& range, int& value) {
  std::int64_t wide = value;
  read_field(in, name, range, wide);
  if (wide != static_cast<int>(wide)) in.refuse(name, "must be a smaller integer");
  value = static_cast<int>(wide);
}

void read_field(Fields& in, const char* name, const ValueRange&, bool& value) {
  in.boolean(name, value);
}

void read_field(Fields& in, const char* name, const ValueRange&, std::string& value) {
  in.text(name, value);
}

void read_field(Fields& in, const char* name, const ValueRange&, std::vector<double>& value) {
  in.numbers(name, value);
}

void read_field(Fields& in, const char* name, const ValueRange&, std::vector<std::string>& value) {
  in.words(name, value);
}

void read_field(Fields& in, const char* name, const ValueRange&, Vector& value) {
  if (const Json* json = in.child(name)) value = vector_from_json(*json, in.path(name));
}

void read_field(Fields& in, const char* name, const ValueRange&, Matrix& value) {
  in.points(name, value);
}

void write_field(Json& out, const char* name, double value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, std::int64_t value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, std::uint64_t value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, int value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, bool value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, const std::string& value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, const char* value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, const std::vector<double>& value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, const std::vector<std::string>& value) {
  out[name] = value;
}
void write_field(Json& out, const char* name, const Vector& value) {
  out[name] = vector_to_json(value);
}
void write_field(Json& out, const char* name, const Matrix& value) {
  out[name] = points_to_json(value);
}
void write_field(Json& out, const char* name, const Json& value) {
  out[name] = value;
}

Json empty_object() {
  return Json::object();
}

void check_field(const char* name, const ValueRange& range, double value) {
  require_in(range, name, value);
}

void check_field(const char* name, const ValueRange& range, const std::vector<double>& values) {
  if (values.empty() && range.kind != ValueRange::Kind::any)
    throw InvalidArgument(fmt::format("{} must not be empty", name));
  for (const double value : values) require_in(range, name, value);
}

bool get_flag_field(ByteReader& in) {
  const std::uint64_t value = in.integer();
  if (value > 1) throw InvalidArgument(fmt::format("a flag must be 0 or 1, got {}", value));
  return value == 1;
}

void refuse_integer(const char* name, std::uint64_t value) {
  throw InvalidArgument(fmt::format("{} cannot be {}", name, value));
}

std::string listed(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

std::string toml_of(const Json& object, const char* name) {
  return object.contains(name) ? toml_text(object.at(name)) : "";
}

void add_parameter(std::vector<Parameter>& rows, Parameter parameter) {
  const bool there =
      std::any_of(rows.begin(), rows.end(), [&](const Parameter& row) { return row.path == parameter.path; });
  if (!there) rows.push_back(std::move(parameter));
}

}  // namespace ridgerunner
