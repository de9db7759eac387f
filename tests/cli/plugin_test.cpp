// Bounds of one's own in the installed program: examples/own_bound.cpp as a plug-in.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "ridgerunner/codec/json.h"

namespace ridgerunner::plugin_test {
namespace {

using test::Folder;
using test::Outcome;
using test::run_program;

const char* const kSpec = "policy = \"gp-ucb\"\n[bound]\ntype = \"srinivas\"\nsize = 500\n";

TEST(Plugin, ItsBoundCompetes) {
  const Folder folder;
  folder.write("srinivas.toml", kSpec);
  const Outcome outcome =
      run_program(folder, {"compare", "--plugin", RIDGERUNNER_OWN_BOUND, "--policies", "srinivas.toml,gp-ucb",
                           "--horizon", "20", "--runs", "2", "--threads", "2", "--json", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json results = parse_json(folder.read("comparison/results.json"));
  EXPECT_EQ(results["policies"][0]["spec"]["bound"]["type"], "srinivas");
  EXPECT_EQ(results["policies"][0]["spec"]["bound"]["size"], 500);
  EXPECT_EQ(results["policies"][0]["spec"]["bound"]["noise_bound"], 0.1) << "the problem's";
}

TEST(Plugin, ItsBoundIsStreamedAndSaved) {
  const Folder folder;
  folder.write("srinivas.toml", kSpec);
  const Outcome outcome =
      run_program(folder, {"stream", "--spec", "srinivas.toml", "--plugin", RIDGERUNNER_OWN_BOUND},
                  "{\"op\":\"stats\"}\n{\"op\":\"observe\",\"state\":[0.5],\"reward\":1}\n{\"op\":\"save\","
                  "\"file\":\"m.rr\"}\n"
                  "{\"op\":\"load\",\"file\":\"m.rr\"}\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto answers = test::lines(outcome.out);
  ASSERT_EQ(answers.size(), 4u);
  // By hand: 0.1 sqrt(2 ln(500 π^2/0.06)).
  EXPECT_NEAR(parse_json(answers[0])["radius"].get<double>(), 0.475762, 1e-6);
  EXPECT_EQ(answers[3], "{\"t\":1}");
  const Outcome without = run_program(folder, {"stream", "--spec", "srinivas.toml"});
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find("bound.type must be one of fixed, "), std::string::npos) << without.err;
  const Outcome other =
      run_program(folder, {"stream", "--spec", "gp-ucb"}, "{\"op\":\"load\",\"file\":\"m.rr\"}\n");
  EXPECT_NE(other.out.find("bound.type is \\\"srinivas\\\" there"), std::string::npos) << other.out;
}

TEST(Plugin, WhatIsNoPluginIsRefused) {
  const Folder folder;
  folder.write("text.so", "not a library");
  for (const char* file : {"text.so", "missing.so"}) {
    const Outcome outcome = run_program(folder, {"spec", "k-ucb", "--plugin", file});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err.find(std::string("error: the plug-in ") + file + " cannot be loaded: "), 0u)
        << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  const Outcome twice = run_program(
      folder, {"spec", "k-ucb", "--plugin", RIDGERUNNER_OWN_BOUND, "--plugin", RIDGERUNNER_OWN_BOUND});
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("there is a srinivas already"), std::string::npos) << twice.err;
}

}  // namespace
}  // namespace ridgerunner::plugin_test
