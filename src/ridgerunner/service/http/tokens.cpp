#include "ridgerunner/service/http/tokens.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <sodium.h>

#include "ridgerunner/error.h"

namespace ridgerunner::service {
namespace {

constexpr std::string_view kPrefix = "sha256:";
constexpr std::array<std::pair<std::string_view, Role>, 4> kRoles = {
    {{"decide", Role::decide}, {"reward", Role::reward}, {"read", Role::read}, {"admin", Role::admin}}};

using Digest = Tokens::Digest;
static_assert(std::tuple_size_v<Digest> == crypto_hash_sha256_BYTES);

std::string hexadecimal(const Digest& bytes) {
  std::array<char, 2 * std::tuple_size_v<Digest> + 1> text;
  return sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
}

Digest digest_of(std::string_view token) {
  Digest digest;
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(token.data()), token.size());
  return digest;
}

Digest digest_from_text(std::string_view text) {
  Digest digest;
  const std::string_view digits = text.substr(std::min(kPrefix.size(), text.size()));
  std::size_t size = 0;
  const char* end = nullptr;
  if (!text.starts_with(kPrefix) || digits.size() != 2 * digest.size() ||
      sodium_hex2bin(digest.data(), digest.size(), digits.data(), digits.size(), nullptr, &size, &end) != 0 ||
      size != digest.size())
    throw InvalidArgument("the digest must be sha256: and 64 hexadecimal digits");
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
  const Digest digest = digest_of(token);
  unsigned roles = 0;
  for (const Entry& entry : entries_) {
    if (sodium_memcmp(digest.data(), entry.digest.data(), digest.size()) == 0) roles |= entry.roles;
  }
  return roles;
}

NewToken make_token(const std::string& name, const std::string& roles) {
  roles_from_text(roles);
  if (name.empty() || name.front() == '#' || name.find_first_of(" \t\r\n") != std::string::npos)
    throw InvalidArgument(
        fmt::format("a token's name must be one word that does not start with #, got \"{}\"", name));
  if (sodium_init() < 0) throw std::runtime_error("cannot get random bits");
  Digest random;
  randombytes_buf(random.data(), random.size());
  const std::string token = "rr_" + hexadecimal(random);
  return {token, fmt::format("{} {} {}{}", name, roles, kPrefix, hexadecimal(digest_of(token)))};
}

}  // namespace ridgerunner::service
