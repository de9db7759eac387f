#include "ridgerunner/features/encoder.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "features/encoding.h"
#include "ridgerunner/error.h"

namespace ridgerunner::encoder_test {
namespace {

using namespace encoding;

std::string context_error(const Encoder& encoder, const std::string& text) {
  return error_of([&] { context(encoder, text); });
}

std::string action_error(const Encoder& encoder, const std::string& text) {
  return error_of([&] { action(encoder, text); });
}

TEST(EncoderNumber, IsItsValueAndWhetherItIsMissing) {
  const Encoder encoder = with(R"("type":"number")");
  EXPECT_EQ(list(context(encoder, R"({"x":2.5})")), (List{2.5, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":-3})")), (List{-3, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":0})")), (List{0, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":null})")), (List{0, 1}));
  EXPECT_EQ(list(context(encoder, "{}")), (List{0, 1}));
  EXPECT_EQ(list(encoder.encode_context(Json{{"x", std::nan("")}})), (List{0, 1}));
}

TEST(EncoderNumber, IsRefusedIfItIsNone) {
  const Encoder encoder = with(R"("type":"number")");
  EXPECT_EQ(context_error(encoder, R"({"x":"7"})"), "context.x must be a number, got \"7\"");
  EXPECT_EQ(context_error(encoder, R"({"x":true})"), "context.x must be a number, got true");
  EXPECT_EQ(context_error(encoder, R"({"x":[1]})"), "context.x must be a number, got [1]");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of([&] {
              encoder.encode_context(Json{{"x", infinity}});
            }),
            "context.x must be finite, got inf");
}

TEST(EncoderNumber, ThatIsRequiredHasNoIndicator) {
  const Encoder encoder = with(R"("required":true)");
  EXPECT_EQ(list(context(encoder, R"({"x":2.5})")), (List{2.5}));
  EXPECT_EQ(context_error(encoder, R"({"x":null})"), "context.x is missing, and it is required");
  EXPECT_EQ(context_error(encoder, "{}"), "context.x is missing, and it is required");
}

TEST(EncoderNumber, MayBeTakenByItsLogarithm) {
  const Encoder encoder = with(R"("log":true)");
  EXPECT_EQ(list(context(encoder, R"({"x":1})")), (List{0, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":20})")), (List{std::log(20.0), 0}));
  EXPECT_EQ(list(context(encoder, "{}")), (List{0, 1}));
  EXPECT_EQ(context_error(encoder, R"({"x":0})"), "context.x must be > 0 (its logarithm is taken), got 0");
  EXPECT_EQ(context_error(encoder, R"({"x":-1})"), "context.x must be > 0 (its logarithm is taken), got -1");
}

TEST(EncoderNumber, WithAPeriodGoesAround) {
  const Encoder encoder = with(R"("period":24)");
  const auto at = [&](double hour) { return encoder.encode_context(Json{{"x", hour}}); };
  EXPECT_EQ(list(at(0)), (List{1, 0, 0}));
  EXPECT_NEAR((at(6) - Vector{{0, 1, 0}}).norm(), 0, 1e-15);
  EXPECT_EQ(list(context(encoder, "{}")), (List{0, 0, 1}));
  EXPECT_NEAR((at(23) - at(0)).norm(), (at(1) - at(0)).norm(), 1e-12);
  EXPECT_LT((at(23) - at(0)).norm(), (at(2) - at(0)).norm());
  EXPECT_NEAR((at(25) - at(1)).norm(), 0, 1e-12);
  EXPECT_NEAR((at(-1) - at(23)).norm(), 0, 1e-12);
}

TEST(EncoderBoolean, IsZeroOrOne) {
  const Encoder encoder = with(R"("type":"boolean")");
  EXPECT_EQ(list(context(encoder, R"({"x":true})")), (List{1, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":false})")), (List{0, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":1})")), (List{1, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":0.0})")), (List{0, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":null})")), (List{0, 1}));
  EXPECT_EQ(context_error(encoder, R"({"x":2})"), "context.x must be true or false, got 2");
  EXPECT_EQ(context_error(encoder, R"({"x":"yes"})"), "context.x must be true or false, got \"yes\"");
}

TEST(EncoderCategory, WithFewValuesHasAColumnEachAndOneForAllOthers) {
  const Encoder encoder = with(R"("type":"category","values":["a","1","true"])");
  EXPECT_EQ(list(context(encoder, R"({"x":"a"})")), (List{1, 0, 0, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":1})")), (List{0, 1, 0, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":1.0})")), (List{0, 1, 0, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":true})")), (List{0, 0, 1, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":"zzz"})")), (List{0, 0, 0, 1}));
  EXPECT_EQ(list(context(encoder, R"({"x":null})")), (List{0, 0, 0, 1}));
  EXPECT_EQ(list(context(encoder, "{}")), (List{0, 0, 0, 1}));
  EXPECT_EQ(list(encoder.encode_context(Json{{"x", std::nan("")}})), (List{0, 0, 0, 1}));
  EXPECT_EQ(context_error(encoder, R"({"x":["a"]})"), "context.x must be a word, got [\"a\"]");
}

TEST(EncoderCategory, WithoutValuesHasACodeOfTheWord) {
  const Encoder encoder = with(R"("type":"category")");
  const Vector a = context(encoder, R"({"x":"a"})"), b = context(encoder, R"({"x":"b"})"),
               missing = context(encoder, "{}");
  EXPECT_EQ(a.size(), 32);
  for (const Vector& code : {a, b, missing}) EXPECT_NEAR(code.norm(), 1, 1e-12);
  for (const double distance : {(a - b).norm(), (a - missing).norm(), (b - missing).norm()}) {
    EXPECT_GT(distance, 1);
    EXPECT_LT(distance, 1.8);
  }
  EXPECT_EQ(a, context(with(R"("type":"category","required":true)"), R"({"x":"a"})"));
  EXPECT_EQ(context(encoder, R"({"x":7})"), context(encoder, R"({"x":"7"})"));
  EXPECT_EQ(context_error(with(R"("type":"category","required":true)"), "{}"),
            "context.x is missing, and it is required");
}

TEST(EncoderText, IsItsHashedWords) {
  const Encoder encoder = with(R"("type":"text","width":16)");
  const Vector tea = context(encoder, R"({"x":"Hot tea"})");
  EXPECT_EQ(tea.size(), 17);
  EXPECT_NEAR(tea.norm(), 1, 1e-12);
  EXPECT_EQ(tea[16], 0);
  EXPECT_EQ(tea, context(encoder, R"({"x":"tea, hot"})"));
  EXPECT_EQ(context(encoder, R"({"x":""})"), Vector::Zero(17));
  EXPECT_EQ(context(encoder, R"({"x":null})"), Vector::Unit(17, 16));
  EXPECT_EQ(context_error(encoder, R"({"x":7})"), "context.x must be a text, got 7");
}

TEST(EncoderNumbers, AreAsTheyAre) {
  const Encoder encoder = with(R"("type":"numbers","size":2)");
  EXPECT_EQ(list(context(encoder, R"({"x":[1,-2.5]})")), (List{1, -2.5, 0}));
  EXPECT_EQ(list(context(encoder, R"({"x":null})")), (List{0, 0, 1}));
  EXPECT_EQ(context_error(encoder, R"({"x":[1]})"), "context.x must be a list of 2 numbers, got [1]");
  EXPECT_EQ(context_error(encoder, R"({"x":3})"), "context.x must be a list of 2 numbers, got 3");
  EXPECT_EQ(context_error(encoder, R"({"x":[1,"a"]})"), "context.x[1] must be a number, got \"a\"");
}

const char* const kCoffee = R"({"context":[{"name":"hour"},{"name":"city","type":"category","values":["a"]}],
                                "action":[{"name":"price"}]})";

