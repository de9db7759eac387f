#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ridgerunner::service {

// SHA-256 (FIPS 180-4): of "abc" it begins with ba7816bf.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);
std::string hexadecimal(const std::array<std::uint8_t, 32>& digest);

}  // namespace ridgerunner::service
