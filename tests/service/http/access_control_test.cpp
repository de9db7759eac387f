#include "ridgerunner/service/http/access_control.h"

#include <gtest/gtest.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service::access_control_test {
namespace {

// Made with sha256sum, so that files of older versions stay valid: "abc", and a token of 64 bytes.
TEST(Tokens, AreKnownByTheirSha256) {
  const Tokens tokens = Tokens::parse(
      "a read sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
      "b decide sha256:FFE054FE7AE0CB6DC65C3AF9B61D5209F439851DB43D0BA5997337DF154668EB\n");
  EXPECT_EQ(tokens.roles_of("abc"), roles_from_text("read"));
  EXPECT_EQ(tokens.roles_of(std::string(64, 'a')), roles_from_text("decide"));
  EXPECT_EQ(tokens.roles_of("abd"), 0u);
  const NewToken made = make_token("shop", "read");
  EXPECT_TRUE(made.token.starts_with("rr_"));
  EXPECT_EQ(made.token.size(), 67u);
}

TEST(Tokens, AMadeTokenIsKnownByItsLine) {
  const NewToken shop = make_token("shop", "decide,reward"), chief = make_token("chief", "admin");
  EXPECT_NE(shop.token, chief.token);
  EXPECT_EQ(shop.line.find(shop.token), std::string::npos);
  const Tokens tokens = Tokens::parse("# who may do what\n\n" + shop.line + "\n  " + chief.line + "\n");
  EXPECT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens.roles_of(shop.token), roles_from_text("decide,reward"));
  EXPECT_EQ(tokens.roles_of(chief.token), roles_from_text("admin"));
  EXPECT_EQ(tokens.roles_of(shop.token + "x"), 0u);
  EXPECT_EQ(tokens.roles_of(""), 0u);
  EXPECT_EQ(Tokens::parse("").roles_of(shop.token), 0u);
}

TEST(Tokens, TheAdminMayDoEverythingOthersWhatTheirRolesSay) {
  for (const Role role : {Role::decide, Role::reward, Role::read, Role::admin}) {
    EXPECT_TRUE(may(roles_from_text("admin"), role));
    EXPECT_EQ(may(roles_from_text("decide,read"), role), role == Role::decide || role == Role::read);
  }
  EXPECT_TRUE(may(0, Role::anyone));
}

TEST(Tokens, AWrongLineIsNamed) {
  const std::string digest = " sha256:" + std::string(64, '0');
  const auto message = [](const std::string& text) -> std::string {
    try {
      Tokens::parse(text);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("# fine\nshop decide\n"), "line 2: a line must be NAME ROLES sha256:HEX");
  EXPECT_EQ(message("shop decide" + digest + " more"), "line 1: a line must be NAME ROLES sha256:HEX");
  EXPECT_EQ(message("shop king" + digest),
            "line 1: a role must be one of decide, reward, read, admin, got \"king\"");
  EXPECT_EQ(message("shop decide," + digest),
            "line 1: a role must be one of decide, reward, read, admin, got \"\"");
  EXPECT_EQ(message("shop decide sha256:12"), "line 1: the digest must be sha256: and 64 hexadecimal digits");
  EXPECT_EQ(message("shop decide sha256:" + std::string(64, 'g')),
            "line 1: the digest must be sha256: and 64 hexadecimal digits");
  EXPECT_THROW(make_token("two words", "read"), InvalidArgument);
  EXPECT_THROW(make_token("#", "read"), InvalidArgument);
}

// What is said: 0 welcome, else the status of the refusal.
int asked(const AccessControl& access, Call call, const Sender& sender) {
  try {
    access.require(route_of(call), sender);
    return 0;
  } catch (const Refusal& refusal) {
    return refusal.reason == Reason::unauthorized ? 401 : refusal.reason == Reason::forbidden ? 403 : -1;
  }
}

TEST(AccessControl, WithoutTokensStrangersNamesAreRefused) {
  const AccessControl access({"bandit.example"});
  for (const char* host :
       {"", "127.0.0.1:8080", "[::1]:8080", "localhost", "LocalHost:80", "10.0.0.7", "Bandit.Example:443"})
    EXPECT_EQ(asked(access, Call::list, {"", host, ""}), 0) << host;
  for (const char* host :
       {"evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example"})
    EXPECT_EQ(asked(access, Call::list, {"", host, ""}), 403) << host;
}

TEST(AccessControl, PagesMayPostOnlyToWhereTheyCameFrom) {
  const AccessControl access({"bandit.example"});
  const auto from = [&](const char* origin, const char* host) {
    return asked(access, Call::decide, {"", host, origin});
  };
  EXPECT_EQ(from("http://127.0.0.1:8080", "127.0.0.1:8080"), 0);
  EXPECT_EQ(from("http://localhost", "localhost:80"), 0);
  EXPECT_EQ(from("https://bandit.example", "127.0.0.1:8080"), 0) << "a proxy of that name";
  EXPECT_EQ(from("https://evil.example", "127.0.0.1:8080"), 403);
  EXPECT_EQ(from("http://127.0.0.1:9090", "127.0.0.1:8080"), 403) << "another program of this machine";
  EXPECT_EQ(from("null", "127.0.0.1:8080"), 403);
  EXPECT_EQ(asked(access, Call::list, {"", "127.0.0.1", "https://evil.example"}), 0)
      << "reading: its browser does not show the answer to the page";
}

TEST(AccessControl, WithTokensACallNeedsItsRole) {
  AccessControl access;
  const NewToken shop = make_token("shop", "decide"), reader = make_token("reader", "read");
  access.set_tokens(Tokens::parse(shop.line + "\n" + reader.line));
  const std::string good = "Bearer " + shop.token, small = "bearer " + reader.token;
  EXPECT_EQ(asked(access, Call::decide, {good, "any.example", ""}), 0);
  EXPECT_EQ(asked(access, Call::list, {small, "", ""}), 0);
  EXPECT_EQ(asked(access, Call::decide, {small, "", ""}), 403);
  EXPECT_EQ(asked(access, Call::create, {good, "", ""}), 403);
  EXPECT_EQ(asked(access, Call::metrics, {good, "", ""}), 403);
  for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer nobody", "Basic abc", "x"})
    EXPECT_EQ(asked(access, Call::decide, {wrong, "", ""}), 401) << wrong;
  for (const Call call : {Call::health, Call::ready, Call::page, Call::description})
    EXPECT_EQ(asked(access, call, {"", "", ""}), 0);
  access.set_tokens(Tokens::parse(reader.line));
  EXPECT_EQ(asked(access, Call::decide, {good, "", ""}), 401) << "a token that was taken away";
}

}  // namespace
}  // namespace ridgerunner::service::access_control_test