TEST(Encoder, RefusesNamesThatItDoesNotKnow) {
  const Encoder encoder = encoder_of(kCoffee);
  EXPECT_EQ(context_error(encoder, R"({"huor":1})"),
            "unknown feature context.huor; did you mean hour? known are hour, city");
  EXPECT_EQ(context_error(encoder, R"({"price":1})"),
            "unknown feature context.price; price is a feature of the action");
  EXPECT_EQ(action_error(encoder, R"({"city":1})"),
            "unknown feature action.city; city is a feature of the context");
  EXPECT_EQ(action_error(encoder, R"({"weight":1})"), "unknown feature action.weight; known are price");
  EXPECT_EQ(context_error(encoder_of("{}"), R"({"hour":1})"), "unknown feature context.hour; none are known");
}

TEST(Encoder, RefusesWhatIsNoObject) {
  const Encoder encoder = encoder_of(kCoffee);
  EXPECT_EQ(context_error(encoder, "[1,2]"),
            "context must be an object of features, as the spec has features, got [1,2]");
  EXPECT_EQ(action_error(encoder, "[1]"),
            "action must be an object of features, as the spec has features, got [1]");
  EXPECT_EQ(action_error(encoder, "\"latte\""),
            "action must be an object of features, as the spec has features, got \"latte\"");
  EXPECT_EQ(action_error(encoder_of("{}"), "[1]"),
            "action must be an id or an object of features, as the spec has features, got [1]");
}

