#include "ridgerunner/features/schema.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner::schema_test {
namespace {

Schema read(const std::string& text) {
  return schema_from_json(parse_json(text));
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

std::string feature_error(const std::string& feature) {
  return error_of(R"({"context":[)" + feature + "]}");
}

const char* const kEverything = R"({"context":[
  {"name":"hour","type":"number","period":24},
  {"name":"price","type":"number","log":true},
  {"name":"age","required":true},
  {"name":"city","type":"category","values":["Paris","Rome"]},
  {"name":"user","type":"category"},
  {"name":"member","type":"boolean"},
  {"name":"title","type":"text","width":4},
  {"name":"taste","type":"numbers","size":2}],
  "action":[{"name":"drink","type":"category","values":["tea"]}],
  "hash_unknown":true,"hash_width":3})";

TEST(Schema, SurvivesJson) {
  const Schema schema = read(kEverything);
  EXPECT_EQ(schema_from_json(schema_to_json(schema)), schema);
  EXPECT_EQ(schema.context[0].period, 24);
  EXPECT_TRUE(schema.context[1].log);
  EXPECT_EQ(schema.context[2].type, FeatureType::number);
  EXPECT_EQ(schema.context[6].width, 4);
  EXPECT_EQ(schema.context[7].size, 2);
  EXPECT_EQ(schema_from_json(schema_to_json(Schema{})), Schema{});
}

TEST(Schema, WritesOfAFeatureWhatIsNotAsByDefault) {
  const Json written = schema_to_json(read(R"({"context":[{"name":"a"},{"name":"t","type":"text"}]})"));
  EXPECT_EQ(written.dump(),
            R"({"hash_unknown":false,"hash_width":32,"context":[{"name":"a","type":"number"},)"
            R"({"name":"t","type":"text","width":32}]})");
}

TEST(Schema, ValuesOfACategoryMayBeNumbersAndFlags) {
  const Schema schema = read(R"({"context":[{"name":"c","type":"category","values":[1,2.5,true,"x"]}]})");
  EXPECT_EQ(schema.context[0].values, (std::vector<std::string>{"1", "2.5", "true", "x"}));
}

TEST(Schema, EachFeatureKnowsItsColumns) {
  const Schema schema = read(kEverything);
  std::vector<Index> counts;
  for (const Feature& feature : schema.context) counts.push_back(feature.columns());
  EXPECT_EQ(counts, (std::vector<Index>{3, 2, 1, 3, 32, 2, 5, 3}));
  EXPECT_EQ(schema.context_columns(), 51 + 3);
  EXPECT_EQ(schema.action_columns(), 2 + 3);
  EXPECT_EQ(schema.dimension(), 59);
}

TEST(Schema, ColumnsHaveNamesKindsAndFeatures) {
  const Schema schema = read(kEverything);
  const std::vector<FeatureColumn> columns = schema.columns();
  ASSERT_EQ(std::ssize(columns), schema.dimension());
  EXPECT_EQ(columns[0], (FeatureColumn{"cos(hour)", 0, ColumnKind::number}));
  EXPECT_EQ(columns[1], (FeatureColumn{"sin(hour)", 0, ColumnKind::number}));
  EXPECT_EQ(columns[2], (FeatureColumn{"hour is missing", 0, ColumnKind::indicator}));
  EXPECT_EQ(columns[3], (FeatureColumn{"log(price)", 1, ColumnKind::number}));
  EXPECT_EQ(columns[5], (FeatureColumn{"age", 2, ColumnKind::number}));
  EXPECT_EQ(columns[6], (FeatureColumn{"city=Paris", 3, ColumnKind::one_hot}));
  EXPECT_EQ(columns[8], (FeatureColumn{"city is another", 3, ColumnKind::one_hot}));
  EXPECT_EQ(columns[9], (FeatureColumn{"user#0", 4, ColumnKind::code}));
  EXPECT_EQ(columns[41], (FeatureColumn{"member", 5, ColumnKind::number}));
  EXPECT_EQ(columns[43], (FeatureColumn{"title#0", 6, ColumnKind::hashed}));
  EXPECT_EQ(columns[48], (FeatureColumn{"taste[0]", 7, ColumnKind::number}));
  EXPECT_EQ(columns[51], (FeatureColumn{"context#0", FeatureColumn::kNone, ColumnKind::hashed}));
  EXPECT_EQ(columns[54], (FeatureColumn{"drink=tea", 8, ColumnKind::one_hot}));
  EXPECT_EQ(columns[58], (FeatureColumn{"action#2", FeatureColumn::kNone, ColumnKind::hashed}));
}

