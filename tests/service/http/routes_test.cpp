#include "ridgerunner/service/http/routes.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/fields.h"
#include "ridgerunner/service/http/pages.h"

namespace ridgerunner::service::routes_test {
namespace {

TEST(Routes, AreThoseOfTheDescription) {
  std::set<std::string> served, described;
  for (const Route& route : routes())
    served.insert((route.verb == Verb::get ? "get " : "post ") + std::string(route.path) + " " +
                  std::string(route.name));
  const Json description = parse_json(openapi());
  for (const auto& [path, operations] : description.at("paths").items()) {
    for (const auto& [verb, operation] : operations.items()) {
      if (verb != "parameters")
        described.insert(verb + " " + path + " " + operation.at("operationId").get<std::string>());
    }
  }
  EXPECT_EQ(served, described);
}

TEST(Routes, TheDescriptionNamesTheRoleOfEachCall) {
  const Json description = parse_json(openapi());
  const auto word = [](Role role) {
    return role == Role::decide   ? "decide"
           : role == Role::reward ? "reward"
           : role == Role::read   ? "read"
                                  : "admin";
  };
  for (const Route& route : routes()) {
    const Json& operation =
        description.at("paths").at(std::string(route.path)).at(route.verb == Verb::get ? "get" : "post");
    if (route.role == Role::anyone) {
      EXPECT_TRUE(operation.at("security").empty()) << route.path;
    } else {
      const std::string text = operation.at("description").get<std::string>();
      EXPECT_NE(text.find(std::string("Role: ") + word(route.role) + "."), std::string::npos) << route.path;
    }
  }
}

// What grows with the data would keep everybody waiting if the threads that read requests answered it.
TEST(Routes, OnlyWhatTakesTheSameTimeWhateverIsStoredIsAlwaysAnsweredAtOnce) {
  const std::set<Call> constant = {Call::reward, Call::activate,    Call::health,
                                   Call::ready,  Call::description, Call::page};
  const std::set<Call> by_model = {Call::decide, Call::predict};
  for (const Route& route : routes()) {
    EXPECT_EQ(route.quick_body == kAnyBody, constant.contains(route.call)) << route.name;
    EXPECT_EQ(route.quick_body == 0, !constant.contains(route.call) && !by_model.contains(route.call))
        << route.name;
  }
}

TEST(Routes, PartsOfAnAddressAreDecoded) {
  const Match found = match("GET", "/v1/experiments/a%2Fb/decisions/order%20%C3%A4%25");
  ASSERT_TRUE(found.route);
  EXPECT_EQ(found.route->call, Call::explain);
  EXPECT_EQ(found.name, "a/b");
  EXPECT_EQ(found.event_id, "order ä%");
  EXPECT_FALSE(match("GET", "/v1/experiments/a%2").route);
  EXPECT_FALSE(match("GET", "/v1/experiments/a%zz").route);
}

TEST(Routes, OtherMethodsAreToldWhichFit) {
  EXPECT_EQ(match("PUT", "/v1/experiments").allowed, "POST, GET, HEAD");
  EXPECT_EQ(match("GET", "/v1/experiments/a/decide").allowed, "POST");
  EXPECT_EQ(match("POST", "/healthz").allowed, "GET, HEAD");
  EXPECT_EQ(match("POST", "/index.html").allowed, "GET, HEAD");
  EXPECT_EQ(match("HEAD", "/healthz").route->call, Call::health);
}

TEST(Routes, AddressesThatAreNoCallAreThePages) {
  EXPECT_EQ(match("GET", "/index.html").route->call, Call::page);
  EXPECT_EQ(match("GET", "/").route->call, Call::page);
  for (const char* path :
       {"/v1/experiments/", "/v1/experiments/a/", "/v1/experiments/a/decide/x", "/v1/nothing"}) {
    EXPECT_FALSE(match("GET", path).route) << path;
    EXPECT_EQ(match("GET", path).allowed, "") << path;
  }
}

TEST(Routes, QueriesAreReadByName) {
  std::string value;
  EXPECT_TRUE(query_value("from=12&limit=%32&flag", "limit", value));
  EXPECT_EQ(value, "2");
  EXPECT_TRUE(query_value("from=12&limit=%32&flag", "flag", value));
  EXPECT_EQ(value, "");
  EXPECT_FALSE(query_value("from=12", "fro", value));
  EXPECT_FALSE(query_value("", "from", value));
}

TEST(Pages, TheDashboardIsPartOfTheProgram) {
  const Asset* page = find_asset("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->path, "/index.html");
  EXPECT_EQ(page->type, "text/html; charset=utf-8");
  EXPECT_EQ(entity_tag(*page).size(), 10u);
  EXPECT_FALSE(find_asset("/nothing"));
  EXPECT_FALSE(find_asset("/../etc/passwd"));
}

}  // namespace
}  // namespace ridgerunner::service::routes_test