TEST(Encoder, AnActionMayStandInItsFeatures) {
  const Encoder encoder = encoder_of(kCoffee);
  const Vector plain = action(encoder, R"({"price":3})");
  EXPECT_EQ(list(plain), (List{3, 0}));
  EXPECT_EQ(action(encoder, R"({"id":"latte","features":{"price":3}})"), plain);
  EXPECT_EQ(action(encoder, R"({"features":{"price":3}})"), plain);
  EXPECT_EQ(action(encoder, R"({"id":"latte","price":3})"), plain);
  EXPECT_EQ(encoder.action_id(parse_json(R"({"id":"latte","price":3})")), "latte");
  EXPECT_EQ(encoder.action_id(parse_json(R"({"id":7,"features":{}})")), "7");
  EXPECT_EQ(encoder.action_id(parse_json(R"({"price":3})")), std::nullopt);
  EXPECT_EQ(action_error(encoder, R"({"id":[],"price":3})"), "action.id must be a word, got []");
  EXPECT_EQ(action_error(encoder, R"({"features":{},"price":3})"),
            "unknown field action.price; beside features there may be id");
  EXPECT_EQ(action_error(encoder, R"({"features":[3]})"),
            "action.features must be an object of features, as the spec has features, got [3]");
  EXPECT_EQ(action_error(encoder, R"({"features":{"price":"x"}})"),
            "action.features.price must be a number, got \"x\"");
}

TEST(Encoder, AnIdMayBeAFeatureToo) {
  const Encoder encoder = encoder_of(R"({"action":[{"name":"id","type":"category","values":["latte"]}]})");
  EXPECT_EQ(list(action(encoder, R"({"id":"latte"})")), (List{1, 0}));
  EXPECT_EQ(list(action(encoder, R"({"id":"tea"})")), (List{0, 1}));
  EXPECT_EQ(encoder.action_id(parse_json(R"({"id":"latte"})")), "latte");
}

TEST(Encoder, ActionsWithoutFeaturesAreTheirIds) {
  const Encoder encoder = encoder_of(R"({"context":[{"name":"hour"}]})");
  const Vector latte = action(encoder, "\"latte\"");
  EXPECT_EQ(latte.size(), 32);
  EXPECT_NEAR(latte.norm(), 1, 1e-12);
  EXPECT_EQ(action(encoder, R"({"id":"latte"})"), latte);
  EXPECT_EQ(action(encoder, R"({"id":"latte","features":{}})"), latte);
  EXPECT_NE(action(encoder, "\"tea\""), latte);
  EXPECT_EQ(action(encoder, "7"), action(encoder, "\"7\""));
  EXPECT_EQ(action_error(encoder, "{}"),
            "action.id is missing: actions have no features to tell them apart by");
  EXPECT_EQ(action_error(encoder, R"({"id":"a","price":1})"), "unknown feature action.price; none are known");
}

