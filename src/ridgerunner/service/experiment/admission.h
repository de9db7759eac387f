#pragma once

#include "ridgerunner/error.h"
#include "ridgerunner/service/experiment/ledger.h"
#include "ridgerunner/service/experiment/options.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {

// What requests must satisfy before anything is done. Each throws Refusal.
void require(bool holds, const std::string& message, const char* field);
void require_name(const std::string& name);
void require_event_id(const std::string& id);
void require_reward(const char* name, double reward);
void require_settings(const Settings& settings);
void require_within(const Offered& offered, const Limits& limits);
void require_within(Index dimension, const Limits& limits, const char* field);
void require_dimension(const Ledger& ledger, Index dimension, const char* field);

// What the model says against the input becomes an answer to its sender.
template <class Call>
auto answered(const char* field, const Call& call) {
  try {
    return call();
  } catch (const InvalidArgument& error) {
    throw Refusal(Reason::bad_request, error.what(), field);
  }
}

}  // namespace ridgerunner::service
