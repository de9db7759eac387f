// What version 0.1.0 wrote (tests/golden/make.py) is read, and sessions go on as they did.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "ridgerunner/experiment/results.h"

namespace ridgerunner::test::golden_test {
namespace {

using Json = nlohmann::ordered_json;

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(RIDGERUNNER_GOLDEN) / name;
}

std::vector<std::string> sessions() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden("stream"))) {
    if (entry.path().extension() == ".jsonl") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Equal, numbers up to what another processor's sums may differ by. What is new in
// `actual` is no difference.
void expect_alike(const Json& expected, const Json& actual, const std::string& where) {
  if (expected.is_object()) {
    ASSERT_TRUE(actual.is_object()) << where;
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(actual.contains(key)) << where << " has no " << key;
      expect_alike(value, actual.at(key), where + "." + key);
    }
  } else if (expected.is_array()) {
    ASSERT_TRUE(actual.is_array() && actual.size() == expected.size()) << where;
    for (std::size_t i = 0; i < expected.size(); ++i) expect_alike(expected[i], actual[i], where + "[]");
  } else if (expected.is_number_float()) {
    ASSERT_TRUE(actual.is_number()) << where;
    const double a = expected.get<double>(), b = actual.get<double>();
    EXPECT_NEAR(a, b, 1e-7 * std::max(1.0, std::abs(a))) << where;
  } else {
    EXPECT_EQ(expected, actual) << where;
  }
}

struct Session {
  Json spec;
  std::vector<Json> requests, answers;
  std::size_t saved = 0;  // after so many requests
};

Session read_session(const std::string& name) {
  Session session;
  std::ifstream file(golden("stream/" + name + ".jsonl"));
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line);
    if (json.contains("spec")) session.spec = json["spec"];
    if (json.contains("saved")) session.saved = session.requests.size();
    if (!json.contains("request")) continue;
    session.requests.push_back(json["request"]);
    session.answers.push_back(json["answer"]);
  }
  return session;
}

class GoldenSession : public testing::TestWithParam<std::string> {
 protected:
  // The answers to the requests from `first` on, after `before`.
  static void expect_answers(const Session& session, std::size_t first, const std::string& before) {
    const Folder folder;
    folder.write("spec.json", session.spec.dump());
    std::string input = before;
    for (std::size_t i = first; i < session.requests.size(); ++i) input += session.requests[i].dump() + "\n";
    const Outcome run = run_program(folder, {"stream", "--spec", "spec.json"}, input);
    ASSERT_EQ(run.code, 0) << run.err;
    const std::vector<std::string> answers = lines(run.out);
    const std::size_t skipped = before.empty() ? 0 : 1;
    ASSERT_EQ(answers.size(), skipped + session.requests.size() - first) << run.out;
    if (skipped) {
      ASSERT_FALSE(Json::parse(answers[0]).contains("error")) << answers[0];
    }
    for (std::size_t i = first; i < session.requests.size(); ++i) {
      expect_alike(session.answers[i], Json::parse(answers[skipped + i - first]), std::to_string(i));
    }
  }
};

TEST_P(GoldenSession, IsDecidedAsItWas) {
  expect_answers(read_session(GetParam()), 0, "");
}

TEST_P(GoldenSession, GoesOnFromItsArchive) {
  const Session session = read_session(GetParam());
  const Json load = {{"op", "load"}, {"file", golden("stream/" + GetParam() + ".rr").string()}};
  expect_answers(session, session.saved, load.dump() + "\n");
}

INSTANTIATE_TEST_SUITE_P(All, GoldenSession, testing::ValuesIn(sessions()), [](const auto& session) {
  std::string name = session.param;
  std::erase(name, '-');
  return name;
});

TEST(GoldenResults, AreRead) {
  std::ifstream file(golden("results.json"));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Results results = results_from_json(text);
  EXPECT_EQ(results.policies.size(), 5u);
  expect_alike(Json::parse(text), Json::parse(results_to_json(results)), "results");
}

}  // namespace
}  // namespace ridgerunner::test::golden_test
