#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgerunner {

// 0.1 as "0.1", 3 as "3": the shortest text that reads back as the same number.
std::string shortest(double value);

// The first code point of a UTF-8 text; a malformed one is U+FFFD and one byte long.
struct CodePoint {
  char32_t value = kReplacement;
  std::size_t bytes = 1;
  static constexpr char32_t kReplacement = 0xFFFD;
};
CodePoint first_code_point(std::string_view text);
constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";

// Calls visit(code point, its bytes) for each code point of the text.
template <class Visit>
void for_each_code_point(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    visit(next.value, text.substr(0, next.bytes));
    text.remove_prefix(next.bytes);
  }
}

bool is_control(char32_t value);

// Columns that UTF-8 text takes in a terminal: "± é" is 3, a combining accent 0, a Chinese character 2.
std::size_t display_width(std::string_view text);

// One line that cannot disturb a terminal: control characters become spaces, broken UTF-8 U+FFFD.
std::string printable(std::string_view text);

}  // namespace ridgerunner
