// Runs the texts in tests/transcripts against the real program.
//
//   # a comment
//   + NAME        a file, its lines follow, each after "| "
//   $ ARGUMENTS   runs the program with them, in a folder of the transcript's own
//   > LINE        to its standard input
//   < LINE        from its standard output, in order: JSON is compared as values, numbers to 1e-12 (relative
//                 to those above 1), anything else as text
//   ! LINE        from its standard error
//   = CODE        its exit code, if not 0
// A text or JSON string that ends with * stands for all that begin so.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace ridgerunner::test::transcript_test {
namespace {

using Json = nlohmann::json;

struct Call {
  int line = 0;
  std::vector<std::string> arguments, requests, answers, errors;
  int code = 0;
};

bool text_matches(const std::string& expected, const std::string& got) {
  if (expected.empty() || expected.back() != '*') return expected == got;
  return got.starts_with(expected.substr(0, expected.size() - 1));
}

bool matches(const Json& expected, const Json& got) {
  if (expected.is_number() && got.is_number()) {
    const double a = expected.get<double>(), b = got.get<double>();
    return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(a));
  }
  if (expected.is_string() && got.is_string()) {
    return text_matches(expected.get<std::string>(), got.get<std::string>());
  }
  if (expected.type() != got.type() || expected.size() != got.size()) return false;
  if (expected.is_array()) {
    return std::equal(expected.begin(), expected.end(), got.begin(), matches);
  }
  if (expected.is_object()) {
    return std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& item) {
      return got.contains(item.key()) && matches(item.value(), got[item.key()]);
    });
  }
  return expected == got;
}

void expect_lines(const Call& call, const char* which, const std::vector<std::string>& expected,
                  const std::vector<std::string>& got) {
  for (std::size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
    const std::string want = i < expected.size() ? expected[i] : "(nothing)",
                      had = i < got.size() ? got[i] : "(nothing)";
    const Json a = Json::parse(want, nullptr, false), b = Json::parse(had, nullptr, false);
    const bool same = a.is_discarded() || b.is_discarded() ? text_matches(want, had) : matches(a, b);
    EXPECT_TRUE(same) << "call of line " << call.line << ", " << which << " line " << i + 1 << "\n  expected "
                      << want << "\n  got      " << had
                      << (i < call.requests.size() ? "\n  to       " + call.requests[i] : std::string());
  }
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<Call> parse(const std::string& path, const Folder& folder) {
  std::vector<Call> calls;
  std::ifstream file(path);
  std::string name, content;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string rest = line.size() > 2 ? line.substr(2) : "";
    const char kind = line.empty() ? '#' : line[0];
    if (kind == '#') continue;
    if (kind == '+') {
      name = rest;
      content.clear();
      folder.write(name, "");
    } else if (kind == '|') {
      content += rest + "\n";
      folder.write(name, content);
    } else if (kind == '$') {
      calls.push_back({number, words(rest), {}, {}, {}, 0});
    } else if (calls.empty()) {
      ADD_FAILURE() << path << ":" << number << ": no call yet";
    } else if (kind == '>') {
      calls.back().requests.push_back(rest);
    } else if (kind == '<') {
      calls.back().answers.push_back(rest);
    } else if (kind == '!') {
      calls.back().errors.push_back(rest);
    } else if (kind == '=') {
      calls.back().code = std::stoi(rest);
    } else {
      ADD_FAILURE() << path << ":" << number << ": what is " << line;
    }
  }
  return calls;
}

std::vector<std::string> transcripts() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RIDGERUNNER_TRANSCRIPTS)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Transcript : public testing::TestWithParam<std::string> {};

TEST_P(Transcript, IsWhatTheProgramSays) {
  const Folder folder;
  const std::vector<Call> calls =
      parse(std::string(RIDGERUNNER_TRANSCRIPTS) + "/" + GetParam() + ".txt", folder);
  EXPECT_FALSE(calls.empty());
  for (const Call& call : calls) {
    std::string input;
    for (const std::string& request : call.requests) input += request + "\n";
    const Outcome outcome = run_program(folder, call.arguments, input);
    EXPECT_EQ(outcome.code, call.code) << "call of line " << call.line;
    expect_lines(call, "output", call.answers, lines(outcome.out));
    expect_lines(call, "error", call.errors, lines(outcome.err));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Transcript, testing::ValuesIn(transcripts()),
                         [](const auto& transcript) { return transcript.param; });

}  // namespace
}  // namespace ridgerunner::test::transcript_test
