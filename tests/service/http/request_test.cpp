#include "ridgerunner/service/http/request.h"

#include <gtest/gtest.h>

#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service::request_test {
namespace {

// What is wrong with a body: the field and the sentence.
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
    EXPECT_EQ(std::string(refusal.what()).substr(0, std::string(wrong.message).size()), wrong.message);
  }
}

TEST(DecideRequest, TakesListsOfNumbers) {
  RequestReader reader;
  const DecideRequest request = reader.decide(
      R"({"event_id":"x!1","context":[1,2.5],"actions":[[0.1,-3],[1e-300,4]],"excluded":[1],"defer_activation":true})");
  EXPECT_EQ(request.event_id, "x!1");
  EXPECT_EQ(request.offered.context, (Vector(2) << 1, 2.5).finished());
  EXPECT_EQ(request.offered.actions, (Matrix(2, 2) << 0.1, 1e-300, -3, 4).finished());
  EXPECT_EQ(request.offered.excluded, std::vector<Index>{1});
  EXPECT_TRUE(request.offered.ids.empty());
  EXPECT_TRUE(request.offered.deferred);
}

TEST(DecideRequest, TakesActionsWithIdsWhereTheyHaveOne) {
  RequestReader reader;
  const DecideRequest request = reader.decide(
      R"({"actions":[{"id":"red","features":[1]},{"features":[2]},{"features":[3],"id":"blä"}],"excluded":["blä",1]})");
  EXPECT_EQ(request.event_id, "");
  EXPECT_EQ(request.offered.ids, (std::vector<std::string>{"red", "", "blä"}));
  EXPECT_EQ(request.offered.actions, (Matrix(1, 3) << 1, 2, 3).finished());
  EXPECT_EQ(request.offered.excluded, (std::vector<Index>{1, 2}));
}

TEST(DecideRequest, MayHaveNothingAtAll) {
  RequestReader reader;
  const DecideRequest request = reader.decide("{}");
  EXPECT_EQ(request.offered, Offered());
  EXPECT_EQ(reader.decide(R"({"context":[],"excluded":[]})").offered, Offered());
}

