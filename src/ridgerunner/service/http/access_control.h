#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ridgerunner/service/http/tokens.h"

namespace ridgerunner::service {

// What a request says of its sender.
struct Sender {
  std::string_view authorization, host, origin;  // headers; empty if absent
};

// Who may call what.
//
// With tokens, a call needs one with its role. Without, whoever reaches the address may do everything, which
// on a loopback address is every program of the machine, and that includes browsers, in which pages of
// strangers run. Two rules keep those out:
// - A page may post only to where it came from: an Origin that is not this Host is refused.
// - A stranger's name can be made to resolve to 127.0.0.1 (DNS rebinding), and then a browser takes its pages
//   for ours, even when they read. So without tokens the Host must be an address, `localhost`, or a name that
//   the operator gave. With tokens such a page has none to show.
class AccessControl {
 public:
  explicit AccessControl(std::vector<std::string> host_names = {}) : host_names_(std::move(host_names)) {}

  // From now on tokens are needed, and these are valid.
  void set_tokens(Tokens tokens);

  // Throws Refusal if the sender may not make the call: unauthorized (no token, or none we know), forbidden.
  void require(const Route& route, const Sender& sender) const;

 private:
  std::vector<std::string> host_names_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Tokens> tokens_;
};

// "127.0.0.1:8080", "[::1]:8080", "name:80", "name": the part before the port, without brackets.
std::string_view host_without_port(std::string_view host);

}  // namespace ridgerunner::service
