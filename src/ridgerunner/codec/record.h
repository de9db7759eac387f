#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/codec/fields.h"
#include "ridgerunner/codec/range.h"

namespace ridgerunner {

// A record is a struct with one list of its fields, from which all its codecs come:
//
//   struct Kors {
//     double oversampling = 1;
//     std::optional<double> projection;
//     template <class Visit>
//     static void fields(Visit&& visit) {
//       visit("oversampling", &Kors::oversampling, positive(), "factor of the probability");
//       visit("projection", &Kors::projection, positive(), "the ridge if not set");
//     }
//   };
//
// visit(name, member, range, meaning[, when]): `when` is a function of the record that says whether the field
// counts (a kernel's degree if it is a polynomial); without it, always. Members may be numbers, flags, texts,
// enums with words (names_of(Enum), found by its argument), Vector, Matrix, lists and optionals of these, and
// other records. A field that is absent in JSON keeps its default, an optional without value is not written.
template <class T>
concept Record = requires {
  T::fields([](auto&&...) {});
};

template <class T>
concept Worded = std::is_enum_v<T> && requires(T value) {
  names_of(value);
};

// ---- JSON; each reads or writes one field.

void read_field(Fields& in, const char* name, const ValueRange& range, double& value);
void read_field(Fields& in, const char* name, const ValueRange& range, std::int64_t& value);
void read_field(Fields& in, const char* name, const ValueRange& range, std::uint64_t& value);
void read_field(Fields& in, const char* name, const ValueRange& range, int& value);
void read_field(Fields& in, const char* name, const ValueRange& range, bool& value);
void read_field(Fields& in, const char* name, const ValueRange& range, std::string& value);
void read_field(Fields& in, const char* name, const ValueRange& range, std::vector<double>& value);
void read_field(Fields& in, const char* name, const ValueRange& range, std::vector<std::string>& value);
void read_field(Fields& in, const char* name, const ValueRange& range, Vector& value);
void read_field(Fields& in, const char* name, const ValueRange& range, Matrix& value);

void write_field(Json& out, const char* name, double value);
void write_field(Json& out, const char* name, std::int64_t value);
void write_field(Json& out, const char* name, std::uint64_t value);
void write_field(Json& out, const char* name, int value);
void write_field(Json& out, const char* name, bool value);
void write_field(Json& out, const char* name, const std::string& value);
void write_field(Json& out, const char* name, const char* value);
void write_field(Json& out, const char* name, const std::vector<double>& value);
void write_field(Json& out, const char* name, const std::vector<std::string>& value);
void write_field(Json& out, const char* name, const Vector& value);
void write_field(Json& out, const char* name, const Matrix& value);
void write_field(Json& out, const char* name, const Json& value);
Json empty_object();

template <class T>
void read_record(Fields& in, T& value);
template <class T>
void write_record(Json& out, const T& value);

template <Worded Enum>
void read_field(Fields& in, const char* name, const ValueRange&, Enum& value) {
  in.choice(name, value, names_of(value));
}
template <Record T>
void read_field(Fields& in, const char* name, const ValueRange&, T& value) {
  const Json* child = in.child(name);
  if (!child) return;
  Fields inner(*child, in.path(name));
  read_record(inner, value);
  inner.finish();
}
template <class T>
void read_field(Fields& in, const char* name, const ValueRange& range, std::optional<T>& value) {
  T given = value.value_or(T{});
  read_field(in, name, range, given);
  if (in.has(name)) value = std::move(given);
}

template <Worded Enum>
void write_field(Json& out, const char* name, Enum value) {
  write_field(out, name, name_in(names_of(value), value));
}
template <Record T>
void write_field(Json& out, const char* name, const T& value) {
  auto inner = empty_object();
  write_record(inner, value);
  write_field(out, name, inner);
}
template <class T>
void write_field(Json& out, const char* name, const std::optional<T>& value) {
  if (value) write_field(out, name, *value);
}

// ---- Ranges; throws InvalidArgument for the first field that is outside of its own.

void check_field(const char* name, const ValueRange& range, double value);
void check_field(const char* name, const ValueRange& range, const std::vector<double>& values);
template <std::integral T>
void check_field(const char* name, const ValueRange& range, T value) {
  if constexpr (!std::is_same_v<T, bool>) check_field(name, range, static_cast<double>(value));
}
template <class T>
requires Worded<T> || std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::string>> ||
    std::is_same_v<T, Vector> || std::is_same_v<T, Matrix>
void check_field(const char*, const ValueRange&, const T&) {}
template <class T>
void check_record(const T& value);
template <Record T>
void check_field(const char*, const ValueRange&, const T& value) {
  check_record(value);
}
template <class T>
void check_field(const char* name, const ValueRange& range, const std::optional<T>& value) {
  if (value) check_field(name, range, *value);
}

// ---- Bytes, in the order of the list, whatever `when` says. Optionals and lists start with their size.

inline void put_field(ByteWriter& out, double value) {
  out.number(value);
}
template <class T>
requires std::integral<T> || std::is_enum_v<T>
void put_field(ByteWriter& out, T value) {
  out.integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
}
inline void put_field(ByteWriter& out, const std::string& value) {
  out.text(value);
}
inline void put_field(ByteWriter& out, const Vector& value) {
  out.vector(value);
}
inline void put_field(ByteWriter& out, const Matrix& value) {
  out.matrix(value);
}
template <class T>
void put_record(ByteWriter& out, const T& value);
template <Record T>
void put_field(ByteWriter& out, const T& value) {
  put_record(out, value);
}
template <class T>
void put_field(ByteWriter& out, const std::optional<T>& value) {
  put_field(out, value.has_value());
  if (value) put_field(out, *value);
}
template <class T>
void put_field(ByteWriter& out, const std::vector<T>& values) {
  out.integer(values.size());
  for (const T& value : values) put_field(out, value);
}

bool get_flag_field(ByteReader& in);
[[noreturn]] void refuse_integer(const char* name, std::uint64_t value);

inline void get_field(ByteReader& in, const char*, double& value) {
  value = in.number();
}
inline void get_field(ByteReader& in, const char*, bool& value) {
  value = get_flag_field(in);
}
template <std::integral T>
void get_field(ByteReader& in, const char* name, T& value) {
  const std::uint64_t bits = in.integer();
  value = static_cast<T>(bits);
  if (static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) != bits) refuse_integer(name, bits);
}
template <Worded Enum>
void get_field(ByteReader& in, const char* name, Enum& value) {
  const std::uint64_t bits = in.integer();
  for (const auto& [known, word] : names_of(value)) {
    if (static_cast<std::uint64_t>(known) != bits) continue;
    value = known;
    return;
  }
  refuse_integer(name, bits);
}
inline void get_field(ByteReader& in, const char*, std::string& value) {
  value = in.text();
}
inline void get_field(ByteReader& in, const char*, Vector& value) {
  value = in.vector();
}
inline void get_field(ByteReader& in, const char*, Matrix& value) {
  value = in.matrix();
}
template <class T>
void get_record(ByteReader& in, T& value);
template <Record T>
void get_field(ByteReader& in, const char*, T& value) {
  get_record(in, value);
}
template <class T>
void get_field(ByteReader& in, const char* name, std::optional<T>& value) {
  value.reset();
  if (get_flag_field(in)) get_field(in, name, value.emplace());
}
template <class T>
void get_field(ByteReader& in, const char* name, std::vector<T>& values) {
  values.clear();
  for (Index i = in.count(); i > 0; --i) get_field(in, name, values.emplace_back());
}

