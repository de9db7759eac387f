#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

using Json = nlohmann::ordered_json;

// Reads the fields of a JSON object one by one; finish() refuses those nobody asked for. Errors name the
// field by its path ("kernel.lengthscale must be a number, got \"wide\"").
class Fields {
 public:
  Fields(const Json& object, std::string path);

  bool has(const char* name) const { return object_.contains(name); }
  std::string path(const char* name) const { return path_.empty() ? name : path_ + "." + name; }

  // Each leaves `value` as it was if the field is absent.
  void number(const char* name, double& value);
  void integer(const char* name, std::int64_t& value, std::int64_t least);
  void unsigned_integer(const char* name, std::uint64_t& value);
  void boolean(const char* name, bool& value);
  void text(const char* name, std::string& value);
  void numbers(const char* name, std::vector<double>& value);  // one number, or a list
  void points(const char* name, Matrix& value);                // a list of equally long lists: columns
  const Json* child(const char* name);                         // null if absent

  template <class Enum>
  void choice(const char* name, Enum& value, const std::vector<std::pair<Enum, const char*>>& names) {
    asked_.insert(name);
    if (!has(name)) return;
    std::string word;
    text(name, word);
    std::string allowed;
    for (const auto& [candidate, known] : names) {
      if (word == known) {
        value = candidate;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(known);
    }
    refuse(name, "must be one of " + allowed);
  }

  [[noreturn]] void refuse(const char* name, const std::string& rule) const;
  void finish() const;

 private:
  const Json& get(const char* name);

  const Json& object_;
  std::string path_;
  std::set<std::string> asked_;
};

// Columns from a list of equally long lists of finite numbers; `path` names it in errors.
Matrix points_from_json(const Json& value, const std::string& path);
Vector vector_from_json(const Json& value, const std::string& path);
Json points_to_json(const MatrixIn& points);
Json vector_to_json(const VectorIn& vector);

// Text to JSON. An error says where; duplicate keys and deep nesting are errors too.
Json parse_json(std::string_view text);

template <class Enum>
const char* name_in(const std::vector<std::pair<Enum, const char*>>& names, Enum value) {
  for (const auto& [candidate, known] : names) {
    if (candidate == value) return known;
  }
  return "unknown";
}

}  // namespace ridgerunner
