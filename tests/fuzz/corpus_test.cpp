// What the fuzzers have found interesting, once more, with every build and sanitizer.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "fuzz/targets.h"
#include "places.h"

namespace ridgerunner::fuzz {
namespace {

int run_corpus(const char* name, void (*target)(std::string_view)) {
  int inputs = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(RIDGERUNNER_CORPUS) / name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    SCOPED_TRACE(entry.path());
    target(bytes.str());
    ++inputs;
  }
  return inputs;
}

TEST(Corpus, Requests) {
  EXPECT_GT(run_corpus("requests", requests), 10);
}

TEST(Corpus, Http) {
  EXPECT_GT(run_corpus("http", http), 10);
}

TEST(Corpus, Events) {
  EXPECT_GT(run_corpus("events", events), 10);
}

TEST(Corpus, Snapshots) {
  EXPECT_GT(run_corpus("snapshots", snapshots), 10);
}

TEST(Corpus, Specs) {
  EXPECT_GT(run_corpus("specs", specs), 10);
}

}  // namespace
}  // namespace ridgerunner::fuzz
