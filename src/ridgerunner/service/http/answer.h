#pragma once

#include <string>
#include <string_view>

#include "ridgerunner/codec/json.h"
#include "ridgerunner/service/experiment/views.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {

// What the service tells, as JSON. The two that are asked for most are written straight into the text.
void append_choice(std::string& out, const Choice& choice);
void append_event_status(std::string& out, std::string_view event_id, std::string_view status);

enum class Detail { whole, without_spec };
Json experiment_json(const ExperimentView& view, Detail detail);
Json decision_json(const DecisionView& view);
Json explanation_json(const Explanation& explanation);
Json history_json(const History& history);
Json forecast_json(const Forecast& forecast, std::uint64_t version);

// Per second, since the state that was told before.
struct Rates {
  double decisions = 0, rewards = 0;
};
Json live_json(const LiveView& view, std::int64_t time, const Rates& rates);

// The last line of an export.
std::string end_line(const ExportEnd& end);

// `{"error": {...}}`
std::string error_json(std::string_view code, std::string_view message, std::string_view field);

// HTTP's number for it, and its name in answers.
struct ReasonText {
  int status;
  const char* code;
};
ReasonText reason_text(Reason reason);

// Numbers that are not finite become null, bytes that are no UTF-8 U+FFFD.
std::string dump(const Json& json);

}  // namespace ridgerunner::service
