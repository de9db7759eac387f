#include "ridgerunner/service/http/answer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/policy/statistics_json.h"
#include "ridgerunner/service/log/json_text.h"

namespace ridgerunner::service {
namespace {

template <class Number>
Json or_null(const std::optional<Number>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json model_json(const ExperimentView& view) {
  Json json = {{"dimension", or_null(view.dimension)}};
  json.update(statistics_to_json(view.statistics, view.diagnostics));
  json.erase("open");  // the service pairs rewards with decisions itself: counts.pending
  return json;
}

Json candidate_json(const CandidateView& view) {
  Json json = {{"index", view.index}};
  if (!view.id.empty()) json["id"] = view.id;
  json["mean"] = view.mean;
  json["sd"] = view.sd;
  json["lower"] = view.lower;
  json["upper"] = view.upper;
  return json;
}

}  // namespace

void append_choice(std::string& out, const Choice& choice) {
  out += "{\"event_id\":";
  append_text(out, choice.event_id);
  out += ",\"index\":";
  append_integer(out, static_cast<std::uint64_t>(choice.decision.index));
  if (!choice.id.empty()) {
    out += ",\"id\":";
    append_text(out, choice.id);
  }
  const auto number = [&](std::string_view name, double value) {
    append_name(out, name);
    append_number(out, value);
  };
  number("mean", choice.decision.mean);
  number("sd", choice.decision.sd);
  number("lower", choice.decision.lower);
  number("upper", choice.decision.upper);
  number("propensity", choice.decision.propensity);
  out += ",\"version\":";
  append_integer(out, choice.version);
  out += '}';
}

void append_event_status(std::string& out, std::string_view event_id, std::string_view status) {
  out += "{\"event_id\":";
  append_text(out, event_id);
  out += ",\"status\":";
  append_text(out, status);
  out += '}';
}

Json experiment_json(const ExperimentView& view, Detail detail) {
  Json json = {{"name", view.name},
               {"description", view.description},
               {"state", view.closed ? "closed" : "open"},
               {"created", time_text(view.created)}};
  if (detail == Detail::whole) json["spec"] = Json::parse(view.spec);
  json["reward_deadline_seconds"] = or_null(view.settings.reward_deadline_seconds);
  json["default_reward"] = or_null(view.settings.default_reward);
  json["version"] = view.version;
  json["last_event"] = view.last_event;
  json["counts"] = {
      {"decisions", view.counts.decisions}, {"rewards", view.counts.rewards},
      {"defaulted", view.counts.defaulted}, {"expired", view.counts.expired},
      {"imported", view.counts.imported},   {"pending", view.counts.pending},
      {"deferred", view.counts.deferred},   {"skipped", view.degraded ? view.degraded->skipped : 0}};
  json["totals"] = {{"reward", view.total_reward}, {"estimated_regret", view.estimated_regret}};
  json["degraded"] = nullptr;
  if (view.degraded)
    json["degraded"] = {{"skipped", view.degraded->skipped},
                        {"seq", view.degraded->seq},
                        {"message", view.degraded->message}};
  json["model"] = model_json(view);
  return json;
}

Json decision_json(const DecisionView& view) {
  const Decision& decision = view.choice.decision;
  Json json = {{"seq", view.seq},
               {"time", time_text(view.time)},
               {"event_id", view.choice.event_id},
               {"index", decision.index}};
  if (!view.choice.id.empty()) json["id"] = view.choice.id;
  json["candidates"] = view.candidates;
  json["mean"] = decision.mean;
  json["sd"] = decision.sd;
  json["lower"] = decision.lower;
  json["upper"] = decision.upper;
  json["propensity"] = decision.propensity;
  json["version"] = view.choice.version;
  json["status"] = outcome_name(view.outcome);
  json["reward"] = or_null(view.reward);
  return json;
}

Json explanation_json(const Explanation& explanation) {
  Json json = decision_json(explanation.decision);
  json["state"] = vector_to_json(explanation.state);
  Json candidates = Json::array();
  for (const CandidateView& candidate : explanation.candidates)
    candidates.push_back(candidate_json(candidate));
  const auto& runner_up = explanation.runner_up;
  // The candidates are judged by the model of now; the decision's own numbers are those of the model then.
  json["explanation"] = {{"version", explanation.version},
                         {"decided_version", explanation.decision.choice.version},
                         {"chosen", candidate_json(explanation.chosen)},
                         {"runner_up", runner_up ? candidate_json(*runner_up) : Json(nullptr)},
                         {"candidates", std::move(candidates)}};
  return json;
}

Json history_json(const History& history) {
  return {{"time", history.time},           {"seq", history.seq},
          {"decisions", history.decisions}, {"rewards", history.rewards},
          {"reward", history.reward},       {"estimated_regret", history.estimated_regret},
          {"anchors", history.anchors},     {"radius", history.radius},
          {"pending", history.pending}};
}

Json forecast_json(const Forecast& forecast, std::uint64_t version) {
  return {{"mean", vector_to_json(forecast.mean)},
          {"sd", vector_to_json(forecast.sd)},
          {"lower", vector_to_json(forecast.lower)},
          {"upper", vector_to_json(forecast.upper)},
          {"version", version}};
}

Json live_json(const LiveView& view, std::int64_t time, const Rates& rates) {
  Json json = experiment_json(view.experiment, Detail::without_spec);
  json["time"] = time_text(time);
  json["rates"] = {{"decisions", rates.decisions}, {"rewards", rates.rewards}};
  Json shares = Json::array(), recent = Json::array();
  for (const auto& [action, count] : view.shares) shares.push_back({{"action", action}, {"count", count}});
  for (const DecisionView& decision : view.recent) recent.push_back(decision_json(decision));
  json["shares"] = std::move(shares);
  json["recent"] = std::move(recent);
  return json;
}

std::string end_line(const ExportEnd& end) {
  return fmt::format("{{\"type\":\"end\",\"seq\":{},\"events\":{},\"model\":\"{:08x}\"}}\n", end.seq,
                     end.events, end.model);
}

std::string error_json(std::string_view code, std::string_view message, std::string_view field) {
  std::string out = "{\"error\":{\"code\":";
  append_text(out, code);
  out += ",\"message\":";
  append_text(out, message);
  out += ",\"field\":";
  if (field.empty()) {
    out += "null";
  } else {
    append_text(out, field);
  }
  out += "}}";
  return out;
}

ReasonText reason_text(Reason reason) {
  switch (reason) {
    case Reason::bad_request:
      return {400, "bad_request"};
    case Reason::unauthorized:
      return {401, "unauthorized"};
    case Reason::forbidden:
      return {403, "forbidden"};
    case Reason::not_found:
      return {404, "not_found"};
    case Reason::unknown_event:
      return {404, "unknown_event"};
    case Reason::conflict:
      return {409, "conflict"};
    case Reason::exists:
      return {409, "exists"};
    case Reason::closed:
      return {409, "closed"};
    case Reason::expired:
      return {410, "expired"};
    case Reason::archived:
      return {410, "archived"};
    case Reason::too_large:
      return {413, "too_large"};
    case Reason::too_many:
      return {429, "too_many"};
    case Reason::full:
      return {507, "full"};
    case Reason::degraded:
      return {409, "degraded"};
    case Reason::read_only:
      return {503, "read_only"};
    case Reason::draining:
      return {503, "draining"};
    case Reason::starting:
      return {503, "starting"};
    case Reason::timeout:
      return {408, "timeout"};
    case Reason::method_not_allowed:
      return {405, "method_not_allowed"};
    case Reason::header_too_large:
      return {431, "header_too_large"};
  }
  return {500, "internal"};
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ridgerunner::service
