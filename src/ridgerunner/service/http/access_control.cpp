#include "ridgerunner/service/http/access_control.h"

#include <algorithm>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_address(std::string_view host) {
  in6_addr parsed;
  const std::string text(host);
  return inet_pton(AF_INET, text.c_str(), &parsed) == 1 || inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

// "https://name:443" and "https://name" are the same place.
std::string_view without_default_port(std::string_view host, std::string_view scheme) {
  const std::string_view port = scheme == "https" ? ":443" : ":80";
  return host.ends_with(port) ? host.substr(0, host.size() - port.size()) : host;
}

}  // namespace

std::string_view host_without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, std::min(host.find(']'), host.size()) - 1);
  return host.substr(0, host.find(':'));
}

void AccessControl::set_tokens(Tokens tokens) {
  auto fresh = std::make_shared<const Tokens>(std::move(tokens));
  const std::lock_guard lock(mutex_);
  tokens_ = std::move(fresh);
}

void AccessControl::require(const Route& route, const Sender& sender) const {
  const auto known = [&](std::string_view host) {
    return std::any_of(host_names_.begin(), host_names_.end(),
                       [&](const std::string& name) { return same_word(name, host_without_port(host)); });
  };
  if (route.verb == Verb::post && !sender.origin.empty()) {
    const std::size_t colon = sender.origin.find("://");
    const std::string_view scheme = sender.origin.substr(0, std::min(colon, sender.origin.size()));
    const std::string_view from = colon == std::string_view::npos ? "" : sender.origin.substr(colon + 3);
    if (from.empty() || !(known(from) || same_word(without_default_port(from, scheme),
                                                   without_default_port(sender.host, scheme))))
      throw Refusal(
          Reason::forbidden,
          fmt::format("a page of {} may not call this service; if it is behind a proxy of that name, "
                      "start it with --host-name",
                      sender.origin));
  }
  std::shared_ptr<const Tokens> tokens;
  {
    const std::lock_guard lock(mutex_);
    tokens = tokens_;
  }
  if (!tokens) {
    const std::string_view host = host_without_port(sender.host);
    if (!host.empty() && !same_word(host, "localhost") && !is_address(host) && !known(host))
      throw Refusal(
          Reason::forbidden,
          fmt::format("this service has no tokens and is not known as {}; start it with --token-file, "
                      "or with --host-name {}",
                      host, host));
    return;
  }
  if (route.role == Role::anyone) return;
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view given = sender.authorization;
  if (given.empty()) throw Refusal(Reason::unauthorized, "a token is needed: Authorization: Bearer TOKEN");
  const unsigned roles = given.size() > kBearer.size() && same_word(given.substr(0, kBearer.size()), kBearer)
                             ? tokens->roles_of(given.substr(kBearer.size()))
                             : 0;
  if (roles == 0) throw Refusal(Reason::unauthorized, "the token is unknown");
  if (!may(roles, route.role)) throw Refusal(Reason::forbidden, "the token's roles do not include this call");
}

}  // namespace ridgerunner::service
