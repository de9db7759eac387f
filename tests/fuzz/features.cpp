#include <nlohmann/json.hpp>

#include "fuzz/promise.h"
#include "fuzz/targets.h"
#include "ridgerunner/error.h"
#include "ridgerunner/features/encoder.h"

namespace ridgerunner::fuzz {
namespace {

// Whether it was taken.
template <class Encode>
bool encodes(Index columns, const Encode& encode) {
  try {
    const Vector encoded = encode();
    promise(encoded.size() == columns, "as many columns as the schema says");
    promise(encoded.allFinite(), "columns are finite");
    return true;
  } catch (const InvalidArgument&) {
  }
  return false;
}

}  // namespace

bool features(std::string_view input) {
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return false;
  try {
    const Schema schema = schema_from_json(parse_json(input.substr(0, end)));
    promise(schema_from_json(schema_to_json(schema)) == schema, "a schema reads back as it was");
    promise(std::ssize(schema.columns()) == schema.dimension(), "every column has a name");
    promise(std::ssize(schema.groups()) == schema.dimension(), "every column is in a group");
    const Encoder encoder(schema);
    const Json given = parse_json(input.substr(end + 1));
    const bool context = encodes(schema.context_columns(), [&] { return encoder.encode_context(given); });
    const bool action = encodes(schema.action_columns(), [&] { return encoder.encode_action(given); });
    return context || action;
  } catch (const InvalidArgument&) {
  }
  return false;
}

}  // namespace ridgerunner::fuzz
