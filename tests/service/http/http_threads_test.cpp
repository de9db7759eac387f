#include <atomic>
#include <thread>

#include "service/http_fixture.h"

namespace ridgerunner::service::http_threads_test {
namespace {

using HttpThreadsTest = HttpTest;

constexpr int kRounds = 60;

TEST_F(HttpThreadsTest, ManyClientsDecideRewardAndWatchWhileTheModelLearns) {
  for (const char* name : {"a", "b"}) create(name);
  std::atomic<int> decided = 0, rewarded = 0, watched = 0;
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&, path = std::string("/v1/experiments/") + (worker % 2 ? "a" : "b")] {
      HttpClient client = HttpTest::client();
      for (int round = 0; round < kRounds; ++round) {
        const HttpAnswer answer = client.post(path + "/decide", kActions);
        if (answer.status != 200) continue;
        ++decided;
        const std::string event_id = answer.json().at("event_id");
        const HttpAnswer taken =
            client.post(path + "/reward", R"({"event_id":")" + event_id + R"(","reward":0.25})");
        rewarded += taken.status == 200;
      }
    });
  }
  threads.emplace_back([&] {
    HttpClient client = HttpTest::client();
    for (int round = 0; round < kRounds / 3; ++round) {
      for (const char* target :
           {"/v1/experiments", "/v1/experiments/a", "/v1/experiments/b/history",
            "/v1/experiments/a/decisions", "/v1/experiments/a/log", "/metrics", "/readyz"})
        watched += client.get(target).status == 200;
      client.post("/v1/experiments/b/predict", R"({"states":[[0.1],[0.2]]})");
    }
  });
  threads.emplace_back([&] {
    HttpClient watching = viewer("a");
    std::string text;
    for (int i = 0; i < 2; ++i) watched += watching.read_piece(text);
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(decided, 4 * kRounds);
  EXPECT_EQ(rewarded, 4 * kRounds);
  EXPECT_EQ(watched, 7 * (kRounds / 3) + 2);
  HttpClient client = HttpTest::client();
  EXPECT_EQ(client.post("/v1/experiments/a/close", "").json().at("state"), "closed");
  EXPECT_EQ(client.post("/v1/experiments/a/decide", kActions).code(), "closed");
}

TEST_F(HttpThreadsTest, StoppingUnderLoadLosesNothingThatWasAcknowledged) {
  create("a");
  std::atomic<std::uint64_t> acknowledged = 0;
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&] {
      HttpClient client = HttpTest::client();
      try {
        while (client.post("/v1/experiments/a/decide", kActions).status == 200) ++acknowledged;
      } catch (const ConnectionError&) {
      }
    });
  }
  while (acknowledged < 50) std::this_thread::yield();
  server_->drain();
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(service_->experiment("a").counts.decisions, acknowledged);
  EXPECT_GE(contents_->records.size(), acknowledged);
}

}  // namespace
}  // namespace ridgerunner::service::http_threads_test
