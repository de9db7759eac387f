#include "ridgerunner/service/http/request.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/service/http/named_request.h"
#include "ridgerunner/service/log/event_id.h"
#include "ridgerunner/service/log/json_reader.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

constexpr Place kBody{};
constexpr std::string_view kNamed = "is for specs without features; give the context and the action by name";

// Positions by id, to find them by.
using Ids = std::vector<std::pair<std::string_view, Index>>;

std::string event_id_of(const Element& value) {
  const std::string_view id = read_text(value, {"event_id"});
  if (const std::string fault = event_id_fault(id); !fault.empty()) refuse({"event_id"}, fault, value);
  return std::string(id);
}

bool can_be_id(std::string_view id) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  return !id.empty() && id.size() <= kLongestId && std::none_of(id.begin(), id.end(), control);
}

std::string id_rule() {
  return fmt::format("must be 1 to {} bytes without control characters", kLongestId);
}

std::string action_id_of(const Element& value, const Place& place) {
  const std::string_view id = read_text(value, place);
  if (!can_be_id(id)) refuse(place, id_rule(), value);
  return std::string(id);
}

// Ids of actions that were read by name; "" is none.
void check_ids(const std::vector<std::string>& ids) {
  for (std::size_t j = 0; j < ids.size(); ++j) {
    if (!ids[j].empty() && !can_be_id(ids[j]))
      refuse({"actions", static_cast<std::int64_t>(j), -1, "id"}, id_rule());
  }
}

// [{"id": "a", "features": [...]}, ...]
void read_named_actions(const simdjson::dom::array& list, Offered& offered) {
  static constexpr std::array<std::string_view, 2> kNames = {"id", "features"};
  const Index count = static_cast<Index>(list.size());
  std::vector<std::string> ids(static_cast<std::size_t>(count));
  bool named = false;
  Index j = 0;
  for (const Element entry : list) {
    if (!entry.is_object())
      refuse({"actions", j}, "must be an object as actions[0] is, or all must be lists", entry);
    const auto [id, features] = read_fields(entry, {"actions", j}, kNames);
    const Place place{"actions", j, -1, "features"};
    if (!features.given) refuse(place, "is missing");
    if (j == 0) offered.actions.resize(read_vector(features.value, place).size(), count);
    read_numbers(features.value, place, offered.actions.col(j));
    if (id.given) {
      ids[static_cast<std::size_t>(j)] = action_id_of(id.value, {"actions", j, -1, "id"});
      named = true;
    }
    ++j;
  }
  if (named) offered.ids = std::move(ids);
}

// Two actions of one id could not be told apart in the answer.
Ids positions_by_id(const std::vector<std::string>& ids) {
  Ids positions;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!ids[i].empty()) positions.emplace_back(ids[i], static_cast<Index>(i));
  }
  std::sort(positions.begin(), positions.end());
  for (std::size_t i = 1; i < positions.size(); ++i) {
    if (positions[i - 1].first != positions[i].first) continue;
    refuse({"actions", positions[i].second, -1, "id"},
           fmt::format("is the id of actions[{}] too", positions[i - 1].second));
  }
  return positions;
}

void read_actions(const Element& value, Offered& offered) {
  const simdjson::dom::array list =
      read_list(value, {"actions"}, R"(lists of numbers, or of {"id", "features"})");
  if (list.size() >= 0xFFFFFF) refuse({"actions"}, "has more entries than can be counted");
  if (list.size() > 0 && list.at(0).value_unsafe().is_object()) {
    read_named_actions(list, offered);
  } else {
    offered.actions = read_points(value, {"actions"});
  }
}

