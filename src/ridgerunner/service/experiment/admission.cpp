#include "ridgerunner/service/experiment/admission.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/service/log/event_id.h"

namespace ridgerunner::service {
namespace {

constexpr std::size_t kLongestName = 64;

}  // namespace

void require(bool holds, const std::string& message, const char* field) {
  if (!holds) throw Refusal(Reason::bad_request, message, field);
}

void require_name(const std::string& name) {
  const bool fits =
      !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.' || c == '-';
      });
  require(fits && name != "." && name != "..", "name must be 1 to 64 letters, digits, _, . or -", "name");
}

void require_event_id(const std::string& id) {
  const std::string fault = event_id_fault(id);
  require(fault.empty(), "event_id " + fault, "event_id");
}

// As models demand of their data.
void require_reward(const char* name, double reward) {
  constexpr double kMost = 1e100;
  require(std::abs(reward) <= kMost, fmt::format("{} must be a number of at most 1e100 in size", name), name);
}

void require_settings(const Settings& settings) {
  const auto& deadline = settings.reward_deadline_seconds;
  require(!deadline || (*deadline > 0 && *deadline <= 1e10),
          "reward_deadline_seconds must be > 0 and at most 1e10", "reward_deadline_seconds");
  if (settings.default_reward) require_reward("default_reward", *settings.default_reward);
  require(!settings.default_reward || deadline, "default_reward needs reward_deadline_seconds",
          "default_reward");
}

void require_within(const Offered& offered, const Limits& limits) {
  if (offered.actions.cols() > limits.candidates)
    throw Refusal(
        Reason::too_large,
        fmt::format("{} actions, at most {} are allowed", offered.actions.cols(), limits.candidates),
        "actions");
  require_within(offered.context.size() + offered.actions.rows(), limits, "actions");
}

void require_within(Index dimension, const Limits& limits, const char* field) {
  if (dimension > limits.dimension)
    throw Refusal(
        Reason::too_large,
        fmt::format("states have {} dimensions, at most {} are allowed", dimension, limits.dimension), field);
}

void require_dimension(const Ledger& ledger, Index dimension, const char* field) {
  const auto& known = ledger.dimension();
  require(!known || *known == dimension,
          fmt::format("states of this experiment have {} dimensions, got {}", known.value_or(0), dimension),
          field);
}

}  // namespace ridgerunner::service