TEST(Encoder, UnknownNamesMayBeHashed) {
  const Encoder encoder = encoder_of(
      R"({"context":[{"name":"hour"}],"action":[{"name":"price"}],"hash_unknown":true,"hash_width":8})");
  const Vector known = context(encoder, R"({"hour":3})");
  EXPECT_EQ(list(known), (List{3, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  const Vector number = context(encoder, R"({"hour":3,"rain":2.5})");
  EXPECT_EQ(number.head(2), known.head(2));
  EXPECT_EQ(number.tail(8).cwiseAbs().sum(), 2.5);
  EXPECT_EQ(context(encoder, R"({"rain":5})").tail(8), 2 * number.tail(8));
  EXPECT_EQ(context(encoder, R"({"sky":"blue"})").tail(8).cwiseAbs().sum(), 1);
  EXPECT_EQ(context(encoder, R"({"open":true})").tail(8).cwiseAbs().sum(), 1);
  EXPECT_EQ(context(encoder, R"({"rain":null})").tail(8), Vector::Zero(8));
  EXPECT_EQ(context(encoder, R"({"tags":["a","b"],"v":[1,2]})").size(), 10);
  EXPECT_EQ(action(encoder, R"({"price":1,"size":2})").tail(8).cwiseAbs().sum(), 2);
  EXPECT_EQ(context_error(encoder, R"({"x":{}})"),
            "context.x must be a number, word or flag, or a list of them, got {}");
  EXPECT_EQ(context_error(encoder, R"({"x":[[1]]})"),
            "context.x must be a number, word or flag, or a list of them, got [1]");
  EXPECT_EQ(error_of([&] {
              encoder.encode_context(Json{{"x", HUGE_VAL}});
            }),
            "context.x must be finite, got inf");
}

TEST(Encoder, WithHashedNamesAnActionMayHaveNoId) {
  const Encoder encoder = encoder_of(R"({"hash_unknown":true,"hash_width":4})");
  EXPECT_EQ(action(encoder, R"({"price":3})").size(), 36);
  EXPECT_EQ(action(encoder, R"({"price":3})").tail(4).cwiseAbs().sum(), 3);
  EXPECT_NE(action(encoder, R"({"id":"a","price":3})"), action(encoder, R"({"id":"b","price":3})"));
}

TEST(Encoder, StatesAreTheContextFollowedByTheAction) {
  const Encoder encoder = encoder_of(kCoffee);
  const Json at = parse_json(R"({"hour":7,"city":"a"})");
  const EncodedActions both =
      encoder.encode_actions(&at, parse_json(R"([{"id":"latte","features":{"price":3}},{"price":2}])"));
  EXPECT_EQ(list(both.states.col(0)), (List{7, 0, 1, 0, 3, 0}));
  EXPECT_EQ(list(both.states.col(1)), (List{7, 0, 1, 0, 2, 0}));
  EXPECT_EQ(both.ids, (std::vector<std::string>{"latte", ""}));
  EXPECT_EQ(encoder.encode_state(&at, parse_json(R"({"price":2})")), both.states.col(1));
  const EncodedActions without = encoder.encode_actions(nullptr, parse_json(R"([{"price":2}])"));
  EXPECT_EQ(list(without.states.col(0)), (List{0, 1, 0, 1, 2, 0}));
  EXPECT_TRUE(without.ids.empty());
  EXPECT_EQ(error_of([&] { encoder.encode_actions(&at, parse_json("[]")); }),
            "actions must be a list of actions, got []");
  EXPECT_EQ(error_of([&] { encoder.encode_actions(&at, parse_json(R"([{"price":2},{"price":"x"}])")); }),
            "actions[1].price must be a number, got \"x\"");
}

TEST(Encoder, NamesAreRefusedWhereThereAreNoFeatures) {
  EXPECT_EQ(error_of([] { refuse_names(parse_json(R"({"a":1})"), "context"); }),
            "context must be a list of numbers, as the spec has no features, got {\"a\":1}");
  EXPECT_EQ(error_of([] { refuse_names(parse_json(R"([[1],{"a":1}])"), "actions"); }),
            "actions[1] must be a list of numbers, as the spec has no features, got {\"a\":1}");
  EXPECT_EQ(error_of([] { refuse_names(parse_json(R"([[1],["x"]])"), "actions"); }), "");
}

Json any_value(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 9 : 7)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return *rc::gen::arbitrary<double>();
    case 4:
      return *rc::gen::element(HUGE_VAL, -HUGE_VAL, std::nan(""), 1e308, -1e308, 5e-324);
    case 5:
      return *rc::gen::arbitrary<std::string>();
    case 6:
      return *rc::gen::element<std::string>("a", "b", "1", "true", "");
    case 7: {
      Json list = Json::array();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) list.push_back(any_value(depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
        const auto name = *rc::gen::element<std::string>("hour", "price", "log", "city", "user", "member",
                                                         "title", "taste", "id", "features", "other");
        object[name] = any_value(depth - 1);
      }
      return object;
    }
  }
}

TEST(Encoder, AnyObjectEncodesToTheFixedNumberOfFiniteColumnsOrIsRefused) {
  int taken = 0;
  EXPECT_TRUE(rc::check([&] {
    Schema schema =
        schema_from_json(parse_json(R"({"context":[{"name":"hour","period":24},{"name":"log","log":true},
        {"name":"city","type":"category","values":["a","b"]},{"name":"user","type":"category"},
        {"name":"title","type":"text","width":3}],
        "action":[{"name":"price"},{"name":"member","type":"boolean"},{"name":"taste","type":"numbers","size":2}]})"));
    schema.hash_unknown = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) schema.action.clear();
    const Encoder encoder(schema);
    const Json given = any_value(3);
    const auto check = [&](Index columns, auto encode) {
      try {
        const Vector encoded = encode();
        RC_ASSERT(encoded.size() == columns);
        RC_ASSERT(encoded.allFinite());
        ++taken;
      } catch (const InvalidArgument& error) {
        RC_ASSERT(std::string_view(error.what()).size() > 0);
      }
    };
    check(schema.context_columns(), [&] { return encoder.encode_context(given); });
    check(schema.action_columns(), [&] { return encoder.encode_action(given); });
  }));
  EXPECT_GT(taken, 2);  // under sanitizers few cases are tried
}

}  // namespace
}  // namespace ridgerunner::encoder_test
