#pragma once

#include <string>

namespace ridgerunner {

// What a number may be: checked by require_in(), told to people by describe(). Not finite is never allowed.
struct ValueRange {
  enum class Kind { any, positive, at_least, between, integer };
  Kind kind = Kind::any;
  double low = 0, high = 0;
  const char* text = nullptr;  // for people, where the rule has more to it

  // The same range with other words.
  constexpr ValueRange described(const char* words) const { return {kind, low, high, words}; }
};

constexpr ValueRange any_value(const char* text = nullptr) {
  return {ValueRange::Kind::any, 0, 0, text};
}
constexpr ValueRange positive() {
  return {ValueRange::Kind::positive, 0, 0, nullptr};
}
constexpr ValueRange at_least(double least) {
  return {ValueRange::Kind::at_least, least, 0, nullptr};
}
constexpr ValueRange between(double low, double high) {  // exclusive
  return {ValueRange::Kind::between, low, high, nullptr};
}
constexpr ValueRange integer_from(double low, double high = 0) {  // inclusive; no upper end if high < low
  return {ValueRange::Kind::integer, low, high, nullptr};
}

// Throws InvalidArgument: "delta must be between 0 and 1 (exclusive), got 2".
void require_in(const ValueRange& range, const char* name, double value);

// "> 0", ">= 1", "between 0 and 1", "integer from 1 to 100"; "true, false" and the like are the field's own.
std::string describe(const ValueRange& range);

}  // namespace ridgerunner
