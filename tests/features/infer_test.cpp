#include "ridgerunner/features/infer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ridgerunner::infer_test {
namespace {

ColumnProfile profile_of(const std::vector<std::string>& cells) {
  ColumnProfile profile;
  for (const std::string& cell : cells) profile.add(cell);
  return profile;
}

InferredFeature infer(const std::vector<std::string>& cells, const std::string& name = "x") {
  return infer_feature(name, profile_of(cells)).value();
}

std::vector<std::string> many(int count, const char* prefix) {
  std::vector<std::string> cells;
  for (int i = 0; i < count; ++i) cells.push_back(fmt::format("{}{}", prefix, i));
  return cells;
}

TEST(Infer, CellsThatAreAllNumbersAreANumber) {
  const InferredFeature number = infer({"1.5", "-2", "", "3", "NA", "3"});
  EXPECT_EQ(number.feature, (Feature{.name = "x"}));
  EXPECT_EQ(number.why, "3 distinct, -2 to 3, 2 of 6 missing");
}

TEST(Infer, NumbersThatSpanPowersOfTenOrMayBeIdsAreToldAbout) {
  EXPECT_EQ(infer({"1", "10", "5000"}).why,
            "3 distinct, 1 to 5000, none missing; spans powers of ten, log = true may suit");
  EXPECT_EQ(infer(many(2000, "1")).why,
            "more than 1000 distinct, 10 to 11999, none missing; spans powers of ten, log = true may suit; "
            "if these are ids, type = \"category\"");
}

TEST(Infer, HoursGoAround) {
  EXPECT_EQ(infer({"0", "23"}, "hour").feature.period, 24);
  EXPECT_EQ(infer({"1", "12"}, "start_Month").feature.period, 12);
  EXPECT_EQ(infer({"0", "6"}, "weekday").feature.period, 7);
  EXPECT_EQ(infer({"0", "230"}, "hour").feature.period, std::nullopt);
  EXPECT_EQ(infer({"0", "23"}, "x").feature.period, std::nullopt);
}

TEST(Infer, TwoWordsForYesAndNoAreABoolean) {
  for (const std::vector<std::string>& cells :
       {std::vector<std::string>{"true", "false", ""}, {"yes", "no"}, {"0", "1"}, {"T", "F"}, {"1", "1"}})
    EXPECT_EQ(infer(cells).feature.type, FeatureType::boolean);
  EXPECT_EQ(infer({"yes", "no", ""}).why, "only no and yes, 1 of 3 missing");
  EXPECT_EQ(infer({"0", "1", "2"}).feature.type, FeatureType::number);
  EXPECT_EQ(infer({"yes", "no", "maybe"}).feature.type, FeatureType::category);
}

TEST(Infer, FewDistinctWordsAreACategoryWithItsValues) {
  const InferredFeature city = infer({"Rome", "Paris", "Rome", "Oslo", "Rome", "Oslo", "null"});
  EXPECT_EQ(city.feature.type, FeatureType::category);
  EXPECT_EQ(city.feature.values, (std::vector<std::string>{"Oslo", "Paris", "Rome"}));
  EXPECT_EQ(city.why, "3 distinct words, 1 of 7 missing");
  EXPECT_EQ(infer({"New York", "Los Angeles", "New York", "Los Angeles"}).feature.values.size(), 2u);
}

TEST(Infer, NumbersAmongWordsAreToldAbout) {
  EXPECT_EQ(infer({"1", "2", "unknown", "1", "2", "1"}).why,
            "3 distinct words, none missing; 5 cells are numbers, but not \"unknown\"");
}

TEST(Infer, ManyWordsOneACellAreACategoryWithoutValues) {
  const InferredFeature user = infer(many(3000, "user"));
  EXPECT_EQ(user.feature, (Feature{.name = "x", .type = FeatureType::category}));
  EXPECT_EQ(user.why, "more than 1000 distinct words, none missing; too many to list, each has a code");
}

TEST(Infer, SentencesAreAText) {
  std::vector<std::string> cells;
  for (int i = 0; i < 20; ++i) cells.push_back(fmt::format("the title of page {}", i));
  const InferredFeature title = infer(cells);
  EXPECT_EQ(title.feature, (Feature{.name = "x", .type = FeatureType::text}));
  EXPECT_EQ(title.why, "20 distinct, 5.0 words a cell, none missing");
}

TEST(Infer, WordsThatCannotBeListedAreNot) {
  const InferredFeature broken = infer({"\xFF", "a", "\xFF", "a"});
  EXPECT_EQ(broken.feature, (Feature{.name = "x", .type = FeatureType::category}));
  EXPECT_EQ(broken.why, "2 distinct words, none missing; not all of them can be listed");
}

TEST(Infer, AColumnWithoutValuesIsNoFeature) {
  EXPECT_EQ(infer_feature("x", profile_of({"", "NA", "nan"})).has_value(), false);
  EXPECT_EQ(infer_feature("x", profile_of({})).has_value(), false);
}

TEST(Infer, IsWrittenWithItsReason) {
  EXPECT_EQ(inferred_to_toml(infer({"a", "b", "a", "b"}), "action"),
            "\n# x: 2 distinct words, none missing\n[[features.action]]\nname = \"x\"\ntype = \"category\"\n"
            "values = [\"a\", \"b\"]\n");
}

}  // namespace
}  // namespace ridgerunner::infer_test
