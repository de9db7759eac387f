#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "ridgerunner/policy/policy.h"

namespace ridgerunner::test::stream_test {
namespace {

using Json = nlohmann::json;

std::vector<Json> answers(const Outcome& outcome) {
  std::vector<Json> result;
  for (const std::string& line : lines(outcome.out)) result.push_back(Json::parse(line, nullptr, false));
  return result;
}

std::vector<Json> stream(const std::string& input,
                         std::vector<std::string> arguments = {"--spec", "kernel-ucb"}) {
  arguments.insert(arguments.begin(), "stream");
  const Folder folder;
  const Outcome outcome = run_program(folder, arguments, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return answers(outcome);
}

const std::string kPast = R"({"op":"observe","states":[[0.1,0.2],[0.3,0.4],[0.1,0.2]],"rewards":[1,2,3]})"
                          "\n"
                          R"({"op":"decide","actions":[[0.5,0.5],[0.6,0.6]]})"
                          "\n";
const std::string kLook = R"({"op":"stats","anchors":true})"
                          "\n"
                          R"({"op":"predict","states":[[0.1,0.2],[0.9,0.9]]})"
                          "\n";

// The line is answered by one short error, and everything is afterwards as it was.
void expect_harmless(const std::string& what, const std::string& line) {
  SCOPED_TRACE(what);
  const Folder folder;
  const Outcome outcome =
      run_program(folder, {"stream", "--spec", "kernel-ucb"}, kPast + kLook + line + "\n" + kLook);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  const std::vector<Json> all = answers(outcome);
  ASSERT_EQ(all.size(), 7u);
  for (const Json& answer : all) EXPECT_TRUE(answer.is_object());
  ASSERT_TRUE(all[4].is_object() && all[4].contains("error")) << all[4];
  EXPECT_EQ(all[4].size(), 1u);
  EXPECT_FALSE(all[4]["error"].get<std::string>().empty());
  EXPECT_LT(all[4].dump().size(), 1000u) << "the error repeats the request";
  EXPECT_EQ(all[2], all[5]);
  EXPECT_EQ(all[3], all[6]);
}

TEST(Stream, InvalidUtf8IsHarmless) {
  expect_harmless("bare", "\xff\xfe\xfd");
  expect_harmless("in the op", "{\"op\":\"\xc3\x28\"}");
  expect_harmless("in a file", "{\"op\":\"load\",\"file\":\"\x80\"}");
  expect_harmless("as a key", "{\"op\":\"stats\",\"\xf0\x28\":1}");
  expect_harmless("cut short", "{\"op\":\"\xe2\x82");
}

TEST(Stream, ZeroBytesAreHarmless) {
  expect_harmless("alone", std::string(5, '\0'));
  expect_harmless("within", std::string("{\"op\":\"sta\0ts\"}", 15));
  expect_harmless("escaped", R"({"op":"load","file":"m\u0000.rr"})");
}

TEST(Stream, DeepNestingIsHarmless) {
  expect_harmless("unbalanced", std::string(10000, '['));
  expect_harmless("balanced", std::string(10000, '[') + std::string(10000, ']'));
  expect_harmless("in a field", R"({"op":"observe","reward":1,"state":)" + std::string(10000, '[') +
                                    std::string(10000, ']') + "}");
  std::string objects, closing(10000, '}');
  for (int i = 0; i < 10000; ++i) objects += "{\"a\":";
  expect_harmless("objects", objects + "1" + closing);
}

TEST(Stream, VeryDeepNestingIsHarmless) {
  const std::string open(500'000, '['), close(500'000, ']');
  expect_harmless("unbalanced", open);
  expect_harmless("balanced", open + close);
  expect_harmless("in a field", R"({"op":"observe","reward":1,"state":)" + open + close + "}");
  expect_harmless("as an op", R"({"op":)" + open + close + "}");
}

TEST(Stream, AMegabyteIsHarmless) {
  const std::string text(1 << 20, 'x');
  expect_harmless("of nothing", text);
  expect_harmless("of spaces", std::string(1 << 20, ' '));
  expect_harmless("of text without end", "\"" + text);
  expect_harmless("of digits", "1" + std::string(1 << 20, '0'));
  expect_harmless("as a reward", R"({"op":"observe","state":[0,0],"reward":")" + text + "\"}");
  expect_harmless("as an op", R"({"op":")" + text + "\"}");
  expect_harmless("as a field", R"({"op":"stats",")" + text + "\":1}");
  expect_harmless("as a field, twice", "{\"" + text + "\":1,\"" + text + "\":1}");
  expect_harmless("as a file", R"({"op":"load","file":")" + text + "\"}");
  expect_harmless("as a file to save", R"({"op":"save","file":")" + text + "\"}");
  std::string zeros = "0";
  while (zeros.size() < (1 << 20)) zeros += ",0";
  expect_harmless("as a state", R"({"op":"observe","reward":1,"state":[)" + zeros + "]}");
}

