#include "ridgerunner/codec/range.h"

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {

void require_in(const Range& range, const char* name, double value) {
  switch (range.kind) {
    case Range::Kind::any:
      return;
    case Range::Kind::positive:
      return require_positive(name, value);
    case Range::Kind::at_least:
      return require_at_least(name, value, range.low);
    case Range::Kind::between:
      return require_between(name, value, range.low, range.high);
    case Range::Kind::integer:
      if (value >= range.low && (range.high < range.low || value <= range.high)) return;
      throw InvalidArgument(fmt::format("{} must be an {}, got {}", name, describe(range), value));
  }
}

std::string describe(const Range& range) {
  if (range.text) return range.text;
  switch (range.kind) {
    case Range::Kind::any:
      return "";
    case Range::Kind::positive:
      return "> 0";
    case Range::Kind::at_least:
      return fmt::format(">= {}", range.low);
    case Range::Kind::between:
      return fmt::format("between {} and {}", range.low, range.high);
    case Range::Kind::integer:
      if (range.high < range.low) return fmt::format("integer >= {}", range.low);
      return fmt::format("integer from {} to {}", range.low, range.high);
  }
  return "";
}

}  // namespace ridgerunner
