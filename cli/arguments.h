#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

namespace ridgerunner::cli {

constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();

// Refuses what is not an integer from `least` to `most`, rather than letting it wrap around.
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

// At most a few hundred characters, so that an error is a line and not an echo of the input.
std::string shortened(const std::string& message);

}  // namespace ridgerunner::cli
