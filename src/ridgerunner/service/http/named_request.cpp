#include "ridgerunner/service/http/named_request.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

// "context.hour must be ..." and "unknown feature context.huor; ..." are about that field.
std::string field_of(std::string_view message) {
  for (const std::string_view start : {"unknown feature ", "unknown field "}) {
    if (message.starts_with(start)) message.remove_prefix(start.size());
  }
  const std::string_view word = message.substr(0, message.find_first_of(" ;"));
  return std::string(word.starts_with("context") || word.starts_with("action") ? word : "");
}

template <class Work>
auto encoding(const Work& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    throw Refusal(Reason::bad_request, error.what(), field_of(error.what()));
  }
}

// Not in place: the encoder knows one kind of JSON, which also finds names that are there twice.
Json json_of(const Element& value) {
  return parse_json(simdjson::minify(value));
}

// Everything is missing in a context that is not there.
Json context_of(const Field& context) {
  return context.given ? json_of(context.value) : Json::object();
}

}  // namespace

void read_named_offer(const Encoder& encoder, const Field& context, const Field& actions, Offered& offered) {
  if (!actions.given) refuse({"actions"}, "is missing");
  encoding([&] {
    const Json at = context_of(context);
    EncodedActions encoded = encoder.encode_actions(&at, json_of(actions.value));
    const Index split = encoder.schema().context_columns();
    offered.context = encoded.states.col(0).head(split);
    offered.actions = encoded.states.bottomRows(encoded.states.rows() - split);
    offered.ids = std::move(encoded.ids);
  });
}

Matrix read_named_states(const Encoder& encoder, const Field& context, const Field& actions) {
  if (!actions.given) refuse({"actions"}, "is missing");
  return encoding([&] {
    const Json at = context_of(context);
    return encoder.encode_actions(&at, json_of(actions.value)).states;
  });
}

Vector read_named_state(const Encoder& encoder, const Field& context, const Field& action) {
  if (!action.given) refuse({"action"}, "is missing");
  return encoding([&] {
    const Json at = context_of(context);
    return encoder.encode_state(&at, json_of(action.value));
  });
}

}  // namespace ridgerunner::service
