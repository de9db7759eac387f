#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ridgerunner/service/http/routes.h"

namespace ridgerunner::service {

// Who may do what. A token file has one token a line, `NAME ROLES sha256:HEX`, where ROLES is one or more of
// decide, reward, read and admin, separated by commas, and HEX is the digest of the token, which itself is
// kept nowhere. Lines that start with # are comments.
class Tokens {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  // Throws InvalidArgument with the number of the line that is wrong.
  static Tokens parse(std::string_view text);

  // The roles of a token as bits of Role, 0 if it is unknown. Looks at all entries, whichever fits, and takes
  // the same time for each, so that the time tells nothing about a digest.
  unsigned roles_of(std::string_view token) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string name;
    unsigned roles = 0;
    Digest digest = {};
  };
  std::vector<Entry> entries_;
};

// "decide,reward" as bits of Role; throws InvalidArgument for other words.
unsigned roles_from_text(std::string_view text);

// May somebody with these roles do what asks for `role`? The admin may do everything.
bool may(unsigned roles, Role role);

// A new token of 256 random bits, and the line of the file that admits it.
struct NewToken {
  std::string token, line;
};
NewToken make_token(const std::string& name, const std::string& roles);

}  // namespace ridgerunner::service
