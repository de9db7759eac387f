#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgerunner/features/schema.h"

namespace ridgerunner {

// A cell of a table with the name of its column.
struct NamedCell {
  std::string_view name, text;
};

// Candidates of a decision: their states, and the ids that they were given.
struct EncodedActions {
  Matrix states;                 // context followed by action, d x n
  std::vector<std::string> ids;  // of each action, "" where it has none; empty if none has one
};

// Turns named values into the columns of a schema. What is missing has columns too; a name or a value that
// cannot be is an InvalidArgument that says where it stands, what it is and what is allowed.
//
// An action is an object of features, {"price": 3}, of which "id" is the action's id unless it is a feature;
// or {"id": "latte", "features": {...}}; or, where actions have no features, just its id.
//
// Immutable, cheap to copy, safe on several threads.
class Encoder {
 public:
  explicit Encoder(Schema schema);  // checked

  const Schema& schema() const;

  // `path` is what errors call the object.
  Vector encode_context(const Json& values, const std::string& path = "context") const;
  Vector encode_action(const Json& action, const std::string& path = "action") const;
  std::optional<std::string> action_id(const Json& action, const std::string& path = "action") const;

  // The state of one action, and of each of a list. Without a context everything in it is missing.
  Vector encode_state(const Json* context, const Json& action) const;
  EncodedActions encode_actions(const Json* context, const Json& actions) const;

  // From the cells of a table's row; empty ones are missing. Actions without features have a cell "id".
  Vector encode_context(std::span<const NamedCell> row) const;
  Vector encode_action(std::span<const NamedCell> row) const;

 private:
  void require_id(bool given, const std::string& path) const;

  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

// For a spec without features: throws InvalidArgument, saying so, if the value is an object or a list of
// them.
void refuse_names(const Json& value, const std::string& path);

}  // namespace ridgerunner
