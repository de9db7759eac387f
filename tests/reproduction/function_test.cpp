#include <gtest/gtest.h>

#include "reproduction/concluded.h"

namespace ridgerunner::function_test {
namespace {

TEST(FunctionReproduction, ValuesShowAtMostTheNormOfTheFunction) {
  const Outcome outcome = test::concluded(R"({"paper": "p", "title": "t", "shows": "s", "kind": "function",
    "environment": {"type": "taylor_function", "norm": 3}, "runs": 5, "seed": 5})");
  EXPECT_LE(outcome.values.get("norm, most"), 3);
  EXPECT_GT(outcome.values.get("norm, least"), 0.3);
  EXPECT_LE(outcome.values.get("norm, least"), outcome.values.get("norm, most"));
  EXPECT_LE(outcome.values.get("span, most"), 6);
}

// All of a function of two features shows: theta_1 phi_1 + theta_2 phi_2 has its norm.
TEST(FunctionReproduction, TheNormOfASmoothFunctionShowsInFull) {
  const Outcome outcome = test::concluded(R"({"paper": "p", "title": "t", "shows": "s", "kind": "function",
    "environment": {"type": "taylor_function", "norm": 3, "features": 2}, "runs": 5, "seed": 5})");
  EXPECT_NEAR(outcome.values.get("norm, least"), 3, 0.01);
  EXPECT_NEAR(outcome.values.get("norm, most"), 3, 0.01);
}

}  // namespace
}  // namespace ridgerunner::function_test
