#include "ridgerunner/service/http/tokens.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include <fmt/format.h>
#include <sys/random.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/http/sha256.h"

namespace ridgerunner::service {
namespace {

constexpr std::string_view kPrefix = "sha256:";
constexpr std::array<std::pair<std::string_view, Role>, 4> kRoles = {
    {{"decide", Role::decide}, {"reward", Role::reward}, {"read", Role::read}, {"admin", Role::admin}}};

std::array<std::uint8_t, 32> digest_from_text(std::string_view text) {
  std::array<std::uint8_t, 32> digest;
  const auto wrong = [] { return InvalidArgument("the digest must be sha256: and 64 hexadecimal digits"); };
  if (!text.starts_with(kPrefix) || text.size() != kPrefix.size() + 64) throw wrong();
  text.remove_prefix(kPrefix.size());
  for (std::size_t i = 0; i < digest.size(); ++i) {
    unsigned value = 0;
    for (const char c : text.substr(2 * i, 2)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const std::size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
      if (digit == std::string_view::npos) throw wrong();
      value = 16 * value + static_cast<unsigned>(digit);
    }
    digest[i] = static_cast<std::uint8_t>(value);
  }
  return digest;
}

}  // namespace

unsigned roles_from_text(std::string_view text) {
  unsigned roles = 0;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    const auto known =
        std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& role) { return role.first == word; });
    if (known == kRoles.end())
      throw InvalidArgument(
          fmt::format("a role must be one of decide, reward, read, admin, got \"{}\"", word.substr(0, 60)));
    roles |= static_cast<unsigned>(known->second);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return roles;
}

bool may(unsigned roles, Role role) {
  if (role == Role::anyone) return true;
  return (roles & (static_cast<unsigned>(role) | static_cast<unsigned>(Role::admin))) != 0;
}

Tokens Tokens::parse(std::string_view text) {
  Tokens tokens;
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string name, roles, digest, more;
    if (!(words >> name) || name.front() == '#') continue;
    try {
      if (!(words >> roles >> digest) || words >> more)
        throw InvalidArgument("a line must be NAME ROLES sha256:HEX");
      tokens.entries_.push_back({name, roles_from_text(roles), digest_from_text(digest)});
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("line {}: {}", number, error.what()));
    }
  }
  return tokens;
}

unsigned Tokens::roles_of(std::string_view token) const {
  const std::array<std::uint8_t, 32> digest = sha256(token);
  unsigned roles = 0;
  for (const Entry& entry : entries_) {
    unsigned difference = 0;
    for (std::size_t i = 0; i < digest.size(); ++i)
      difference |= static_cast<unsigned>(digest[i]) ^ static_cast<unsigned>(entry.digest[i]);
    // All ones if there is no difference, without a branch.
    const unsigned equal = ((difference - 1) >> 8) & 1u;
    roles |= entry.roles & (0u - equal);
  }
  return roles;
}

NewToken make_token(const std::string& name, const std::string& roles) {
  roles_from_text(roles);
  if (name.empty() || name.front() == '#' || name.find_first_of(" \t\r\n") != std::string::npos)
    throw InvalidArgument(
        fmt::format("a token's name must be one word that does not start with #, got \"{}\"", name));
  std::array<std::uint8_t, 32> random;
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    throw std::runtime_error(fmt::format("cannot get random bits: {}", std::strerror(errno)));
  const std::string token = "rr_" + hexadecimal(random);
  return {token, fmt::format("{} {} {}{}", name, roles, kPrefix, hexadecimal(sha256(token)))};
}

}  // namespace ridgerunner::service
