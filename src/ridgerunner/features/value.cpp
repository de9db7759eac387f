#include "ridgerunner/features/value.h"

#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"
#include "ridgerunner/features/hashing.h"

namespace ridgerunner {
namespace {

[[noreturn]] void refuse(const ValuePlace& place, std::string_view rule, const std::string& got) {
  throw InvalidArgument(fmt::format("{} must be {}, got {}", place.text(), rule, got));
}

std::string quoted(std::string_view cell) {
  return fmt::format("\"{}{}\"", printable(cell.substr(0, 57)), cell.size() > 57 ? "..." : "");
}

FeatureValue finite_or_missing(double number, const ValuePlace& place) {
  if (std::isnan(number)) return Missing{};
  if (std::isinf(number)) refuse(place, "finite", shortest(number));
  return number;
}

std::string list_rule(const Feature& feature) {
  return fmt::format("a list of {} numbers", feature.size.value_or(0));
}

std::vector<double> list_from_json(const Feature& feature, const Json& json, const ValuePlace& place) {
  if (!json.is_array() || std::ssize(json) != feature.size.value_or(0))
    refuse(place, list_rule(feature), shown(json));
  std::vector<double> numbers;
  for (std::size_t i = 0; i < json.size(); ++i)
    numbers.push_back(finite_number(json[i], fmt::format("{}[{}]", place.text(), i)));
  return numbers;
}

std::vector<double> list_from_cell(const Feature& feature, std::string_view cell, const ValuePlace& place) {
  constexpr std::string_view kBetween = " \t,;";
  std::string_view rest = cell;
  if (rest.starts_with('[') && rest.ends_with(']') && rest.size() > 1) rest = rest.substr(1, rest.size() - 2);
  std::vector<double> numbers;
  for (;;) {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(kBetween)));
    if (rest.empty()) break;
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
    const auto number = number_of_cell(word);
    if (!number || !std::isfinite(*number)) refuse(place, list_rule(feature), quoted(cell));
    numbers.push_back(*number);
    rest.remove_prefix(word.size());
  }
  if (std::ssize(numbers) != feature.size.value_or(0)) refuse(place, list_rule(feature), quoted(cell));
  return numbers;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_one_of(std::string_view cell, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return equal_ignoring_case(cell, word); });
}

void write_number(const Feature& feature, double number, const ValuePlace& place, VectorOut columns) {
  if (feature.period) {
    const double angle = 2 * std::numbers::pi * (std::fmod(number, *feature.period) / *feature.period);
    columns[0] = std::cos(angle);
    columns[1] = std::sin(angle);
  } else if (feature.log) {
    if (!(number > 0)) refuse(place, "> 0 (its logarithm is taken)", shortest(number));
    columns[0] = std::log(number);
  } else {
    columns[0] = number;
  }
}

void write_word(const Feature& feature, const std::string& word, VectorOut columns) {
  if (!feature.is_one_hot()) return write_code(word, columns);
  const auto at = std::find(feature.values.begin(), feature.values.end(), word) - feature.values.begin();
  columns[at] = 1;  // the column after those of the values is that of all others
}

}  // namespace

std::string ValuePlace::text() const {
  return fmt::format("{}.{}", object, printable(name.substr(0, 100)));
}

FeatureValue value_from_json(const Feature& feature, const Json& json, const ValuePlace& place) {
  if (json.is_null()) return Missing{};
  if (json.is_number_float() && std::isnan(json.get<double>())) return Missing{};
  switch (feature.type) {
    case FeatureType::number:
      if (!json.is_number()) refuse(place, "a number", shown(json));
      return finite_or_missing(json.get<double>(), place);
    case FeatureType::boolean:
      if (json.is_boolean()) return json.get<bool>();
      if (json.is_number() && (json == 0 || json == 1)) return json == 1;
      refuse(place, "true or false", shown(json));
    case FeatureType::category:
      if (auto word = word_of(json)) return std::move(*word);
      refuse(place, "a word", shown(json));
    case FeatureType::text:
      if (!json.is_string()) refuse(place, "a text", shown(json));
      return json.get<std::string>();
    case FeatureType::numbers:
      return list_from_json(feature, json, place);
  }
  return Missing{};
}