Index excluded_position(const Element& entry, const Place& place, const Ids& ids) {
  if (entry.is_string()) {
    const std::string_view id = entry.get_string().value_unsafe();
    const auto found = std::lower_bound(ids.begin(), ids.end(), std::pair(id, Index(0)));
    if (found == ids.end() || found->first != id) refuse(place, "must be the id of an action", entry);
    return found->second;
  }
  std::uint64_t index = 0;
  if (entry.get(index)) refuse(place, "must be the index or the id of an action", entry);
  return static_cast<Index>(std::min<std::uint64_t>(index, 1'000'000'000));
}

void read_excluded(const Element& value, const Ids& ids, Offered& offered) {
  Index j = 0;
  for (const Element entry : read_list(value, {"excluded"}, "indices and ids")) {
    const Place place{"excluded", j++};
    const Index position = excluded_position(entry, place, ids);
    // How many arms a spec has is not known here.
    if (offered.actions.cols() > 0 && position >= offered.actions.cols())
      refuse(place, fmt::format("must be less than the number of actions, {}", offered.actions.cols()),
             entry);
    offered.excluded.push_back(position);
  }
  std::sort(offered.excluded.begin(), offered.excluded.end());
  const auto twice = std::adjacent_find(offered.excluded.begin(), offered.excluded.end());
  if (twice != offered.excluded.end()) refuse({"excluded"}, fmt::format("names action {} twice", *twice));
  if (offered.actions.cols() > 0 && j == offered.actions.cols())
    refuse({"excluded"}, "names all actions, none is left to choose");
}

// The reward and the state of a line of an import; the state is put in the column.
double read_observation(const Element& line, const Encoder* features, Matrix& states, Index column) {
  static constexpr std::array<std::string_view, 4> kNames = {"state", "context", "action", "reward"};
  const auto [state, context, action, reward] = read_fields(line, kBody, kNames);
  Vector point;
  if (features) {
    if (state.given) refuse({"state"}, kNamed);
    point = read_named_state(*features, context, action);
  } else if (state.given) {
    if (context.given || action.given) refuse({"state"}, "stands for context and action, give it or them");
    point = read_vector(state.value, {"state"});
  } else {
    if (!context.given && !action.given) refuse({"state"}, "is missing");
    const Vector first = context.given ? read_vector(context.value, {"context"}, true) : Vector();
    const Vector second = read_vector(need(action, "action"), {"action"});
    point.resize(first.size() + second.size());
    point << first, second;
  }
  if (column == 0) states.resize(point.size(), 1);
  if (point.size() != states.rows())
    refuse({"state"},
           fmt::format("must have {} numbers as in the first line, got {}", states.rows(), point.size()));
  if (column == states.cols()) states.conservativeResize(Eigen::NoChange, 2 * column);
  states.col(column) = point;
  return read_number(need(reward, "reward"), {"reward"});
}

// "kernel.lengthscale must be ..." is about that field; "unknown field x; ..." about x.
Refusal refusal(const std::string& message, const std::string& under) {
  constexpr std::string_view kUnknown = "unknown field ";
  const bool unknown = message.starts_with(kUnknown);
  const std::size_t from = unknown ? kUnknown.size() : 0;
  const std::size_t to = message.find_first_of(" ;", from);
  const std::string word = message.substr(from, to == std::string::npos ? to : to - from);
  const bool about = unknown || message.compare(to == std::string::npos ? 0 : to, 6, " must ") == 0;
  if (!about) return {Reason::bad_request, message, under};
  const std::string prefix = under.empty() ? "" : under + ".";
  return {Reason::bad_request, message.substr(0, from) + prefix + message.substr(from), prefix + word};
}

// Does the work; what it finds invalid is a bad request.
template <class Work>
auto refusing(const std::string& under, const Work& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    throw refusal(error.what(), under);
  }
}

std::optional<double> optional_number(Fields& fields, const char* name) {
  const Json* value = fields.child(name);
  if (!value || value->is_null()) return std::nullopt;
  double number = 0;
  fields.number(name, number);
  return number;
}

std::optional<double> read_deadline(Fields& fields) {
  const std::optional<double> seconds = optional_number(fields, "reward_deadline_seconds");
  if (seconds && !(*seconds > 0)) fields.refuse("reward_deadline_seconds", "must be > 0 or null");
  return seconds;
}

}  // namespace

struct RequestReader::Parser {
  JsonParser json;
};

RequestReader::RequestReader() : parser_(std::make_unique<Parser>()) {}
RequestReader::~RequestReader() = default;
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;

