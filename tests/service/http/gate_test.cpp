#include "ridgerunner/service/http/gate.h"

#include <gtest/gtest.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/http/sha256.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

TEST(Sha256, AgreesWithThePublishedVectors) {
  EXPECT_EQ(hexadecimal(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexadecimal(sha256(
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
                "lmnopqrsmnopqrstnopqrstu")),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hexadecimal(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PadsEveryLength) {
  // 55, 56, 63, 64 bytes: where the length just fits into the last block, and where it does not.
  EXPECT_EQ(hexadecimal(sha256(std::string(55, 'a'))),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(hexadecimal(sha256(std::string(56, 'a'))),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(hexadecimal(sha256(std::string(64, 'a'))),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
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

// What the gate says: 0 welcome, else the status of the refusal.
int asked(const Gate& gate, Call call, const Sender& sender) {
  try {
    gate.admit(route_of(call), sender);
    return 0;
  } catch (const Refusal& refusal) {
    return refusal.reason == Reason::unauthorized ? 401 : refusal.reason == Reason::forbidden ? 403 : -1;
  }
}

TEST(Gate, WithoutTokensStrangersNamesAreRefused) {
  const Gate gate({"bandit.example"});
  for (const char* host :
       {"", "127.0.0.1:8080", "[::1]:8080", "localhost", "LocalHost:80", "10.0.0.7", "Bandit.Example:443"})
    EXPECT_EQ(asked(gate, Call::list, {"", host, ""}), 0) << host;
  for (const char* host :
       {"evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example"})
    EXPECT_EQ(asked(gate, Call::list, {"", host, ""}), 403) << host;
}

TEST(Gate, PagesMayPostOnlyToWhereTheyCameFrom) {
  const Gate gate({"bandit.example"});
  const auto from = [&](const char* origin, const char* host) {
    return asked(gate, Call::decide, {"", host, origin});
  };
  EXPECT_EQ(from("http://127.0.0.1:8080", "127.0.0.1:8080"), 0);
  EXPECT_EQ(from("http://localhost", "localhost:80"), 0);
  EXPECT_EQ(from("https://bandit.example", "127.0.0.1:8080"), 0) << "a proxy of that name";
  EXPECT_EQ(from("https://evil.example", "127.0.0.1:8080"), 403);
  EXPECT_EQ(from("http://127.0.0.1:9090", "127.0.0.1:8080"), 403) << "another program of this machine";
  EXPECT_EQ(from("null", "127.0.0.1:8080"), 403);
  EXPECT_EQ(asked(gate, Call::list, {"", "127.0.0.1", "https://evil.example"}), 0)
      << "reading: its browser does not show the answer to the page";
}

TEST(Gate, WithTokensACallNeedsItsRole) {
  Gate gate;
  const NewToken shop = make_token("shop", "decide"), reader = make_token("reader", "read");
  gate.set_tokens(Tokens::parse(shop.line + "\n" + reader.line));
  const std::string good = "Bearer " + shop.token, small = "bearer " + reader.token;
  EXPECT_EQ(asked(gate, Call::decide, {good, "any.example", ""}), 0);
  EXPECT_EQ(asked(gate, Call::list, {small, "", ""}), 0);
  EXPECT_EQ(asked(gate, Call::decide, {small, "", ""}), 403);
  EXPECT_EQ(asked(gate, Call::create, {good, "", ""}), 403);
  EXPECT_EQ(asked(gate, Call::metrics, {good, "", ""}), 403);
  for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer nobody", "Basic abc", "x"})
    EXPECT_EQ(asked(gate, Call::decide, {wrong, "", ""}), 401) << wrong;
  for (const Call call : {Call::health, Call::ready, Call::page, Call::description})
    EXPECT_EQ(asked(gate, call, {"", "", ""}), 0);
  gate.set_tokens(Tokens::parse(reader.line));
  EXPECT_EQ(asked(gate, Call::decide, {good, "", ""}), 401) << "a token that was taken away";
}

}  // namespace
}  // namespace ridgerunner::service
