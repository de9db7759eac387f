#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/features/encoder.h"

// Encoders and requests as text, for tests.
namespace ridgerunner::encoding {

inline Encoder encoder_of(const std::string& schema) {
  return Encoder(schema_from_json(parse_json(schema)));
}

// One feature of a context.
inline Encoder with(const std::string& options) {
  return encoder_of(R"({"context":[{"name":"x",)" + options + "}]}");
}

inline Vector context(const Encoder& encoder, const std::string& text) {
  return encoder.encode_context(parse_json(text));
}

inline Vector action(const Encoder& encoder, const std::string& text) {
  return encoder.encode_action(parse_json(text));
}

inline std::vector<double> list(const Vector& vector) {
  return {vector.begin(), vector.end()};
}

using List = std::vector<double>;

template <class Work>
std::string error_of(Work work) {
  try {
    work();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace ridgerunner::encoding
