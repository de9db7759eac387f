#include "ridgerunner/service/log/json_reader.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/fields.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kKeptCapacity = 1 << 20;  // characters; the parser takes about 14 bytes for each
constexpr std::size_t kLocated = 1 << 16;       // longer texts are not read again to say where they are wrong

std::string shown(const Element& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  std::string text = simdjson::minify(value);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

[[noreturn]] void refuse_text(std::string_view text, simdjson::error_code error) {
  if (text.empty()) throw Refusal(Reason::bad_request, "the body is empty, it must be a JSON object");
  std::string message = fmt::format("not JSON: {}", simdjson::error_message(error));
  if (error == simdjson::NUMBER_ERROR) {
    message = "not JSON we take: a number is malformed, or too large to be kept";
  } else if (error == simdjson::DEPTH_ERROR) {
    message = fmt::format("not JSON we take: nested deeper than {}", kDeepest);
  } else if (text.size() < kLocated) {
    try {
      parse_json(text);
    } catch (const InvalidArgument& located) {
      message = located.what();
    }
  }
  throw Refusal(Reason::bad_request, message);
}

Place inside(const Place& place, std::int64_t position) {
  Place inner = place;
  (place.first < 0 ? inner.first : inner.second) = position;
  return inner;
}

}  // namespace

std::string Place::text() const {
  std::string text(name);
  if (first >= 0 && after.empty()) text += fmt::format("[{}]", first);
  if (!after.empty()) {
    if (first >= 0) text += fmt::format("[{}]", first);
    if (!text.empty()) text += '.';
    text += after;
  }
  if (second >= 0) text += fmt::format("[{}]", second);
  return text;
}

void refuse(const Place& place, std::string_view rule) {
  const std::string field = place.text();
  throw Refusal(Reason::bad_request, fmt::format("{} {}", field.empty() ? "the body" : field, rule), field);
}

void refuse(const Place& place, std::string_view rule, const Element& got) {
  refuse(place, fmt::format("{}, got {}", rule, shown(got)));
}

JsonParser::JsonParser() {
  if (parser_.allocate(simdjson::dom::MINIMAL_DOCUMENT_CAPACITY, kDeepest)) throw std::bad_alloc();
}

Element JsonParser::parse(std::string_view text) {
  if (parser_.capacity() > kKeptCapacity && text.size() <= kKeptCapacity) *this = JsonParser();
  Element root;
  if (const simdjson::error_code error = parser_.parse(text.data(), text.size()).get(root))
    refuse_text(text, error);
  return root;
}

void read_fields(const Element& object, const Place& place, std::span<const std::string_view> names,
                 std::span<Field> fields) {
  simdjson::dom::object pairs;
  if (object.get(pairs)) refuse(place, "must be an object", object);
  for (const auto& [key, value] : pairs) {
    std::size_t i = 0;
    while (i < names.size() && names[i] != key) ++i;
    Place inner = place;
    inner.after = key.substr(0, 100);
    if (i == names.size()) {
      const std::string field = inner.text();
      throw Refusal(Reason::bad_request,
                    fmt::format("unknown field {}; known are {}", field, fmt::join(names, ", ")), field);
    }
    if (fields[i].given) refuse(inner, "is there twice");
    fields[i] = {true, value};
  }
}

double read_number(const Element& value, const Place& place) {
  double number = 0;
  if (value.get(number)) refuse(place, "must be a number", value);
  return number;  // finite: the parser refuses what is too large
}

std::uint64_t read_count(const Element& value, const Place& place) {
  std::uint64_t count = 0;
  if (value.get(count)) refuse(place, "must be an integer >= 0", value);
  return count;
}

bool read_flag(const Element& value, const Place& place) {
  bool flag = false;
  if (value.get(flag)) refuse(place, "must be true or false", value);
  return flag;
}

std::string_view read_text(const Element& value, const Place& place) {
  std::string_view text;
  if (value.get(text)) refuse(place, "must be a string", value);
  return text;
}

simdjson::dom::array read_list(const Element& value, const Place& place, std::string_view of) {
  simdjson::dom::array list;
  if (value.get(list)) refuse(place, fmt::format("must be a list of {}", of), value);
  return list;
}

void read_numbers(const Element& value, const Place& place, VectorOut into) {
  const simdjson::dom::array list = read_list(value, place, "numbers");
  Index i = 0;
  for (const Element entry : list) {
    double number = 0;
    if (entry.get(number)) refuse(inside(place, i), "must be a number", entry);
    if (i < into.size()) into[i] = number;
    ++i;
  }
  if (i != into.size())
    refuse(place, fmt::format("must have {} number{}, got {}", into.size(), into.size() == 1 ? "" : "s", i));
}

namespace {

// simdjson's own count stops at 2^24 - 1.
Index length(const simdjson::dom::array& list) {
  const std::size_t size = list.size();
  if (size < 0xFFFFFF) return static_cast<Index>(size);
  Index count = 0;
  for ([[maybe_unused]] const Element entry : list) ++count;
  return count;
}

}  // namespace

Vector read_vector(const Element& value, const Place& place, bool may_be_empty) {
  Vector numbers(length(read_list(value, place, "numbers")));
  if (numbers.size() == 0 && !may_be_empty) refuse(place, "must have at least one number, got none");
  read_numbers(value, place, numbers);
  return numbers;
}

Matrix read_points(const Element& value, const Place& place, bool may_be_empty) {
  const simdjson::dom::array list = read_list(value, place, "lists of numbers");
  const Index count = length(list);
  if (count == 0) {
    if (!may_be_empty) refuse(place, "must have at least one entry, got none");
    return {};
  }
  Matrix points;
  Index j = 0;
  for (const Element entry : list) {
    const Place inner = inside(place, j);
    if (j == 0) {
      const Index rows = length(read_list(entry, inner, "numbers"));
      if (rows == 0 && !may_be_empty) refuse(inner, "must have at least one number, got none");
      points.resize(rows, count);
    }
    read_numbers(entry, inner, points.col(j++));
  }
  return points;
}

const Element& need(const Field& field, std::string_view name) {
  if (!field.given) throw Refusal(Reason::bad_request, fmt::format("{} is missing", name), std::string(name));
  return field.value;
}

}  // namespace ridgerunner::service