TEST(Stream, NumbersReadBackExactly) {
  const auto all = stream(kPast + kLook);
  ASSERT_EQ(all.size(), 4u);
  Policy policy("kernel-ucb");
  Matrix states(2, 3);
  states << 0.1, 0.3, 0.1, 0.2, 0.4, 0.2;
  policy.observe(states, Vector::LinSpaced(3, 1, 3));
  Matrix at(2, 2);
  at << 0.1, 0.9, 0.2, 0.9;
  const Forecast forecast = policy.predict(at);
  for (const int i : {0, 1}) {
    EXPECT_EQ(all[3]["mean"][static_cast<std::size_t>(i)].get<double>(), forecast.mean[i]);
    EXPECT_EQ(all[3]["sd"][static_cast<std::size_t>(i)].get<double>(), forecast.sd[i]);
    EXPECT_EQ(all[3]["lower"][static_cast<std::size_t>(i)].get<double>(), forecast.lower[i]);
    EXPECT_EQ(all[3]["upper"][static_cast<std::size_t>(i)].get<double>(), forecast.upper[i]);
  }
  EXPECT_EQ(all[2]["logdet"].get<double>(), policy.statistics().evidence.log_determinant);
}

TEST(Stream, StatesAreGivenBackExactly) {
  const auto all = stream(
      R"({"op":"observe","states":[[0.1],[1e-310],[123456789.123456789],[-4.9406564584124654e-324]],"rewards":[1,1,1,1]})"
      "\n"
      R"({"op":"stats","anchors":true})"
      "\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1]["anchor_states"],
            Json::parse("[[0.1],[1e-310],[123456789.123456789],[-4.9406564584124654e-324]]"));
}

TEST(Stream, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(stream(R"({"op":"stats"})").size(), 1u);
  EXPECT_EQ(stream("{\"op\":\"stats\"}\r\n{\"op\":\"stats\"}\r\n").size(), 2u);
}

TEST(Stream, TheSeedDecidesTheRandomness) {
  std::string requests;
  for (int i = 0; i < 50; ++i) requests += "{\"op\":\"decide\",\"actions\":[[1],[2],[3],[4]]}\n";
  const auto one = stream(requests, {"--spec", "uniform"}),
             same = stream(requests, {"--spec", "uniform", "--seed", "7"}),
             other = stream(requests, {"--spec", "uniform", "--seed", "8"}),
             set = stream(requests, {"--spec", "uniform", "--set", "seed=8"});
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
  EXPECT_EQ(other, set);
}

