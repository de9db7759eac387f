#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Only declared here: who looks into one includes <nlohmann/json.hpp>, which takes long to compile.
using Json = nlohmann::ordered_json;

// Text to JSON. An error says where; duplicate keys and deep nesting are errors too.
Json parse_json(std::string_view text);

// Columns from a list of equally long lists of finite numbers; `path` names it in errors.
Matrix points_from_json(const Json& value, const std::string& path);
Vector vector_from_json(const Json& value, const std::string& path);
Json points_to_json(const MatrixIn& points);
Json vector_to_json(const VectorIn& vector);

// For errors: a value, cut where it is long; a number that must be finite, named by `path`.
std::string shown(const Json& value);
double finite_number(const Json& value, const std::string& path);

// A text, number or flag as one word: "a" is a, 1 and 1.0 are 1, true is true. Nothing for other values.
std::optional<std::string> word_of(const Json& value);

// null where there is none.
Json or_null(const std::optional<double>& value);
Json or_null(const std::optional<Index>& value);

// A value as a TOML file has it: 3.0, "text", [1.0, 2.0], { key = true }.
std::string toml_text(const Json& value);

}  // namespace ridgerunner