TEST(Schema, ColumnsOfAGroupShareAScale) {
  const Schema schema = read(R"({"context":[
      {"name":"hour","period":24},
      {"name":"city","type":"category","values":["a","b"]},
      {"name":"v","type":"numbers","size":2},
      {"name":"w","type":"numbers","size":1,"required":true},
      {"name":"t","type":"text","width":2}],"action":[{"name":"x"},{"name":"y","required":true}]})");
  EXPECT_EQ(schema.groups(), (std::vector<int>{0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11}));
}

TEST(Schema, TheHashedBlocksAndTheIdAreGroupsOfTheirOwn) {
  Schema schema;
  schema.hash_unknown = true;
  schema.hash_width = 2;
  const std::vector<int> groups = schema.groups();
  ASSERT_EQ(groups.size(), 2u + 32u + 2u);
  EXPECT_EQ(std::set<int>(groups.begin(), groups.end()), (std::set<int>{0, 1, 2}));
  EXPECT_EQ(groups[1], 0);
  EXPECT_EQ(groups[2], 1);
  EXPECT_EQ(groups[33], 1);
  EXPECT_EQ(groups[34], 2);
  schema.action = {Feature{}};
  schema.action[0].name = "t";
  schema.action[0].type = FeatureType::text;
  schema.action[0].width = 2;
  schema.action[0].required = true;
  EXPECT_EQ(schema.groups(), (std::vector<int>{0, 0, 1, 1, 2, 2}));
}

TEST(Schema, KnowsWhetherAnActionIsOnlyAName) {
  EXPECT_TRUE(Schema{}.action_is_one_category());
  EXPECT_TRUE(read(R"({"action":[{"name":"d","type":"category"}]})").action_is_one_category());
  EXPECT_FALSE(read(R"({"action":[{"name":"d","type":"number"}]})").action_is_one_category());
  EXPECT_FALSE(read(R"({"action":[{"name":"d","type":"category"},{"name":"e","type":"category"}]})")
                   .action_is_one_category());
  EXPECT_FALSE(read(R"({"hash_unknown":true})").action_is_one_category());
}

TEST(Schema, MoreThan64ValuesHaveCodes) {
  Feature feature{.name = "c", .type = FeatureType::category};
  for (int i = 0; i < 64; ++i) feature.values.push_back(std::to_string(i));
  EXPECT_TRUE(feature.is_one_hot());
  EXPECT_EQ(feature.columns(), 65);
  feature.values.push_back("64");
  EXPECT_FALSE(feature.is_one_hot());
  EXPECT_EQ(feature.columns(), 32);
}