TEST(DecideRequest, SaysWhatIsWrongAndWhere) {
  const std::string many_levels = R"({"actions":)" + std::string(40, '[') + std::string(40, ']') + "}";
  const std::string long_id = R"({"event_id":")" + std::string(129, 'x') + R"("})";
  const Wrong all[] = {
      {"", "", "the body is empty"},
      {"{", "", "not JSON: parse error at line 1"},
      {"[]", "", "the body must be an object, got a list"},
      {"{} {}", "", "not JSON: parse error"},
      {R"({"actions":[[1]],"action":[[1]]})", "action", "unknown field action; known are event_id, context"},
      {R"({"actions":[[1]],"actions":[[1]]})", "actions", "actions is there twice"},
      {R"({"actions":[]})", "actions", "actions must have at least one entry, got none"},
      {R"({"actions":{}})", "actions", "actions must be a list of lists of numbers, or of"},
      {R"({"actions":[[]]})", "actions[0]", "actions[0] must have at least one number, got none"},
      {R"({"actions":[1]})", "actions[0]", "actions[0] must be a list of numbers, got 1"},
      {R"({"actions":[[1],[1,2]]})", "actions[1]", "actions[1] must have 1 number, got 2"},
      {R"({"actions":[[1,2],[1]]})", "actions[1]", "actions[1] must have 2 numbers, got 1"},
      {R"({"actions":[[1,"2"]]})", "actions[0][1]", "actions[0][1] must be a number, got \"2\""},
      {R"({"actions":[[null]]})", "actions[0][0]", "actions[0][0] must be a number, got null"},
      {R"({"actions":[[true]]})", "actions[0][0]", "actions[0][0] must be a number, got true"},
      {R"({"actions":[[NaN]]})", "", "not JSON: parse error"},
      {R"({"actions":[[1e400]]})", "", "not JSON we take: a number"},
      {R"({"actions":[[1],{"features":[1]}]})", "actions[1]",
       "actions[1] must be a list of numbers, got an object"},
      {R"({"actions":[{"features":[1]},[1]]})", "actions[1]",
       "actions[1] must be an object as actions[0] is"},
      {R"({"actions":[{"id":"a"}]})", "actions[0].features", "actions[0].features is missing"},
      {R"({"actions":[{"features":[1]},{"features":[1,2]}]})", "actions[1].features",
       "actions[1].features must have 1"},
      {R"({"actions":[{"features":["a"]}]})", "actions[0].features[0]",
       "actions[0].features[0] must be a number"},
      {R"({"actions":[{"features":[1],"weight":2}]})", "actions[0].weight",
       "unknown field actions[0].weight; known are"},
      {R"({"actions":[{"id":"","features":[1]}]})", "actions[0].id", "actions[0].id must be 1 to 128 bytes"},
      {R"({"actions":[{"id":"a\n","features":[1]}]})", "actions[0].id",
       "actions[0].id must be 1 to 128 bytes"},
      {R"({"actions":[{"id":7,"features":[1]}]})", "actions[0].id", "actions[0].id must be a string, got 7"},
      {R"({"actions":[{"id":"a","features":[1]},{"id":"a","features":[2]}]})", "actions[1].id",
       "actions[1].id is the id of actions[0] too"},
      {R"({"actions":[[1],[2]],"excluded":[2]})", "excluded[0]",
       "excluded[0] must be less than the number of actions, 2"},
      {R"({"actions":[[1],[2]],"excluded":[-1]})", "excluded[0]", "excluded[0] must be the index or the id"},
      {R"({"actions":[[1],[2]],"excluded":[0.5]})", "excluded[0]", "excluded[0] must be the index or the id"},
      {R"({"actions":[[1],[2]],"excluded":["a"]})", "excluded[0]",
       "excluded[0] must be the id of an action, got \"a\""},
      {R"({"actions":[[1],[2]],"excluded":[0,1]})", "excluded", "excluded names all actions"},
      {R"({"actions":[[1],[2],[3]],"excluded":[1,1]})", "excluded", "excluded names action 1 twice"},
      {R"({"actions":[[1],[2]],"excluded":1})", "excluded",
       "excluded must be a list of indices and ids, got 1"},
      {R"({"actions":[[1]],"defer_activation":1})", "defer_activation",
       "defer_activation must be true or false, got 1"},
      {R"({"actions":[[1]],"context":1})", "context", "context must be a list of numbers, got 1"},
      {R"({"event_id":""})", "event_id",
       "event_id must be 1 to 128 printable ASCII characters without spaces"},
      {R"({"event_id":"a b"})", "event_id", "event_id must be 1 to 128 printable"},
      {R"({"event_id":"ä"})", "event_id", "event_id must be 1 to 128 printable"},
      {R"({"event_id":5})", "event_id", "event_id must be a string, got 5"},
      {R"({"event_id":"rr-000000000001"})", "event_id", "event_id must not begin with rr-"},
      {many_levels.c_str(), "", "not JSON we take: nested deeper than 32"},
      {long_id.c_str(), "event_id", "event_id must be 1 to 128 printable"},
      {"{\"event_id\":\"\xFF\"}", "", "not JSON"},
  };
  RequestReader reader;
  for (const Wrong& wrong : all) expect_refusal(wrong, [&] { reader.decide(wrong.body); });
  EXPECT_EQ(reader.decide(R"({"actions":[[1]]})").offered.actions.cols(), 1) << "a reader survives refusals";
}

TEST(RewardRequest, NeedsItsTwoFields) {
  RequestReader reader;
  const RewardRequest request = reader.reward(R"({"reward":-0.5,"event_id":"rr-000000000001"})");
  EXPECT_EQ(request.event_id, "rr-000000000001");
  EXPECT_EQ(request.reward, -0.5);
  const Wrong all[] = {
      {R"({"event_id":"a"})", "reward", "reward is missing"},
      {R"({"reward":1})", "event_id", "event_id is missing"},
      {R"({"event_id":"a","reward":"1"})", "reward", "reward must be a number, got \"1\""},
      {R"({"event_id":"a","reward":1,"note":""})", "note", "unknown field note; known are event_id, reward"},
  };
  for (const Wrong& wrong : all) expect_refusal(wrong, [&] { reader.reward(wrong.body); });
  expect_refusal({"{}", "event_id", "event_id is missing"}, [&] { reader.activate("{}"); });
  EXPECT_EQ(reader.activate(R"({"event_id":"a"})"), "a");
}

TEST(PredictRequest, TakesStatesOrContextAndActions) {
  RequestReader reader;
  const Matrix states = (Matrix(2, 2) << 1, 1, 2, 3).finished();
  EXPECT_EQ(reader.predict(R"({"states":[[1,2],[1,3]]})"), states);
  EXPECT_EQ(reader.predict(R"({"context":[1],"actions":[[2],[3]]})"), states);
  EXPECT_EQ(reader.predict(R"({"actions":[[1,2],[1,3]]})"), states);
  const Wrong all[] = {
      {"{}", "states", "states is missing"},
      {R"({"context":[1]})", "states", "states is missing"},
      {R"({"states":[[1]],"actions":[[1]]})", "states", "states stands for context and actions"},
      {R"({"states":[]})", "states", "states must have at least one entry"},
  };
  for (const Wrong& wrong : all) expect_refusal(wrong, [&] { reader.predict(wrong.body); });
}

