#include "ridgerunner/report/table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

bool belongs_in_markup(char32_t value) {
  if (value == '\n' || value == '\t') return true;
  return !is_control(value) && (value & 0xFFFE) != 0xFFFE;  // U+xxFFFE and U+xxFFFF are no characters
}

const Cell& cell_at(const Row& row, std::size_t column) {
  static const Cell blank("");
  return column < row.cells.size() ? row.cells[column] : blank;
}

void require_cells_fit(const Table& table) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].cells.size() > table.columns.size()) {
      throw InvalidArgument(fmt::format("row {} must have at most {} cells, got {}", i, table.columns.size(),
                                        table.rows[i].cells.size()));
    }
  }
}

// How the columns of one table are laid out in a terminal.
struct Layout {
  std::vector<std::size_t> widths;
  std::vector<bool> marked;  // columns that keep two places for " *"
  bool colour = false;
};

bool is_marked(const Row& row, std::size_t column) {
  return cell_at(row, column).strong || (row.strong && column == 0);
}

Layout layout_of(const Table& table, bool colour) {
  Layout layout;
  layout.colour = colour;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = display_width(table.columns[c].heading);
    bool marked = false;
    for (const Row& row : table.rows) {
      width = std::max(width, display_width(cell_at(row, c).text));
      marked = marked || is_marked(row, c);
    }
    layout.widths.push_back(width);
    layout.marked.push_back(marked && !colour);
  }
  return layout;
}

enum class Look { plain, heading, strong };

std::string painted(const std::string& text, Look look, bool colour) {
  if (!colour || look == Look::plain || text.empty()) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", look == Look::heading ? "1" : "1;32", text);
}

std::string padded(const std::string& text, std::size_t width, Align align, Look look, bool colour) {
  const std::string gap(width - display_width(text), ' ');
  const std::string body = painted(text, look, colour);
  return align == Align::right ? gap + body : body + gap;
}

std::string heading_line(const Table& table, const Layout& layout) {
  std::string line;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    line += c == 0 ? " " : "   ";
    line += padded(printable(column.heading), layout.widths[c], column.align, Look::heading, layout.colour);
    if (layout.marked[c]) line += "  ";
  }
  return line;
}

std::string row_line(const Table& table, const Row& row, const Layout& layout) {
  std::string line;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Cell& cell = cell_at(row, c);
    const Look look = cell.strong || row.strong ? Look::strong : Look::plain;
    std::string text = printable(cell.text);
    std::size_t width = layout.widths[c];
    const bool left = table.columns[c].align == Align::left;
    if (layout.marked[c] && (left || is_marked(row, c))) {
      width += 2;
      if (is_marked(row, c)) text += " *";
    }
    line += c == 0 ? " " : "   ";
    line += padded(text, width, table.columns[c].align, look, layout.colour);
    if (layout.marked[c] && !left && !is_marked(row, c)) line += "  ";
  }
  return line;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string html_cell(const char* tag, Align align, const std::string& content) {
  const char* style = align == Align::right ? " style=\"text-align:right\"" : "";
  return fmt::format("<{0}{1}>{2}</{0}>", tag, style, content);
}

// The power of ten of the leading digit once rounded to `digits` significant digits: 99.96 at 3 has 2.
int exponent_of(double value, int digits) {
  const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

// 'value' with `decimals` decimals, and no minus before a zero.
std::string fixed(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, std::max(0, decimals));
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

bool needs_exponent(int exponent) {
  return exponent < -4 || exponent > 6;
}

std::string not_a_number(double value) {
  return std::isnan(value) ? "n/a" : value > 0 ? "∞" : "-∞";
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_code_point(text, [&](char32_t value, std::string_view bytes) {
    if (value == CodePoint::kReplacement || !belongs_in_markup(value)) {
      out += kReplacementText;
    } else if (value == '&') {
      out += "&amp;";
    } else if (value == '<') {
      out += "&lt;";
    } else if (value == '>') {
      out += "&gt;";
    } else if (value == '"') {
      out += "&quot;";
    } else if (value == '\'') {
      out += "&#39;";
    } else {
      out += bytes;
    }
  });
  return out;
}

std::string to_text(const Table& table, bool colour) {
  require_cells_fit(table);
  const Layout layout = layout_of(table, colour);
  std::size_t total = 2;
  for (std::size_t c = 0; c < layout.widths.size(); ++c) {
    total += layout.widths[c] + (c == 0 ? 0 : 3) + (layout.marked[c] ? 2 : 0);
  }
  std::string rule;
  for (std::size_t i = 0; i < total; ++i) rule += "─";
  rule += '\n';

  std::string out;
  if (!table.caption.empty()) out += " " + printable(table.caption) + "\n";
  out += rule + without_trailing_spaces(heading_line(table, layout)) + "\n" + rule;
  for (const Row& row : table.rows) out += without_trailing_spaces(row_line(table, row, layout)) + "\n";
  return out + rule;
}

std::string to_html(const Table& table) {
  require_cells_fit(table);
  std::string out = "<table>\n";
  if (!table.caption.empty()) out += fmt::format("<caption>{}</caption>\n", escape_markup(table.caption));
  out += "<thead><tr>";
  for (const Column& column : table.columns) {
    out += html_cell("th", column.align, escape_markup(column.heading));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const Row& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = cell_at(row, c);
      std::string content = escape_markup(cell.text);
      if ((cell.strong || row.strong) && !content.empty()) content = "<strong>" + content + "</strong>";
      out += html_cell("td", table.columns[c].align, content);
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string number(double value, int digits) {
  require_at_least("digits", digits, 1);
  if (!std::isfinite(value)) return not_a_number(value);
  if (value == 0) return "0";
  const int exponent = exponent_of(value, digits);
  if (!needs_exponent(exponent)) return fixed(value, digits - 1 - exponent);
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{}e{}", text.substr(0, text.find('e')), exponent);
}

std::string with_sd(double mean, double sd) {
  if (!std::isfinite(mean) || std::isnan(sd)) return number(mean);
  if (!std::isfinite(sd) || sd == 0) return fmt::format("{} ± {}", number(mean), number(sd));
  const double larger = std::max(std::abs(mean), std::abs(sd));
  const int top = exponent_of(larger, 3);
  if (needs_exponent(top)) {
    // Both divided by 10^top, in two steps as 10^top may itself leave the range of a double.
    const double half = std::pow(10.0, top / 2), rest = std::pow(10.0, top - top / 2);
    return fmt::format("({})e{}", with_sd(mean / half / rest, sd / half / rest), top);
  }
  const int sd_decimals = 1 - exponent_of(sd, 2);
  if (top + sd_decimals > 6) return fmt::format("{} ± {}", number(mean, 6), number(sd, 2));
  const int decimals = std::max({0, 2 - top, sd_decimals});
  return fmt::format("{} ± {}", fixed(mean, decimals), fixed(sd, decimals));
}

}  // namespace ridgerunner