TEST(Schema, WhatCannotBeIsRefusedByItsPath) {
  EXPECT_EQ(error_of("[]"), "features must be an object, got []");
  EXPECT_EQ(error_of(R"({"context":{}})"), "features.context must be a list of features, got {}");
  EXPECT_EQ(error_of(R"({"actions":[]})"),
            "unknown field features.actions; known are action, context, hash_unknown, hash_width");
  EXPECT_EQ(error_of(R"({"hash_width":0})"), "features.hash_width must be an integer >= 1, got 0");
  EXPECT_EQ(error_of(R"({"hash_width":10001})"),
            "features.hash_width must be an integer from 1 to 10000, got 10001");
  EXPECT_EQ(error_of(R"({"hash_unknown":1})"), "features.hash_unknown must be true or false, got 1");
  EXPECT_EQ(feature_error("7"), "features.context[0] must be an object, got 7");
  EXPECT_EQ(feature_error("{}"), "features.context[0].name is missing");
  EXPECT_EQ(feature_error(R"({"name":7})"), "features.context[0].name must be a string, got 7");
  const std::string rule = " must be 1 to 200 bytes of text without control characters, got ";
  EXPECT_EQ(feature_error(R"({"name":""})"), "features.context[0].name" + rule + "\"\"");
  EXPECT_EQ(feature_error(R"({"name":"a\nb"})"), "features.context[0].name" + rule + "\"a b\"");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"word"})"),
            "features.context[0].type must be one of number, category, boolean, text, numbers, got \"word\"");
  EXPECT_EQ(feature_error(R"({"name":"a","required":"yes"})"),
            "features.context[0].required must be true or false, got \"yes\"");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"text","log":true})"),
            "unknown field features.context[0].log; known are name, required, type, width");
  EXPECT_EQ(feature_error(R"({"name":"a","period":0})"), "features.context[0].period must be > 0, got 0");
  EXPECT_EQ(feature_error(R"({"name":"a","period":24,"log":true})"),
            "features.context[0]: log and period exclude each other");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"category","values":"x"})"),
            "features.context[0].values must be a list of words, got \"x\"");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"category","values":[[]]})"),
            "features.context[0].values must be a list of words, got [[]]");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"category","values":["x",""]})"),
            "features.context[0].values[1]" + rule + "\"\"");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"category","values":["1",1]})"),
            "features.context[0].values[1] must not be there twice, got \"1\"");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"text","width":0})"),
            "features.context[0].width must be an integer >= 1, got 0");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"numbers"})"),
            "features.context[0].size is missing: how many numbers the list has");
  EXPECT_EQ(feature_error(R"({"name":"a","type":"numbers","size":0})"),
            "features.context[0].size must be an integer >= 1, got 0");
  EXPECT_EQ(error_of(R"({"context":[{"name":"a"}],"action":[{"name":"b"},{"name":"a"}]})"),
            "features.action[1].name must not be there twice, got \"a\"");
  EXPECT_EQ(error_of(R"({"action":[{"name":"features"}]})"),
            "features.action must not have a feature named \"features\"");
}

TEST(Schema, TooManyColumnsAreRefused) {
  Schema schema;
  for (int i = 0; i < 11; ++i)
    schema.context.push_back(
        {.name = std::to_string(i), .type = FeatureType::numbers, .required = true, .size = 10'000});
  try {
    check_schema(schema);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "features must have at most 100000 columns, got 110032");
  }
}

TEST(Schema, BrokenTextIsNoName) {
  Schema schema;
  schema.context = {Feature{}};
  schema.context[0].name = "\xFF";
  EXPECT_THROW(check_schema(schema), InvalidArgument);
  schema.context[0].name = "größe";
  EXPECT_NO_THROW(check_schema(schema));
}

TEST(Suggestion, NamesTheNearestAndTheKnown) {
  EXPECT_EQ(suggestion("huor", {"hour", "city"}), "did you mean hour? known are hour, city");
  EXPECT_EQ(suggestion("hourr", {"city", "hour"}), "did you mean hour? known are city, hour");
  EXPECT_EQ(suggestion("temprature", {"temperature"}), "did you mean temperature? known are temperature");
  EXPECT_EQ(suggestion("x", {}), "none are known");
  std::vector<std::string> many;
  for (int i = 0; i < 25; ++i) many.push_back("feature" + std::to_string(i));
  EXPECT_TRUE(suggestion("zzz", many).ends_with("feature19 and 5 more"));
}

}  // namespace
}  // namespace ridgerunner::schema_test
