#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner::service {

// JSON written straight into a text, for answers and lines there are many of.

void append_integer(std::string& out, std::uint64_t value);
void append_number(std::string& out, double value);  // reads back exactly; null if it is not finite
void append_numbers(std::string& out, const VectorIn& values);
void append_points(std::string& out, const MatrixIn& points);  // a list for each column
void append_text(std::string& out, std::string_view text);  // quoted; bytes that are no UTF-8 become U+FFFD
void append_time(std::string& out, std::int64_t milliseconds);

// `"name":`, with a comma before it unless it is an object's first.
void append_name(std::string& out, std::string_view name);

// Milliseconds since 1970 as "2026-11-16T09:00:00.000Z", and back. Throws InvalidArgument for what is no such
// time.
std::string time_text(std::int64_t milliseconds);
std::int64_t time_from_text(std::string_view text);

}  // namespace ridgerunner::service
