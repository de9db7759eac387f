#pragma once

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
  too_large,
  too_many,
  read_only,
  draining,
  starting,
  timeout,             // the request took too long to arrive
  method_not_allowed,  // of HTTP
  header_too_large,
};

// A request that is not carried out, and why: one sentence, and the field at fault if it is one. Nothing has
// changed.
class Refusal : public std::runtime_error {
 public:
  Refusal(Reason why, const std::string& message, std::string where = "")
      : std::runtime_error(message), reason(why), field(std::move(where)) {}
  Reason reason;
  std::string field;
};

}  // namespace ridgerunner::service
