#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner::service {

// Strict reading with simdjson, for texts that come often or are long. Errors are Refusals (bad_request) that
// name the field. Include from .cpp files only.

using Element = simdjson::dom::element;

// Where a value stands in a text, for errors only: nothing is written out before one occurs.
struct Place {
  std::string_view name = {};
  std::int64_t first = -1, second = -1;  // positions: name[first][second]
  std::string_view after = {};           // a field of that: name[first].after
  std::string text() const;
};

[[noreturn]] void refuse(const Place& place, std::string_view rule);
[[noreturn]] void refuse(const Place& place, std::string_view rule, const Element& got);

// A parser whose memory is reused, unless a text was very long.
class JsonParser {
 public:
  JsonParser();
  Element parse(std::string_view text);  // refuses what is no JSON; valid until the next call

 private:
  simdjson::dom::parser parser_;
};

// The fields of an object, in the order of `names`; absent ones have no value. Refuses what is no object,
// what is not among the names and what is there twice.
struct Field {
  bool given = false;
  Element value;
};
void read_fields(const Element& object, const Place& place, std::span<const std::string_view> names,
                 std::span<Field> fields);
template <std::size_t n>
std::array<Field, n> read_fields(const Element& object, const Place& place,
                                 const std::array<std::string_view, n>& names) {
  std::array<Field, n> fields;
  read_fields(object, place, names, fields);
  return fields;
}

double read_number(const Element& value, const Place& place);
std::uint64_t read_count(const Element& value, const Place& place);
bool read_flag(const Element& value, const Place& place);
std::string_view read_text(const Element& value, const Place& place);
simdjson::dom::array read_list(const Element& value, const Place& place, std::string_view of);

// At least one number; or none too, where a list may be empty.
void read_numbers(const Element& value, const Place& place, VectorOut into);
Vector read_vector(const Element& value, const Place& place, bool may_be_empty = false);
Matrix read_points(const Element& value, const Place& place, bool may_be_empty = false);  // columns

// Throws for a field that must be there and is not.
const Element& need(const Field& field, std::string_view name);

}  // namespace ridgerunner::service