// ---- For people.

struct Parameter {
  std::string path;     // "regression.ridge"
  std::string initial;  // its default, as written in TOML
  std::string range;    // what is allowed
  std::string meaning;
};

std::string listed(const std::vector<std::string>& words);  // "a, b, c"

// What a field of this type allows.
template <class T>
std::string allowed(const ValueRange& range, const T& value) {
  if constexpr (Worded<T>) {
    std::vector<std::string> words;
    for (const auto& [known, word] : names_of(value)) words.emplace_back(word);
    return listed(words);
  } else {
    return std::is_same_v<T, bool> ? "true, false" : describe(range);
  }
}
std::string toml_of(const Json& object, const char* name);  // "" if absent

// ---- Whole records.

// Leaves finish() to the caller, who may have more to read. Ranges are check_record()'s business.
template <class T>
void read_record(Fields& in, T& value) {
  T::fields([&](const char* name, auto member, const ValueRange& range, const char*, auto... when) {
    if ((when(value) && ...)) read_field(in, name, range, value.*member);
  });
}
template <class T>
void write_record(Json& out, const T& value) {
  T::fields([&](const char* name, auto member, const ValueRange&, const char*, auto... when) {
    if ((when(value) && ...)) write_field(out, name, value.*member);
  });
}
template <class T>
void check_record(const T& value) {
  T::fields([&](const char* name, auto member, const ValueRange& range, const char*, auto... when) {
    if ((when(value) && ...)) check_field(name, range, value.*member);
  });
}
template <class T>
void put_record(ByteWriter& out, const T& value) {
  T::fields([&](const char*, auto member, auto&&...) { put_field(out, value.*member); });
}
template <class T>
void get_record(ByteReader& in, T& value) {
  T::fields([&](const char* name, auto member, auto&&...) { get_field(in, name, value.*member); });
}

// Adds a row for each field whose path, "section.name", is not there yet.
void add_parameter(std::vector<Parameter>& rows, Parameter parameter);
template <class T>
void describe_record(const std::string& section, std::vector<Parameter>& rows) {
  const T initial{};
  auto json = empty_object();
  T::fields([&](const char* name, auto member, const ValueRange& range, const char* meaning, auto&&...) {
    write_field(json, name, initial.*member);
    add_parameter(rows, {section.empty() ? name : section + "." + name, toml_of(json, name),
                         range.text ? range.text : allowed(range, initial.*member), meaning});
  });
}

}  // namespace ridgerunner
