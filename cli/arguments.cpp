#include "arguments.h"

#include <charconv>

#include <fmt/format.h>

namespace ridgerunner::cli {

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) -> std::string {
        std::int64_t value = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failed == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
          return "";
        return fmt::format("must be an integer from {} to {}, got {}", least, most, text);
      },
      "");
}

std::string shortened(const std::string& message) {
  constexpr std::size_t kMost = 400;
  if (message.size() <= kMost) return message;
  std::size_t cut = kMost;
  while (cut > 0 && (static_cast<unsigned char>(message[cut]) & 0xC0) == 0x80)
    --cut;  // not inside a character
  return message.substr(0, cut) + "...";
}

}  // namespace ridgerunner::cli
