// What the fuzzers have found interesting, once more, with every build and sanitizer.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "fuzz/targets.h"
#include "places.h"

namespace ridgerunner::fuzz::corpus_test {
namespace {

struct Outcome {
  int taken = 0, refused = 0;
};

// Seeds are what the program itself would write: they must be taken.
Outcome run_corpus(const char* name, bool (*target)(std::string_view)) {
  Outcome outcome;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(RIDGERUNNER_CORPUS) / name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    SCOPED_TRACE(entry.path());
    const bool taken = target(bytes.str());
    ++(taken ? outcome.taken : outcome.refused);
    if (entry.path().filename().string().starts_with("seed_")) {
      EXPECT_TRUE(taken);
    }
  }
  return outcome;
}

// A corpus has something that is taken and something that is refused, and as much of both as was kept: a
// format that changes must not leave it empty in silence.
void expect(const char* name, bool (*target)(std::string_view), int taken, int refused) {
  const Outcome outcome = run_corpus(name, target);
  ::testing::Test::RecordProperty("taken", outcome.taken);
  ::testing::Test::RecordProperty("refused", outcome.refused);
  EXPECT_GE(outcome.taken, taken);
  EXPECT_GE(outcome.refused, refused);
}

TEST(Corpus, Requests) {
  expect("requests", requests, 25, 400);
}

TEST(Corpus, Http) {
  expect("http", http, 50, 150);
}

TEST(Corpus, Events) {
  expect("events", events, 45, 400);
}

TEST(Corpus, Snapshots) {
  expect("snapshots", snapshots, 5, 150);
}

TEST(Corpus, Specs) {
  expect("specs", specs, 45, 450);
}

TEST(Corpus, Features) {
  expect("features", features, 30, 290);
}

TEST(Corpus, Journeys) {
  expect("journeys", journeys, 15, 5);
}

TEST(Corpus, AnInputIsTakenOrRefusedForWhatItIs) {
  EXPECT_TRUE(requests("\x01{\"event_id\":\"a\",\"reward\":1}"));
  EXPECT_FALSE(requests("\x01{\"event_id\":\"a\",\"reward\":null}"));
  EXPECT_TRUE(specs(std::string_view("\x00{\"policy\":\"ek-ucb\"}", 20)));
  EXPECT_FALSE(specs(std::string_view("\x00{\"policy\":\"no-ucb\"}", 20)));
}

}  // namespace
}  // namespace ridgerunner::fuzz::corpus_test
