#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ridgerunner/features/schema.h"

namespace ridgerunner {

struct Missing {};

// What a request says of a feature, in the feature's own type.
using FeatureValue = std::variant<Missing, double, bool, std::string, std::vector<double>>;

// Where a value stands, for errors only: "actions[3].price".
struct ValuePlace {
  const std::string& object;
  std::string_view name;
  std::string text() const;
};

// From JSON: null and NaN are missing, a category may be a number or flag as well, a flag 0 or 1. Throws
// InvalidArgument with the place and the value for what is of another type or infinite.
FeatureValue value_from_json(const Feature& feature, const Json& json, const ValuePlace& place);

// From a cell of a table. Empty, NA, NaN and null are missing; numbers of a list are separated by spaces,
// commas or semicolons, in brackets or not.
FeatureValue value_from_cell(const Feature& feature, std::string_view cell, const ValuePlace& place);

// The feature's columns. Throws InvalidArgument if a required value is missing or a logarithm does not exist.
void write_value(const Feature& feature, const FeatureValue& value, const ValuePlace& place,
                 VectorOut columns);

// Adds a value of a name that no feature has: a number as name times number, a word or flag as name=word, a
// list entry by entry.
void add_unknown(const Json& json, const ValuePlace& place, VectorOut columns);
void add_unknown(std::string_view cell, const ValuePlace& place, VectorOut columns);

// Cells as people write them.
bool is_missing_cell(std::string_view cell);
std::optional<double> number_of_cell(std::string_view cell);  // finite or not
std::optional<bool> flag_of_cell(std::string_view cell);      // true, yes, 1, ...; any case
std::string_view trimmed(std::string_view cell);              // without spaces around

}  // namespace ridgerunner
