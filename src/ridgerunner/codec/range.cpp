#include "ridgerunner/codec/range.h"

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {

void require_in(const ValueRange& range, const char* name, double value) {
  switch (range.kind) {
    case ValueRange::Kind::any:
      return;
    case ValueRange::Kind::positive:
      return require_positive(name, value);
    case ValueRange::Kind::at_least:
      return require_at_least(name, value, range.low);
    case ValueRange::Kind::between:
      return require_between(name, value, range.low, range.high);
    case ValueRange::Kind::integer:
      if (value >= range.low && (range.high < range.low || value <= range.high)) return;
      throw InvalidArgument(fmt::format("{} must be an {}, got {}", name, describe(range), value));
  }
}

std::string describe(const ValueRange& range) {
  if (range.text) return range.text;
  switch (range.kind) {
    case ValueRange::Kind::any:
      return "";
    case ValueRange::Kind::positive:
      return "> 0";
    case ValueRange::Kind::at_least:
      return fmt::format(">= {}", range.low);
    case ValueRange::Kind::between:
      return fmt::format("between {} and {}", range.low, range.high);
    case ValueRange::Kind::integer:
      if (range.high < range.low) return fmt::format("integer >= {}", range.low);
      return fmt::format("integer from {} to {}", range.low, range.high);
  }
  return "";
}

}  // namespace ridgerunner
