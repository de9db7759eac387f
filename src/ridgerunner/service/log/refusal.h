#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ridgerunner::service {

enum class Reason {
  bad_request,
  unauthorized,
  forbidden,
  not_found,      // no such experiment or address
  unknown_event,  // no such decision
  conflict,       // the same event id with other contents
  exists,         // the experiment, with another spec
  closed,
  expired,
  archived,  // what it is about has been moved out of the log
  too_large,
  too_many,  // now; another try may help
  full,      // another try does not help
  degraded,  // the experiment has no model to do it with
  read_only,
  draining,
  starting,
  timeout,             // the request took too long to arrive
  method_not_allowed,  // of HTTP
  header_too_large,
};

// A request that is not carried out, and why: one sentence, and the field at fault if it is one. Nothing has
// changed. A refusal that rests on an earlier event may be told once that event, `seq`, is durable.
class Refusal : public std::runtime_error {
 public:
  Refusal(Reason why, const std::string& message, std::string where = "", std::uint64_t rests_on = 0)
      : std::runtime_error(message), reason(why), field(std::move(where)), seq(rests_on) {}
  Reason reason;
  std::string field;
  std::uint64_t seq;
};

}  // namespace ridgerunner::service
