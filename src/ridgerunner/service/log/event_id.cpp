#include "ridgerunner/service/log/event_id.h"

#include <algorithm>

#include <fmt/format.h>

#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

std::string event_id_fault(std::string_view id) {
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  const bool fits = !id.empty() && id.size() <= kLongestId && std::all_of(id.begin(), id.end(), printable);
  // Both mean something else in an address.
  if (fits && id != "." && id != "..") return "";
  return fmt::format("must be 1 to {} printable ASCII characters without spaces, and not . or ..",
                     kLongestId);
}

std::string new_event_id_fault(std::string_view id) {
  if (id.starts_with(kMadePrefix))
    return fmt::format("must not begin with {}, as those that the server makes", kMadePrefix);
  return event_id_fault(id);
}

}  // namespace ridgerunner::service