TEST(ImportRequest, IsALineForEachObservation) {
  RequestReader reader;
  const ImportRequest request = reader.import(
      "{\"state\":[1,2],\"reward\":3}\n\n{\"context\":[4],\"action\":[5],\"reward\":6}\r\n  \n"
      "{\"reward\":9,\"state\":[7,8]}",
      3);
  EXPECT_EQ(request.states, (Matrix(2, 3) << 1, 4, 7, 2, 5, 8).finished());
  EXPECT_EQ(request.rewards, (Vector(3) << 3, 6, 9).finished());
}

TEST(ImportRequest, SaysWhichLineIsWrong) {
  RequestReader reader;
  const Wrong all[] = {
      {"", "", "there is no observation in the body"},
      {"{\"state\":[1],\"reward\":1}\n{\"state\":[1]}", "reward", "line 2: reward is missing"},
      {"{\"state\":[1],\"reward\":1}\n\n{\"state\":[1,2],\"reward\":1}", "state",
       "line 3: state must have 1 number"},
      {"{\"state\":[1],\"reward\":1}\nnonsense", "line 2", "line 2: not JSON"},
      {"{\"state\":[1],\"action\":[1],\"reward\":1}", "state", "line 1: state stands for context and action"},
      {"{\"context\":[1],\"reward\":1}", "action", "line 1: action is missing"},
      {"{\"reward\":1}", "state", "line 1: state is missing"},
      {"[1]", "line 1", "line 1: the body must be an object"},
  };
  for (const Wrong& wrong : all) expect_refusal(wrong, [&] { reader.import(wrong.body, 10); });
  try {
    reader.import("{\"state\":[1],\"reward\":1}\n{\"state\":[1],\"reward\":1}", 1);
    ADD_FAILURE();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.reason, Reason::too_large);
  }
}

TEST(CreateRequest, HasANameAndASpec) {
  RequestReader reader;
  const CreateRequest request = reader.create(
      R"({"name":"shop","spec":{"policy":"k-ucb"},"description":"d","reward_deadline_seconds":60,"default_reward":null})");
  EXPECT_EQ(request.name, "shop");
  EXPECT_EQ(request.description, "d");
  EXPECT_EQ(request.settings, (Settings{60.0, std::nullopt}));
  const Wrong all[] = {
      {R"({"spec":{}})", "name", "name is missing"},
      {R"({"name":"a"})", "spec", "spec is missing"},
      {R"({"name":1,"spec":{}})", "name", "name must be a string, got 1"},
      {R"({"name":"a","spec":{},"more":1})", "more", "unknown field more"},
      {R"({"name":"a","spec":{"policy":"nobody"}})", "spec.policy", "spec.policy must be"},
      {R"({"name":"a","spec":{"kernel":{"lengthscale":"wide"}}})", "spec.kernel.lengthscale",
       "spec.kernel.lengthscale must be"},
      {R"({"name":"a","spec":{"colour":1}})", "spec.colour", "unknown field spec.colour"},
      {R"({"name":"a","spec":{},"reward_deadline_seconds":0})", "reward_deadline_seconds",
       "reward_deadline_seconds must be > 0 or null, got 0"},
      {R"({"name":"a","spec":{},"default_reward":"no"})", "default_reward",
       "default_reward must be a number"},
      {"{", "", "not JSON"},
  };
  for (const Wrong& wrong : all) expect_refusal(wrong, [&] { reader.create(wrong.body); });
}

TEST(ConfigureRequest, TellsLeavingOutFromNull) {
  RequestReader reader;
  const ConfigureRequest nothing = reader.configure("{}");
  EXPECT_FALSE(nothing.reward_deadline_seconds || nothing.default_reward);
  const ConfigureRequest request = reader.configure(R"({"reward_deadline_seconds":null,"default_reward":2})");
  ASSERT_TRUE(request.reward_deadline_seconds && request.default_reward);
  EXPECT_EQ(*request.reward_deadline_seconds, std::nullopt);
  EXPECT_EQ(*request.default_reward, 2.0);
  expect_refusal({R"({"deadline":1})", "deadline", "unknown field deadline"},
                 [&] { reader.configure(R"({"deadline":1})"); });
}

TEST(RequestReader, GivesBackTheMemoryOfALongRequest) {
  RequestReader reader;
  std::string body = R"({"actions":[[1)";
  for (int i = 0; i < 400'000; ++i) body += ",0.125";
  body += "]]}";
  EXPECT_EQ(reader.decide(body).offered.actions.rows(), 400'001);
  EXPECT_EQ(reader.decide(R"({"actions":[[1]]})").offered.actions.rows(), 1);
}

}  // namespace
}  // namespace ridgerunner::service::request_test
