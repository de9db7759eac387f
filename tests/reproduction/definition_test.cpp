#include "ridgerunner/reproduction/definition.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"
#include "ridgerunner/reproduction/reproduction.h"

namespace ridgerunner::definition_test {
namespace {

TEST(Definitions, AreThoseOfTheFourPapersInOrder) {
  std::vector<std::string> keys;
  for (const Definition& definition : definitions()) keys.push_back(definition.key);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end(), natural_less));
  std::vector<std::string> needed = {"calandriello2019_figure1", "calandriello2019_theorem1",
                                     "flynn2024_table1", "zenati2022_table1"};
  for (int i = 1; i <= 8; ++i) needed.push_back("durand2018_figure" + std::to_string(i));
  for (int i = 1; i <= 7; ++i) needed.push_back("flynn2024_figure" + std::to_string(i));
  for (int i = 1; i <= 12; ++i) needed.push_back("zenati2022_figure" + std::to_string(i));
  for (const std::string& key : needed) EXPECT_TRUE(std::count(keys.begin(), keys.end(), key)) << key;
}

TEST(Definitions, AllHaveASpecChecksAndAPage) {
  for (const Definition& definition : definitions()) {
    SCOPED_TRACE(definition.key);
    EXPECT_EQ(definition.key.find(definition.paper + "_"), 0u);
    EXPECT_FALSE(definition.shows.empty());
    EXPECT_FALSE(definition.checks.empty());
    EXPECT_GT(definition.readme.size(), 300u);
    EXPECT_EQ(definition.readme.find("# "), 0u);
    std::set<std::string> quantities;
    for (const Check& check : definition.checks)
      EXPECT_TRUE(quantities.insert(check.quantity).second) << check.quantity << " twice";
  }
}

TEST(Definitions, AllCanBeRunInBothSizes) {
  for (const Definition& definition : definitions()) {
    SCOPED_TRACE(definition.key);
    std::size_t jobs[2] = {};
    for (const Size size : {Size::full, Size::quick})
      jobs[size == Size::quick] = make_reproduction(definition, size)->jobs().size();
    EXPECT_LE(jobs[1], jobs[0]);
  }
}

TEST(Definitions, FiguresOfOneProblemShareRuns) {
  const auto jobs = [](const char* key) {
    return distinct(make_reproduction(find_definition(key), Size::full)->jobs());
  };
  const std::vector<Job> two = jobs("zenati2022_figure2"), eight = jobs("zenati2022_figure8"),
                         nine = jobs("zenati2022_figure9");
  const auto both = [](std::vector<Job> a, const std::vector<Job>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return distinct(std::move(a)).size();
  };
  EXPECT_EQ(both(two, eight), eight.size());
  EXPECT_LT(both(eight, nine), eight.size() + nine.size());
}

TEST(Definitions, TheTablesFirstRunsAreTheFigures) {
  const auto identities = [](const char* key, const char* policy) {
    std::set<std::string> found;
    for (const Job& job : make_reproduction(find_definition(key), Size::full)->jobs()) {
      if (job.identity["policy"]["policy"] == policy) found.insert(job.identity.dump());
    }
    return found;
  };
  const auto table = identities("flynn2024_table1", "dmm-ucb");
  for (const char* key :
       {"flynn2024_figure2", "flynn2024_figure4", "flynn2024_figure5", "flynn2024_figure6"}) {
    const auto figure = identities(key, "dmm-ucb");
    EXPECT_FALSE(figure.empty());
    EXPECT_TRUE(std::includes(table.begin(), table.end(), figure.begin(), figure.end())) << key;
  }
}

TEST(Definitions, AnUnknownKeyIsAnsweredWithTheNearest) {
  try {
    find_definition("zenati_figure11");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("unknown reproduction \"zenati_figure11\"; the nearest are "
                        "zenati2022_figure11, "),
              0u)
        << error.what();
  }
}

TEST(Definitions, NumbersInKeysCountAsNumbers) {
  EXPECT_TRUE(natural_less("figure2", "figure10"));
  EXPECT_FALSE(natural_less("figure10", "figure2"));
  EXPECT_FALSE(natural_less("figure2", "figure2"));
  EXPECT_TRUE(natural_less("a", "b"));
  EXPECT_TRUE(natural_less("figure", "figure1"));
}

std::string reason(const char* spec, const char* expected = R"({"checks":[]})") {
  try {
    make_reproduction(parse_definition({"key", spec, expected, "# Page"}), Size::full);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Definitions, WhatMakesNoSenseIsNamedWithItsFile) {
  EXPECT_EQ(reason("{}"), "key/spec.json: paper must be a string");
  EXPECT_EQ(reason(R"({"paper":"p","title":"t","shows":"s","kind":"song"})")
                .find("key/spec.json: kind must be one of regret, growth"),
            0u);
  EXPECT_EQ(reason(R"({"paper":"p","title":"t","shows":"s","kind":"map","problems":["bump"]})"),
            "key/spec.json: problems must be chessboard or step_diagonal, got \"bump\"");
  EXPECT_EQ(reason(R"({"paper":"p","title":"t","shows":"s","kind":"regret"})"),
            "key/spec.json: environment is missing");
  EXPECT_EQ(reason(R"({"paper":"p","title":"t","shows":"s","kind":"map","problems":[],"x":1})")
                .find("key/spec.json: unknown field x"),
            0u);
  EXPECT_EQ(reason(R"({"paper":"p","title":"t","shows":"s"})", "{}"),
            "key/expected.json: checks must be a list");
}

}  // namespace
}  // namespace ridgerunner::definition_test