DecideRequest RequestReader::decide(std::string_view body, const Encoder* features) {
  static constexpr std::array<std::string_view, 5> kNames = {"event_id", "context", "actions", "excluded",
                                                             "defer_activation"};
  const auto [event_id, context, actions, excluded, defer] =
      read_fields(parser_->json.parse(body), kBody, kNames);
  DecideRequest request;
  if (event_id.given) {
    request.event_id = event_id_of(event_id.value);
    if (const std::string fault = new_event_id_fault(request.event_id); !fault.empty())
      refuse({"event_id"}, fault, event_id.value);
  }
  if (features) {
    read_named_offer(*features, context, actions, request.offered);
    check_ids(request.offered.ids);
  } else {
    if (context.given) request.offered.context = read_vector(context.value, {"context"}, true);
    if (actions.given) read_actions(actions.value, request.offered);
  }
  const Ids ids = positions_by_id(request.offered.ids);
  if (excluded.given) read_excluded(excluded.value, ids, request.offered);
  if (defer.given) request.offered.deferred = read_flag(defer.value, {"defer_activation"});
  return request;
}

RewardRequest RequestReader::reward(std::string_view body) {
  static constexpr std::array<std::string_view, 2> kNames = {"event_id", "reward"};
  const auto [event_id, reward] = read_fields(parser_->json.parse(body), kBody, kNames);
  return {event_id_of(need(event_id, "event_id")), read_number(need(reward, "reward"), {"reward"})};
}

std::string RequestReader::activate(std::string_view body) {
  static constexpr std::array<std::string_view, 1> kNames = {"event_id"};
  const auto [event_id] = read_fields(parser_->json.parse(body), kBody, kNames);
  return event_id_of(need(event_id, "event_id"));
}

Matrix RequestReader::predict(std::string_view body, const Encoder* features) {
  static constexpr std::array<std::string_view, 3> kNames = {"states", "context", "actions"};
  const auto [states, context, actions] = read_fields(parser_->json.parse(body), kBody, kNames);
  if (features) {
    if (states.given) refuse({"states"}, kNamed);
    return read_named_states(*features, context, actions);
  }
  if (states.given) {
    if (context.given || actions.given) refuse({"states"}, "stands for context and actions, give it or them");
    return read_points(states.value, {"states"});
  }
  if (!actions.given) refuse({"states"}, "is missing");
  const Matrix points = read_points(actions.value, {"actions"});
  return context.given ? join(read_vector(context.value, {"context"}, true), points) : points;
}

ImportRequest RequestReader::import(std::string_view body, std::int64_t most, const Encoder* features) {
  ImportRequest request;
  std::vector<double> rewards;
  for (std::size_t number = 1; !body.empty(); ++number) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (static_cast<std::int64_t>(rewards.size()) == most)
      throw Refusal(Reason::too_large,
                    fmt::format("one import takes at most {} observations, line {} is beyond", most, number));
    try {
      rewards.push_back(read_observation(parser_->json.parse(line), features, request.states,
                                         static_cast<Index>(rewards.size())));
      request.lines.push_back(number);
    } catch (const Refusal& refusal) {
      throw Refusal(refusal.reason, fmt::format("line {}: {}", number, refusal.what()),
                    refusal.field.empty() ? fmt::format("line {}", number) : refusal.field);
    }
  }
  if (rewards.empty()) throw Refusal(Reason::bad_request, "there is no observation in the body, a line each");
  request.states.conservativeResize(Eigen::NoChange, static_cast<Index>(rewards.size()));
  request.rewards = Eigen::Map<const Vector>(rewards.data(), static_cast<Index>(rewards.size()));
  return request;
}

CreateRequest RequestReader::create(std::string_view body) {
  CreateRequest request;
  refusing("", [&] {
    const Json json = parse_json(body);
    Fields fields(json, "");
    for (const char* name : {"name", "spec"}) {
      if (!fields.has(name)) throw Refusal(Reason::bad_request, fmt::format("{} is missing", name), name);
    }
    fields.text("name", request.name);
    fields.text("description", request.description);
    request.settings = {read_deadline(fields), optional_number(fields, "default_reward")};
    request.spec = *fields.child("spec");
    fields.finish();
  });
  refusing("spec", [&] { spec_from_json(request.spec); });
  return request;
}

SettingsChange RequestReader::configure(std::string_view body) {
  return refusing("", [&] {
    const Json json = parse_json(body);
    Fields fields(json, "");
    SettingsChange request;
    if (fields.has("reward_deadline_seconds")) request.reward_deadline_seconds = read_deadline(fields);
    if (fields.has("default_reward")) request.default_reward = optional_number(fields, "default_reward");
    fields.child("reward_deadline_seconds");
    fields.child("default_reward");
    fields.finish();
    return request;
  });
}

}  // namespace ridgerunner::service
