#include "ridgerunner/error.h"

#include <cmath>

#include <fmt/format.h>

namespace ridgerunner {

void require_finite(const char* name, double value) {
  if (!std::isfinite(value)) throw InvalidArgument(fmt::format("{} must be finite, got {}", name, value));
}

void require_positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw InvalidArgument(fmt::format("{} must be > 0, got {}", name, value));
  }
}

void require_at_least(const char* name, double value, double least) {
  if (!(value >= least) || !std::isfinite(value)) {
    throw InvalidArgument(fmt::format("{} must be >= {}, got {}", name, least, value));
  }
}

void require_between(const char* name, double value, double low, double high) {
  if (!(value > low && value < high)) {
    throw InvalidArgument(
        fmt::format("{} must be between {} and {} (exclusive), got {}", name, low, high, value));
  }
}

}  // namespace ridgerunner
