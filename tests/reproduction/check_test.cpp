#include "ridgerunner/reproduction/check.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner::check_test {
namespace {

Values some() {
  Values values;
  values.set("a", 3);
  values.set("b", 2);
  values.set("nothing", NAN);
  return values;
}

Verdict verdict(const char* json) {
  const std::vector<Check> checks = checks_from_json(parse_json(std::string(R"({"checks":[)") + json + "]}"));
  return judge(checks.at(0), some());
}

std::string reason(const std::string& json) {
  try {
    judge(checks_from_json(parse_json(json)), some());
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Check, AnExpectedValueHoldsWithinItsTolerance) {
  EXPECT_TRUE(verdict(R"({"quantity":"q","value":"a","expected":2.5,"tolerance":0.5})").ok);
  EXPECT_FALSE(verdict(R"({"quantity":"q","value":"a","expected":2.5,"tolerance":0.4})").ok);
  EXPECT_FALSE(verdict(R"({"quantity":"q","value":"nothing","expected":2.5,"tolerance":100})").ok);
}

TEST(Check, ARatioIsOfTwoValues) {
  EXPECT_EQ(verdict(R"({"quantity":"q","value":"a","over":"b","expected":1.5,"tolerance":0})").ours, 1.5);
}

TEST(Check, WhereNothingIsExpectedTheClaimMustHold) {
  const Verdict holds = verdict(R"({"quantity":"q","value":"a","paper":{"says":"small","most":3}})");
  EXPECT_TRUE(holds.ok);
  EXPECT_EQ(holds.agrees, true);
  EXPECT_EQ(holds.check.says, "small");
  const Verdict differs = verdict(R"({"quantity":"q","value":"a","paper":{"most":2.9}})");
  EXPECT_FALSE(differs.ok);
  EXPECT_EQ(differs.agrees, false);
  EXPECT_FALSE(verdict(R"({"quantity":"q","value":"nothing","paper":{"most":2}})").ok);
  EXPECT_TRUE(verdict(R"({"quantity":"q","value":"a","paper":{"least":3,"most":3}})").ok);
}

TEST(Check, AKnownDifferenceIsNoFailure) {
  const Verdict known =
      verdict(R"({"quantity":"q","value":"a","expected":3,"tolerance":0.1,"paper":{"most":1}})");
  EXPECT_TRUE(known.ok);
  EXPECT_EQ(known.agrees, false);
}

TEST(Check, WhatMakesNoSenseIsNamed) {
  EXPECT_EQ(reason(R"({})"), "checks must be a list");
  EXPECT_EQ(reason(R"({"checks":[{"value":"a"}]})"), "checks[0] must have quantity and value");
  EXPECT_EQ(reason(R"({"checks":[{"quantity":"q","value":"a","expected":1}]})"),
            "checks[0] must have expected and tolerance, or neither");
  EXPECT_EQ(reason(R"({"checks":[{"quantity":"q","value":"a"}]})"),
            "checks[0] must have an expected value or a claim to hold");
  EXPECT_EQ(
      reason(R"({"checks":[{"quantity":"q","value":"a","maximum":1}]})").find("unknown field checks[0]"), 0u);
  EXPECT_EQ(reason(R"({"checks":[{"quantity":"q","value":"c","expected":1,"tolerance":1}]})"),
            "there is no value \"c\"; there are a, b, nothing");
}

TEST(Check, RowsCarryThePapersSideAndOurs) {
  const Json row = verdict_to_json("key", verdict(R"({"quantity":"q","value":"a","expected":3,"tolerance":1,
                         "paper":{"says":"s","value":4,"least":3.5}})"));
  EXPECT_EQ(row["reproduction"], "key");
  EXPECT_EQ(row["quantity"], "q");
  EXPECT_EQ(row["paper"], 4.0);
  EXPECT_EQ(row["claim"], "s");
  EXPECT_EQ(row["ours"], 3.0);
  EXPECT_EQ(row["tolerance"], 1.0);
  EXPECT_EQ(row["agrees"], false);
  EXPECT_EQ(row["ok"], true);
  EXPECT_EQ(row["claim_most"], nullptr);
  const Json nan =
      verdict_to_json("key", verdict(R"({"quantity":"q","value":"nothing","paper":{"most":2}})"));
  EXPECT_EQ(nan["ours"], nullptr);
}

TEST(Check, TheTableHasALineForEach) {
  const std::string text =
      to_text(verdict_table({verdict(R"({"quantity":"one","value":"a","paper":{"most":2}})"),
                             verdict(R"({"quantity":"two","value":"b","expected":2,"tolerance":0.1})")}));
  for (const char* part : {"one", "two", "differs", "FAILS", "ok", "2.00 ± 0.100"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace ridgerunner::check_test