FeatureValue value_from_cell(const Feature& feature, std::string_view given, const ValuePlace& place) {
  const std::string_view cell = trimmed(given);
  if (is_missing_cell(cell)) return Missing{};
  switch (feature.type) {
    case FeatureType::number:
      if (const auto number = number_of_cell(cell)) return finite_or_missing(*number, place);
      refuse(place, "a number", quoted(cell));
    case FeatureType::boolean:
      if (const auto flag = flag_of_cell(cell)) return *flag;
      refuse(place, "true or false", quoted(cell));
    case FeatureType::category:
    case FeatureType::text:
      return std::string(cell);
    case FeatureType::numbers:
      return list_from_cell(feature, cell, place);
  }
  return Missing{};
}

void write_value(const Feature& feature, const FeatureValue& value, const ValuePlace& place,
                 VectorOut columns) {
  columns.setZero();
  if (std::holds_alternative<Missing>(value)) {
    if (feature.required)
      throw InvalidArgument(fmt::format("{} is missing, and it is required", place.text()));
    if (feature.type == FeatureType::category && !feature.is_one_hot()) return write_missing_code(columns);
    columns[columns.size() - 1] = 1;  // the indicator, or the column of all other words
    return;
  }
  const Index indicator = feature.has_indicator() ? 1 : 0;
  VectorOut own = columns.head(columns.size() - indicator);
  if (const auto* number = std::get_if<double>(&value)) {
    write_number(feature, *number, place, own);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    own[0] = *flag ? 1 : 0;
  } else if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    own = Eigen::Map<const Vector>(list->data(), std::ssize(*list));
  } else if (const auto* words = std::get_if<std::string>(&value)) {
    feature.type == FeatureType::text ? write_text(*words, own) : write_word(feature, *words, own);
  }
}

void add_unknown(const Json& json, const ValuePlace& place, VectorOut columns) {
  const auto add = [&](const Json& value, const std::string& name) {
    if (value.is_number()) {
      const FeatureValue number = finite_or_missing(value.get<double>(), place);
      if (const double* weight = std::get_if<double>(&number)) add_hashed(name, *weight, columns);
    } else if (const auto word = word_of(value)) {
      add_hashed(fmt::format("{}={}", name, *word), 1, columns);
    } else if (!value.is_null()) {
      refuse(place, "a number, word or flag, or a list of them", shown(value));
    }
  };
  if (!json.is_array()) return add(json, std::string(place.name));
  for (std::size_t i = 0; i < json.size(); ++i)
    add(json[i], json[i].is_number() ? fmt::format("{}[{}]", place.name, i) : std::string(place.name));
}

void add_unknown(std::string_view given, const ValuePlace& place, VectorOut columns) {
  const std::string_view cell = trimmed(given);
  if (is_missing_cell(cell)) return;
  const auto number = number_of_cell(cell);
  add_unknown(number ? Json(*number) : Json(std::string(cell)), place, columns);
}

bool is_missing_cell(std::string_view cell) {
  return is_one_of(cell, {"", "na", "nan", "null", "n/a", "none"});
}

std::optional<double> number_of_cell(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (cell.empty() || error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return number;
}

std::optional<bool> flag_of_cell(std::string_view cell) {
  if (is_one_of(cell, {"true", "yes", "t", "y", "1", "1.0"})) return true;
  if (is_one_of(cell, {"false", "no", "f", "n", "0", "0.0"})) return false;
  return std::nullopt;
}

std::string_view trimmed(std::string_view cell) {
  const auto begin = cell.find_first_not_of(" \t"), end = cell.find_last_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : cell.substr(begin, end - begin + 1);
}

}  // namespace ridgerunner
