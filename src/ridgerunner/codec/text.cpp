#include "ridgerunner/codec/text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace ridgerunner {
namespace {

struct Span {
  char32_t first, last;
};

template <std::size_t n>
bool contains(const Span (&spans)[n], char32_t value) {
  return std::any_of(std::begin(spans), std::end(spans),
                     [&](const Span& span) { return value >= span.first && value <= span.last; });
}

std::size_t width_of(char32_t value) {
  static constexpr Span zero[] = {{0x300, 0x36F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                                  {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
  static constexpr Span wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                  {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                  {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                  {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  return contains(zero, value) ? 0 : contains(wide, value) ? 2 : 1;
}

}  // namespace

std::string shortest(double value) {
  return fmt::format("{}", value);
}

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t value = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, bytes};
}

bool is_control(char32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for_each_code_point(text, [&](char32_t value, std::string_view) { width += width_of(value); });
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  for_each_code_point(text, [&](char32_t value, std::string_view bytes) {
    out += is_control(value) ? " " : value == CodePoint::kReplacement ? kReplacementText : bytes;
  });
  return out;
}

}  // namespace ridgerunner
