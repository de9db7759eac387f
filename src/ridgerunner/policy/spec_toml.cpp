#include "ridgerunner/policy/spec_toml.h"

#include <sstream>

#include <fmt/format.h>
#include <toml++/impl/preprocessor.h>

#include "ridgerunner/error.h"

namespace ridgerunner {

[[noreturn]] inline void not_toml() {
  throw InvalidArgument("the text is not TOML");
}

}  // namespace ridgerunner

// toml++ 3.3 takes some malformed texts ("[*") for impossible: it asserts, and without assertions it tells the
// compiler to assume. Found by fuzzing.
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(...) ((__VA_ARGS__) ? void() : ::ridgerunner::not_toml())

#include <toml++/toml.h>

namespace ridgerunner {
namespace {

Json convert(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = convert(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const auto& value : *array) list.push_back(convert(value));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* boolean = node.as_boolean()) return boolean->get();
  std::ostringstream place;
  place << node.source().begin;
  throw InvalidArgument(fmt::format("not a spec: a date or time at {}", place.str()));
}

std::string comment(const std::string& path) {
  for (const Parameter& parameter : parameters()) {
    if (parameter.path == path) return parameter.meaning;
  }
  return "";
}

std::string inline_value(const Json& value) {
  if (value.is_number_float()) {
    const std::string text = shortest(value.get<double>());
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  if (value.is_array()) {
    std::string text;
    for (const Json& entry : value) text += (text.empty() ? "" : ", ") + inline_value(entry);
    return "[" + text + "]";
  }
  if (value.is_object()) {
    std::string text;
    for (const auto& [key, entry] : value.items()) {
      text += fmt::format("{}{} = {}", text.empty() ? " " : ", ", key, inline_value(entry));
    }
    return "{" + text + " }";
  }
  return value.dump();
}

void print_line(std::string& out, const std::string& key, const Json& value, const std::string& path) {
  std::string line = fmt::format("{} = {}", key, inline_value(value));
  const std::string meaning = comment(path);
  out += meaning.empty() ? line + "\n" : fmt::format("{:<32} # {}\n", line, meaning);
}

}  // namespace

Json toml_to_json(std::string_view text) {
  try {
    return convert(toml::parse(text));
  } catch (const toml::parse_error& error) {
    std::ostringstream place;
    place << error.source().begin;
    throw InvalidArgument(fmt::format("not TOML: {} ({})", error.description(), place.str()));
  }
}

std::string spec_to_toml(const Spec& spec) {
  const Json json = spec_to_json(spec);
  std::string out;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_object()) print_line(out, key, value, key);
  }
  for (const auto& [section, table] : json.items()) {
    if (!table.is_object()) continue;
    out += fmt::format("\n[{}]\n", section);
    for (const auto& [key, value] : table.items()) print_line(out, key, value, section + "." + key);
  }
  return out;
}

}  // namespace ridgerunner
