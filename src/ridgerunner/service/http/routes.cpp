#include "ridgerunner/service/http/routes.h"

#include <array>

namespace ridgerunner::service {
namespace {

// Elimination looks closely at few candidates; a prediction is computed for each of them.
constexpr std::size_t kQuickDecision = 256 << 10, kQuickPrediction = 16 << 10;

constexpr std::array<Route, kCalls> kRoutes = {{
    {Call::create, Verb::post, "/v1/experiments", Role::admin, "create", 0},
    {Call::list, Verb::get, "/v1/experiments", Role::read, "list", 0},
    {Call::show, Verb::get, "/v1/experiments/{name}", Role::read, "show", 0},
    {Call::decide, Verb::post, "/v1/experiments/{name}/decide", Role::decide, "decide", kQuickDecision},
    {Call::reward, Verb::post, "/v1/experiments/{name}/reward", Role::reward, "reward", kAnyBody},
    {Call::activate, Verb::post, "/v1/experiments/{name}/activate", Role::decide, "activate", kAnyBody},
    {Call::predict, Verb::post, "/v1/experiments/{name}/predict", Role::read, "predict", kQuickPrediction},
    {Call::import, Verb::post, "/v1/experiments/{name}/import", Role::admin, "import", 0},
    {Call::configure, Verb::post, "/v1/experiments/{name}/configure", Role::admin, "configure", 0},
    {Call::close, Verb::post, "/v1/experiments/{name}/close", Role::admin, "close", 0},
    {Call::log, Verb::get, "/v1/experiments/{name}/log", Role::read, "log", 0},
    {Call::decisions, Verb::get, "/v1/experiments/{name}/decisions", Role::read, "decisions", 0},
    {Call::explain, Verb::get, "/v1/experiments/{name}/decisions/{event_id}", Role::read, "explain", 0},
    {Call::history, Verb::get, "/v1/experiments/{name}/history", Role::read, "history", 0},
    {Call::live, Verb::get, "/v1/experiments/{name}/live", Role::read, "live", 0},
    {Call::health, Verb::get, "/healthz", Role::anyone, "health", kAnyBody},
    {Call::ready, Verb::get, "/readyz", Role::anyone, "ready", kAnyBody},
    {Call::metrics, Verb::get, "/metrics", Role::read, "metrics", 0},
    {Call::description, Verb::get, "/openapi.json", Role::anyone, "openapi", kAnyBody},
    {Call::page, Verb::get, "/", Role::anyone, "page", kAnyBody},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRoutes.size(); ++i) {
    if (kRoutes[i].call != static_cast<Call>(i)) return false;
  }
  return true;
}
static_assert(in_order());

// The part up to the next slash, which is taken off.
std::string_view next_part(std::string_view& path) {
  const std::size_t end = path.find('/');
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  return part;
}

bool fits(std::string_view pattern, std::string_view path, Match& match) {
  while (!pattern.empty() && !path.empty()) {
    const bool pattern_last = pattern.find('/') == std::string_view::npos;
    if (pattern_last != (path.find('/') == std::string_view::npos)) return false;
    const std::string_view wanted = next_part(pattern), part = next_part(path);
    if (wanted == "{name}") {
      if (!percent_decoded(part, match.name)) return false;
    } else if (wanted == "{event_id}") {
      if (!percent_decoded(part, match.event_id)) return false;
    } else if (wanted != part) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

const Route& route_of(Call call) {
  return kRoutes[static_cast<std::size_t>(call)];
}

Match match(std::string_view method, std::string_view path) {
  Match match;
  for (const Route& route : kRoutes) {
    if (!fits(route.path, path, match)) continue;
    const bool get = route.verb == Verb::get;
    if (get ? method == "GET" || method == "HEAD" : method == "POST") {
      match.route = &route;
      return match;
    }
    match.allowed += (match.allowed.empty() ? "" : ", ") + std::string(get ? "GET, HEAD" : "POST");
  }
  if (match.allowed.empty() && !path.starts_with("/v1/")) {
    if (method == "GET" || method == "HEAD") {
      match.route = &route_of(Call::page);
    } else {
      match.allowed = "GET, HEAD";
    }
  }
  return match;
}

bool percent_decoded(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(16 * high + low);
    i += 2;
  }
  return true;
}

bool query_value(std::string_view query, std::string_view name, std::string& value) {
  value.clear();
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    return equals == std::string_view::npos || percent_decoded(pair.substr(equals + 1), value);
  }
  return false;
}

}  // namespace ridgerunner::service
