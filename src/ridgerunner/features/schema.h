#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgerunner/codec/fields.h"
#include "ridgerunner/codec/range.h"
#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

enum class FeatureType { number, category, boolean, text, numbers };
const Names<FeatureType>& names_of(FeatureType);

// One named value of a context or an action, and how it becomes columns:
//
//   number     the value (its logarithm if `log`; cosine and sine of 2 pi value / period if there is a
//              period), then 1 in a column of its own if the value is missing
//   boolean    0 or 1, then the same
//   category   with 1 to 64 `values`: 1 in the column of the value, or in a last one if it is missing or not
//              listed. Otherwise a code of 32 columns of +-1/sqrt(32), a function of the word alone: any two
//              words are about sqrt(2) apart
//   text       its words, lower-cased, hashed with signs into `width` columns, to length 1; then as number
//   numbers    a list of `size` numbers as they are; then as number
//
// A `required` value must not be missing, and has no column that says so.
struct Feature {
  std::string name;
  FeatureType type = FeatureType::number;
  bool required = false;
  bool log = false;
  std::optional<double> period = {};
  std::vector<std::string> values = {};
  std::int64_t width = 32;
  std::optional<std::int64_t> size = {};

  bool operator==(const Feature&) const = default;

  bool has_indicator() const { return !required && type != FeatureType::category; }
  bool is_one_hot() const;  // a category with a column for each value
  Index columns() const;

  template <class Visit>
  static void fields(Visit&& visit) {
    using Self = Feature;
    const auto is = [](FeatureType type) {
      return [type](const Self& feature) { return feature.type == type; };
    };
    visit("name", &Self::name, any_value("a name that is there once"), "what requests call it");
    visit("type", &Self::type, any_value(), "what its values are");
    visit("required", &Self::required, any_value(), "whether a request without it is refused");
    visit("log", &Self::log, any_value(), "number: take the logarithm; values must be > 0",
          is(FeatureType::number));
    visit("period", &Self::period, positive(), "number: the values go around, 24 for hours: 23 is near 0",
          is(FeatureType::number));
    visit(
        "values", &Self::values, any_value("list of words"),
        "category: the words to expect; all others count as one. None, or more than 64: any word has a code",
        is(FeatureType::category));
    visit("width", &Self::width, integer_from(1, 10'000), "text: columns to hash its words into",
          is(FeatureType::text));
    visit("size", &Self::size, integer_from(1, 10'000), "numbers: how many there are",
          is(FeatureType::numbers));
  }
};

enum class ColumnKind { number, one_hot, code, indicator, hashed };

// One number of an encoded state.
struct FeatureColumn {
  std::string name;  // "hour", "city=Paris", "hour is missing", ...
  int feature = kNone;
  ColumnKind kind = ColumnKind::number;
  bool operator==(const FeatureColumn&) const = default;

  static constexpr int kNone = -1;  // the id of an action, or what names are hashed into
};

// The features of contexts and actions as a plain value. A state is the columns of the context followed by
// those of the action. Actions without features are told apart by their ids, each a category of its own.
// With `hash_unknown` names that are not listed are hashed into `hash_width` further columns, after those of
// the context and after those of the action; without, they are errors.
struct Schema {
  std::vector<Feature> context = {}, action = {};
  bool hash_unknown = false;
  std::int64_t hash_width = 32;

  bool operator==(const Schema&) const = default;

  Index context_columns() const;
  Index action_columns() const;
  Index dimension() const { return context_columns() + action_columns(); }

  // Of a state, in order. `feature` counts through the context's features, then the action's.
  std::vector<FeatureColumn> columns() const;

  // For each column the number of its group, from 0 on: columns of a group belong on one scale. A feature is
  // a group, but its indicator is one of its own, and so is each of a list of numbers.
  std::vector<int> groups() const;

  // Nothing is known of an action but which one it is.
  bool action_is_one_category() const;

  // But for the features.
  template <class Visit>
  static void fields(Visit&& visit) {
    visit("hash_unknown", &Schema::hash_unknown, any_value(),
          "take names that are not listed, by hashing them; otherwise they are errors");
    visit("hash_width", &Schema::hash_width, integer_from(1, 10'000), "columns to hash them into");
  }
};

constexpr std::size_t kMostOneHot = 64;
constexpr Index kCodeWidth = 32;

// Throws InvalidArgument, "features.context[1].name ...", for what cannot be.
void check_schema(const Schema& schema);

// {"context": [{"name": "hour", "type": "number", "period": 24}, ...], "action": [...]}; `path` names it in
// errors. What is as by default is not written.
Schema schema_from_json(const Json& json, const std::string& path = "features");
Json schema_to_json(const Schema& schema);
Json feature_to_json(const Feature& feature);

// Known names for an error: "did you mean hour? known are hour, city".
std::string suggestion(const std::string& unknown, const std::vector<std::string>& known);

}  // namespace ridgerunner
