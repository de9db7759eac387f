// Requests to experiments whose spec has features.
#include <gtest/gtest.h>

#include "ridgerunner/service/http/request.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service::named_request_test {
namespace {

Encoder encoder_of(const char* schema) {
  return Encoder(schema_from_json(parse_json(schema)));
}

const Encoder& coffee() {
  static const Encoder encoder =
      encoder_of(R"({"context":[{"name":"hour"}],"action":[{"name":"price","required":true}]})");
  return encoder;
}

struct Wrong {
  const char* body;
  const char* field;
  const char* message;
};

template <class Call>
void expect_refusal(const Wrong& wrong, const Call& call) {
  try {
    call();
    ADD_FAILURE() << wrong.body << " was taken";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.reason, Reason::bad_request) << wrong.body;
    EXPECT_EQ(refusal.field, wrong.field) << wrong.body;
    EXPECT_STREQ(refusal.what(), wrong.message);
  }
}

TEST(NamedDecide, IsTheNumbersThatTheNamesBecome) {
  RequestReader reader;
  const DecideRequest request = reader.decide(
      R"({"event_id":"x","context":{"hour":7},"actions":[{"id":"latte","features":{"price":3}},{"price":2}],
          "excluded":["latte"]})",
      &coffee());
  EXPECT_EQ(request.offered.context, (Vector(2) << 7, 0).finished());
  EXPECT_EQ(request.offered.actions, (Matrix(1, 2) << 3, 2).finished());
  EXPECT_EQ(request.offered.ids, (std::vector<std::string>{"latte", ""}));
  EXPECT_EQ(request.offered.excluded, std::vector<Index>{0});
  EXPECT_EQ(reader.decide(R"({"actions":[{"price":2}]})", &coffee()).offered.context,
            (Vector(2) << 0, 1).finished());
}

TEST(NamedDecide, TakesIdsWhereActionsHaveNoFeatures) {
  RequestReader reader;
  const Encoder ids = encoder_of("{}");
  const Offered offered = reader.decide(R"({"actions":["latte",7]})", &ids).offered;
  EXPECT_EQ(offered.context.size(), 0);
  EXPECT_EQ(offered.actions.rows(), 32);
  EXPECT_EQ(offered.ids, (std::vector<std::string>{"latte", "7"}));
}

TEST(NamedDecide, SaysWhatIsWrongAndWhere) {
  const Wrong all[] = {
      {R"({"context":{"hour":7}})", "actions", "actions is missing"},
      {R"({"context":[7],"actions":[{"price":2}]})", "context",
       "context must be an object of features, as the spec has features, got [7]"},
      {R"({"context":{"huor":7},"actions":[{"price":2}]})", "context.huor",
       "unknown feature context.huor; did you mean hour? known are hour"},
      {R"({"context":{"hour":"x"},"actions":[{"price":2}]})", "context.hour",
       "context.hour must be a number, got \"x\""},
      {R"({"actions":[[2]]})", "actions[0]",
       "actions[0] must be an object of features, as the spec has features, got [2]"},
      {R"({"actions":[{"price":2},{}]})", "actions[1].price",
       "actions[1].price is missing, and it is required"},
      {R"({"actions":[{"price":2,"id":"a"},{"price":2,"id":"a"}]})", "actions[1].id",
       "actions[1].id is the id of actions[0] too"},
      {R"({"actions":[{"price":2,"id":"a\n"}]})", "actions[0].id",
       "actions[0].id must be 1 to 128 bytes without control characters"},
      {R"({"actions":[{"price":2,"price":3}]})", "", "the field price is there twice"},
  };
  RequestReader reader;
  for (const Wrong& wrong : all) expect_refusal(wrong, [&] { reader.decide(wrong.body, &coffee()); });
}

TEST(NamedPredict, TakesAContextAndActions) {
  RequestReader reader;
  EXPECT_EQ(reader.predict(R"({"context":{"hour":7},"actions":[{"price":3},{"price":2}]})", &coffee()),
            (Matrix(3, 2) << 7, 7, 0, 0, 3, 2).finished());
  const char* const named = "states is for specs without features; give the context and the action by name";
  expect_refusal({R"({"states":[[1]]})", "states", named},
                 [&] { reader.predict(R"({"states":[[1]]})", &coffee()); });
  expect_refusal({"{}", "actions", "actions is missing"}, [&] { reader.predict("{}", &coffee()); });
}

TEST(NamedImport, TakesAContextAndAnActionALine) {
  RequestReader reader;
  const ImportRequest request = reader.import(
      "{\"context\":{\"hour\":7},\"action\":{\"price\":3},\"reward\":1}\n"
      "{\"action\":{\"id\":\"tea\",\"features\":{\"price\":2}},\"reward\":0}\n",
      10, &coffee());
  EXPECT_EQ(request.states, (Matrix(3, 2) << 7, 0, 0, 1, 3, 2).finished());
  EXPECT_EQ(request.rewards, (Vector(2) << 1, 0).finished());
  const Wrong all[] = {
      {R"({"state":[1],"reward":1})", "state",
       "line 1: state is for specs without features; give the context and the action by name"},
      {R"({"context":{},"reward":1})", "action", "line 1: action is missing"},
      {R"({"action":{"price":"x"},"reward":1})", "action.price",
       "line 1: action.price must be a number, got \"x\""},
  };
  for (const Wrong& wrong : all) expect_refusal(wrong, [&] { reader.import(wrong.body, 10, &coffee()); });
}

}  // namespace
}  // namespace ridgerunner::service::named_request_test
