#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ridgerunner::service {

enum class Verb { get, post };

// Who may call it: a bit each, so that a token can have several.
enum class Role : unsigned { anyone = 0, decide = 1, reward = 2, read = 4, admin = 8 };

enum class Call {
  create,
  list,
  show,
  decide,
  reward,
  activate,
  predict,
  import,
  configure,
  close,
  log,
  decisions,
  explain,
  history,
  live,
  health,
  ready,
  metrics,
  description,
  page,
};
constexpr std::size_t kCalls = static_cast<std::size_t>(Call::page) + 1;

// One call of the API. In a path, {name} and {event_id} stand for one part each.
//
// quick_body says what answering costs. A body of up to so many bytes is answered by the thread that read it,
// unless the experiment's model is slow; longer ones by a worker. 0, always by a worker: it depends on how
// much is stored. kAnyBody, never: it takes the same short time whatever is stored.
constexpr std::size_t kAnyBody = ~std::size_t{0};
struct Route {
  Call call;
  Verb verb;
  std::string_view path;
  Role role;
  std::string_view name;  // in metrics and logs
  std::size_t quick_body;
};
std::span<const Route> routes();
const Route& route_of(Call call);

// What an address asks for. An address that is no call is the dashboard's, if it has such a file.
struct Match {
  const Route* route = nullptr;
  std::string name, event_id;  // decoded
  std::string allowed;         // if the method does not fit: those that would
};
Match match(std::string_view method, std::string_view path);

// %41 is A; false for what is no such code. A + stays one.
bool percent_decoded(std::string_view text, std::string& out);

// The value of a parameter of "a=1&b=2": decoded, empty if it has none. False if it is not there.
bool query_value(std::string_view query, std::string_view name, std::string& value);

}  // namespace ridgerunner::service