TEST(Stream, ASavedModelContinuesExactly) {
  const Folder folder;
  const auto round = [](int i) {
    const std::string state = "[" + std::to_string(i * 0.37 - std::floor(i * 0.37)) + "]";
    return "{\"op\":\"observe\",\"state\":" + state + ",\"reward\":" + std::to_string(std::sin(i)) +
           "}\n{\"op\":\"decide\",\"actions\":[[0.1],[0.35],[0.62],[0.99]]}\n{\"op\":\"stats\"}\n";
  };
  std::string first, second;
  for (int i = 0; i < 40; ++i) first += round(i);
  for (int i = 40; i < 90; ++i) second += round(i);
  const std::vector<std::string> arguments = {"stream", "--spec", "gp-ucb"};
  const auto never_stopped = lines(run_program(folder, arguments, first + second).out);
  run_program(folder, arguments, first + "{\"op\":\"save\",\"file\":\"m.rr\"}\n");
  const auto resumed =
      lines(run_program(folder, arguments, "{\"op\":\"load\",\"file\":\"m.rr\"}\n" + second).out);
  ASSERT_EQ(resumed.size(), 151u);
  for (std::size_t i = 0; i < 150; ++i) ASSERT_EQ(resumed[i + 1], never_stopped[120 + i]);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().filename(), "m.rr") << "left behind";
  }
}

TEST(Stream, ADamagedModelIsRefusedAndTheOldOneStays) {
  const Folder folder;
  const std::vector<std::string> arguments = {"stream", "--spec", "kernel-ucb"};
  run_program(folder, arguments, kPast + "{\"op\":\"save\",\"file\":\"m.rr\"}\n");
  const std::string model = folder.read("m.rr");
  ASSERT_GT(model.size(), 100u);
  folder.write("half.rr", model.substr(0, model.size() / 2));
  folder.write("none.rr", "");
  std::string flipped = model;
  flipped[flipped.size() / 2] ^= 4;
  folder.write("flipped.rr", flipped);
  const Outcome outcome =
      run_program(folder, arguments,
                  kPast + kLook +
                      "{\"op\":\"load\",\"file\":\"half.rr\"}\n{\"op\":\"load\",\"file\":\"none.rr\"}\n"
                      "{\"op\":\"load\",\"file\":\"flipped.rr\"}\n" +
                      kLook);
  const auto all = answers(outcome);
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(all[4]["error"].get<std::string>().find("half.rr: the file is truncated: "), 0u) << all[4];
  EXPECT_EQ(all[5]["error"], "none.rr: not a ridgerunner file: it does not start with RIDGERUN");
  EXPECT_EQ(all[6]["error"], "flipped.rr: the file is damaged: its checksum is wrong");
  EXPECT_EQ(all[2], all[7]);
  EXPECT_EQ(all[3], all[8]);
}

TEST(Stream, AFailedSaveLeavesTheOldFile) {
  const Folder folder;
  folder.write("folder/inside", "x");
  const Outcome outcome = run_program(folder, {"stream", "--spec", "k-ucb"},
                                      "{\"op\":\"save\",\"file\":\"folder\"}\n{\"op\":\"stats\"}\n");
  const auto all = answers(outcome);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].contains("error"));
  EXPECT_EQ(folder.read("folder/inside"), "x");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// A conversation: each answer must be there before the next request is made.
TEST(Stream, AnswersEachLineAtOnce) {
  int to_program[2], from_program[2];
  ASSERT_EQ(::pipe2(to_program, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(from_program, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::dup2(to_program[0], 0);
    ::dup2(from_program[1], 1);
    ::alarm(60);
    ::execl(RIDGERUNNER_PROGRAM, RIDGERUNNER_PROGRAM, "stream", "--spec", "k-ucb",
            static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(to_program[0]);
  ::close(from_program[1]);
  for (int i = 1; i <= 3; ++i) {
    const std::string request = "{\"op\":\"observe\",\"state\":[" + std::to_string(i) + "],\"reward\":1}\n";
    ASSERT_EQ(::write(to_program[1], request.data(), request.size()), static_cast<ssize_t>(request.size()));
    std::string answer;
    for (char c = 0; c != '\n';) {
      ASSERT_EQ(::read(from_program[0], &c, 1), 1);
      answer += c;
    }
    EXPECT_EQ(Json::parse(answer)["t"], i);
  }
  ::close(to_program[1]);
  ::close(from_program[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace ridgerunner::test::stream_test
