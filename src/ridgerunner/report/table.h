#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridgerunner {

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
};

// One entry of a row. A strong cell stands out, e.g. the best value of its column.
struct Cell {
  Cell(std::string text_, bool strong_ = false) : text(std::move(text_)), strong(strong_) {}
  Cell(const char* text_, bool strong_ = false) : text(text_), strong(strong_) {}

  std::string text;
  bool strong = false;
};

// The cells of a row, left to right; missing ones at the end are blank. A strong row stands out as a whole.
struct Row {
  std::vector<Cell> cells;
  bool strong = false;
};

struct Table {
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  std::string caption = {};
};

// Aligned columns between horizontal rules, every line ended by a newline. With `colour`, what is strong is
// set in bold green by ANSI escapes; without, it carries a trailing " *" (a strong row: on its first cell).
// Throws InvalidArgument if a row has more cells than the table has columns; so does to_html.
std::string to_text(const Table& table, bool colour = false);

// A <table> element with its text escaped; what is strong is a <strong>.
std::string to_html(const Table& table);

// `digits` significant digits, never fewer than the integer part has: 32.2, 1206, 0.0123, 4.56e-7.
std::string number(double value, int digits = 3);

// Mean and standard deviation with the same decimals: "32.2 ± 20.9", "1206 ± 21", "5.432 ± 0.012",
// "(1.23 ± 0.45)e-7". Three digits of the larger, at least two of the sd; a NaN sd leaves the mean alone.
std::string with_sd(double mean, double sd);

// Text for HTML and XML, element content and attributes alike: & < > " ' become entities; what neither may
// hold (control characters, broken UTF-8) becomes U+FFFD.
std::string escape_markup(std::string_view text);

}  // namespace ridgerunner
