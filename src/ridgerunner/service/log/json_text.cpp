#include "ridgerunner/service/log/json_text.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner::service {
namespace {

// The length of the UTF-8 character that begins here, 0 if none does.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return follows(1) ? 2 : 0;
  if (first < 0xF0) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0, surrogate = first == 0xED && byte(1) > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (first > 0xF4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  const bool overlong = first == 0xF0 && byte(1) < 0x90, beyond = first == 0xF4 && byte(1) > 0x8F;
  return overlong || beyond ? 0 : 4;
}

void append_escape(std::string& out, char character) {
  switch (character) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(character));
  }
}

}  // namespace

void append_integer(std::string& out, std::uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (value == 0 && std::signbit(value)) {
    out += "-0.0";  // "-0" would be read as an integer, which has no sign
    return;
  }
  char digits[32];
  out.append(digits, fmt::format_to(digits, FMT_COMPILE("{}"), value));
}

void append_numbers(std::string& out, const VectorIn& values) {
  out += '[';
  for (Index i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    append_number(out, values[i]);
  }
  out += ']';
}

void append_points(std::string& out, const MatrixIn& points) {
  out += '[';
  for (Index j = 0; j < points.cols(); ++j) {
    if (j > 0) out += ',';
    append_numbers(out, points.col(j));
  }
  out += ']';
}

void append_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = character(text);
    const char first = text.front();
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (length == 1 && (first == '"' || first == '\\' || static_cast<unsigned char>(first) < 0x20)) {
      append_escape(out, first);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void append_name(std::string& out, std::string_view name) {
  if (!out.empty() && out.back() != '{') out += ',';
  out += '"';
  out += name;
  out += "\":";
}

void append_time(std::string& out, std::int64_t milliseconds) {
  using namespace std::chrono;
  const sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(milliseconds)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("\"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z\""),
                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                 static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
                 clock.seconds().count(), clock.subseconds().count());
}

std::string time_text(std::int64_t milliseconds) {
  std::string quoted;
  append_time(quoted, milliseconds);
  return quoted.substr(1, quoted.size() - 2);
}

std::int64_t time_from_text(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00.000Z";
  bool shaped = text.size() == kShape.size();
  for (std::size_t i = 0; shaped && i < kShape.size(); ++i)
    shaped = kShape[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == kShape[i];
  if (!shaped)
    throw InvalidArgument(fmt::format("a time must look like 2026-11-16T09:00:00.000Z, got \"{}\"", text));
  const auto number = [&](std::size_t from, std::size_t length) {
    int value = 0;
    for (const char digit : text.substr(from, length)) value = 10 * value + (digit - '0');
    return value;
  };
  using namespace std::chrono;
  const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2))));
  if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 59)
    throw InvalidArgument(fmt::format("there is no time \"{}\"", text));
  const auto time = sys_days(date) + hours(number(11, 2)) + minutes(number(14, 2)) + seconds(number(17, 2)) +
                    milliseconds(number(20, 3));
  return duration_cast<milliseconds>(time.time_since_epoch()).count();
}

}  // namespace ridgerunner::service
