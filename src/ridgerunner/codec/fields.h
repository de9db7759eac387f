#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ridgerunner/codec/json.h"

namespace ridgerunner {

// The words for the values of an enum, in the order they are listed in.
template <class Enum>
using Names = std::vector<std::pair<Enum, const char*>>;

template <class Enum>
const char* name_in(const Names<Enum>& names, Enum value) {
  for (const auto& [candidate, known] : names) {
    if (candidate == value) return known;
  }
  return "unknown";
}

// Reads the fields of a JSON object one by one; finish() refuses those nobody asked for. Errors name the
// field by its path ("kernel.lengthscale must be a number, got \"wide\"").
class Fields {
 public:
  Fields(const Json& object, std::string path);

  bool has(const char* name) const;
  std::string path(const char* name) const { return path_.empty() ? name : path_ + "." + name; }

  // Each leaves `value` as it was if the field is absent.
  void number(const char* name, double& value);
  void integer(const char* name, std::int64_t& value, std::int64_t least);
  void unsigned_integer(const char* name, std::uint64_t& value);
  void boolean(const char* name, bool& value);
  void text(const char* name, std::string& value);
  void numbers(const char* name, std::vector<double>& value);     // one number, or a list
  void words(const char* name, std::vector<std::string>& value);  // texts, numbers, flags: word_of()
  void points(const char* name, Matrix& value);                   // a list of equally long lists: columns
  const Json* child(const char* name);                            // null if absent

  // One of a few words: its position among `words`, or nothing if the field is absent.
  std::optional<std::size_t> word(const char* name, const std::vector<std::string>& words);

  template <class Enum>
  void choice(const char* name, Enum& value, const Names<Enum>& names) {
    std::vector<std::string> words;
    for (const auto& [candidate, known] : names) words.emplace_back(known);
    if (const auto at = word(name, words)) value = names[*at].first;
  }

  [[noreturn]] void refuse(const char* name, const std::string& rule) const;
  void finish() const;

 private:
  const Json& get(const char* name);

  const Json& object_;
  std::string path_;
  std::set<std::string> asked_;
};

}  // namespace ridgerunner
