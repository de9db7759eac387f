#pragma once

#include <string>
#include <string_view>

#include "ridgerunner/service/experiment/service.h"
#include "ridgerunner/service/http/quota.h"
#include "ridgerunner/service/http/routes.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {

constexpr std::string_view kJsonType = "application/json";

struct ApiRequest {
  Call call = Call::health;
  std::string_view name, event_id;  // from the address, decoded
  std::string_view query;           // after the question mark
  std::string_view body;
};

// The text of an answer is in the caller's memory. It may be sent once the event `seq` is durable; 0: now.
struct Reply {
  int status = 200;
  std::uint64_t seq = 0;
};

struct ApiLimits {
  const Limits& service;
  Quota& decision_bytes;  // taken by decisions that need much memory
};

// The calls whose answer is one JSON text, without a transport: everything under /v1 but log and live.
// Never throws: what is refused or fails is an answer too. Any thread may call it.
Reply answer(Service& service, const ApiLimits& limits, const ApiRequest& request, std::string& out);

// The parameter of an address as a number; throws Refusal for what is none.
std::uint64_t query_number(std::string_view query, const char* name, std::uint64_t otherwise);

// An exception as an answer; call it in a catch clause. A Refusal, and invalid input in general, is told to
// the client.
Reply answer_of_exception(std::string& out);
Reply answer_refusal(const Refusal& refusal, std::string& out);

}  // namespace ridgerunner::service
