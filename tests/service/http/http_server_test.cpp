#include "ridgerunner/service/http/http_server.h"

#include <future>
#include <thread>

#include "ridgerunner/error.h"
#include "ridgerunner/service/http/pages.h"
#include "service/http_fixture.h"

namespace ridgerunner::service {
namespace {

using HttpServerTest = HttpTest;

class ImpatientServerTest : public HttpTest {
 protected:
  void SetUp() override {
    options_.request_seconds = 0.3;
    options_.idle_seconds = 0.3;
    options_.write_seconds = 0.3;
    options_.body_bytes = 10'000;
    options_.header_bytes = 4000;
    options_.connections = 4;
    options_.streams = 1;
    start();
  }
};

TEST_F(HttpServerTest, AConnectionServesManyRequests) {
  create("shop");
  HttpClient client = HttpTest::client();
  for (int i = 0; i < 5; ++i) {
    const HttpAnswer decided = client.post("/v1/experiments/shop/decide", kActions);
    ASSERT_EQ(decided.status, 200) << decided.body;
    const std::string event_id = decided.json().at("event_id");
    const HttpAnswer rewarded =
        client.post("/v1/experiments/shop/reward", R"({"event_id":")" + event_id + R"(","reward":0.5})");
    EXPECT_EQ(rewarded.json(), parse_json(R"({"event_id":")" + event_id + R"(","status":"accepted"})"));
  }
  const Json shown = client.get("/v1/experiments/shop").json();
  EXPECT_EQ(shown.at("counts").at("decisions"), 5);
  EXPECT_EQ(shown.at("counts").at("rewards"), 5);
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  HttpClient client = HttpTest::client();
  std::string all;
  for (int i = 0; i < 20; ++i)
    all += fmt::format("GET /v1/experiments/e{} HTTP/1.1\r\nHost: localhost\r\n\r\n", i);
  client.send(all);
  for (int i = 0; i < 20; ++i) {
    const HttpAnswer answer = client.read();
    EXPECT_EQ(answer.status, 404);
    EXPECT_NE(answer.body.find(fmt::format("e{}", i)), std::string::npos) << answer.body;
  }
}

TEST_F(HttpServerTest, BodiesMayComeInChunksAndBytes) {
  create("shop");
  HttpClient client = HttpTest::client();
  client.send(
      "POST /v1/experiments/shop/decide HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const char c : kActions) client.send(fmt::format("1\r\n{}\r\n", c));
  client.send("0\r\n\r\n");
  EXPECT_EQ(client.read().status, 200);
  for (const char c : std::string("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    client.send(std::string(1, c));
  EXPECT_EQ(client.read().body, R"({"status":"ok"})");
}

TEST_F(HttpServerTest, AClientThatExpectsToBeToldToContinueIs) {
  create("shop");
  HttpClient client = HttpTest::client();
  client.send(
      fmt::format("POST /v1/experiments/shop/decide HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                  "Content-Length: {}\r\n\r\n",
                  kActions.size()));
  EXPECT_EQ(client.read().status, 100);
  client.send(kActions);
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(HttpServerTest, HeadsHaveTheLengthButNotTheBody) {
  HttpClient client = HttpTest::client();
  const HttpAnswer answer = client.ask("HEAD", "/healthz");
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.head.find("Content-Length: 15\r\n"), std::string::npos);
  EXPECT_EQ(client.get("/readyz").body, R"({"status":"ready"})") << "nothing was left in between";
}

TEST_F(HttpServerTest, RefusalsSayWhatWouldDo) {
  HttpClient client = HttpTest::client();
  const HttpAnswer method = client.ask("DELETE", "/v1/experiments");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.code(), "method_not_allowed");
  EXPECT_NE(method.head.find("Allow: POST, GET, HEAD\r\n"), std::string::npos);
  EXPECT_EQ(client.get("/v1/nothing").code(), "not_found");
  EXPECT_EQ(client.post("/v1/experiments/nobody/decide", kActions).code(), "not_found");
  EXPECT_EQ(client.post("/v1/experiments", "{").json().at("error").at("code"), "bad_request");
  EXPECT_EQ(client.get("/healthz").status, 200) << "the connection goes on";
}

TEST_F(HttpServerTest, WhatIsNoHttpIsRefused) {
  for (const char* text :
       {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"}) {
    HttpClient client = HttpTest::client();
    client.send(text);
    const HttpAnswer answer = client.read();
    EXPECT_EQ(answer.status, 400) << text;
    EXPECT_TRUE(client.ended());
  }
}

TEST_F(HttpServerTest, CheckingDecidesNothing) {
  create("shop");
  HttpClient client = HttpTest::client();
  EXPECT_EQ(client.post("/v1/experiments/shop/decide?check=true", kActions).body,
            R"({"valid":true,"candidates":3,"dimension":1})");
  EXPECT_EQ(client.post("/v1/experiments/shop/decide?check=maybe", kActions).status, 400);
  EXPECT_EQ(client.get("/v1/experiments/shop").json().at("counts").at("decisions"), 0);
}

TEST_F(HttpServerTest, TheLogIsStreamedToItsEnd) {
  create("shop");
  HttpClient client = HttpTest::client();
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += fmt::format("{{\"state\":[{}],\"reward\":1}}\n", i / 300.0);
  ASSERT_EQ(client.post("/v1/experiments/shop/import", lines).body, R"({"imported":300})");
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.post("/v1/experiments/shop/decide", kActions).status, 200);
  const HttpAnswer log = client.get("/v1/experiments/shop/log");
  EXPECT_NE(log.head.find("application/x-ndjson"), std::string::npos);
  EXPECT_EQ(std::count(log.body.begin(), log.body.end(), '\n'), 203);
  EXPECT_NE(log.body.find(R"({"type":"end","seq":202,"events":202,"model":")"), std::string::npos);
  const HttpAnswer tail = client.get("/v1/experiments/shop/log?from=202");
  EXPECT_EQ(std::count(tail.body.begin(), tail.body.end(), '\n'), 2);
  EXPECT_EQ(client.get("/v1/experiments/shop/log?from=x").status, 400);
  EXPECT_EQ(client.get("/v1/experiments/nobody/log").status, 404);
}

TEST_F(HttpServerTest, LiveStreamsTellTheStateAndItsChanges) {
  create("shop");
  HttpClient viewer = HttpTest::client(), client = HttpTest::client();
  viewer.send("GET /v1/experiments/shop/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(viewer.head().find("text/event-stream"), std::string::npos);
  std::string first, second;
  ASSERT_TRUE(viewer.chunk(first));
  EXPECT_TRUE(first.starts_with("event: state\ndata: {\"name\":\"shop\"")) << first;
  EXPECT_TRUE(first.ends_with("}\n\n"));
  ASSERT_EQ(client.post("/v1/experiments/shop/decide", kActions).status, 200);
  while (second.find(R"("decisions":1,)") == std::string::npos) ASSERT_TRUE(viewer.chunk(second));
  EXPECT_EQ(client.get("/v1/experiments/nobody/live").status, 404);
}

TEST_F(HttpServerTest, ThePageComesWithATagAndAPolicy) {
  HttpClient client = HttpTest::client();
  const HttpAnswer page = client.get("/");
  EXPECT_EQ(page.body, find_asset("/")->content);
  EXPECT_NE(page.head.find("Content-Security-Policy: default-src 'self'"), std::string::npos);
  EXPECT_NE(page.head.find("X-Content-Type-Options: nosniff"), std::string::npos);
  const std::string tag = entity_tag(*find_asset("/"));
  const HttpAnswer again = client.ask("GET", "/", "", "If-None-Match: " + tag + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(client.get("/nothing.js").status, 404);
}

TEST_F(HttpServerTest, FiguresAreThere) {
  create("shop");
  HttpClient client = HttpTest::client();
  client.post("/v1/experiments/shop/decide", kActions);
  const std::string text = client.get("/metrics").body;
  for (const char* line :
       {"ridgerunner_requests_total{call=\"decide\",status=\"200\"} 1\n",
        "ridgerunner_decisions_total{experiment=\"shop\"} 1\n",
        "ridgerunner_pending{experiment=\"shop\"} 1\n", "ridgerunner_read_only 0\n",
        "ridgerunner_experiments 1\n", "ridgerunner_request_seconds_count{call=\"decide\"} 1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST_F(HttpServerTest, AFailingLogIsNeverAcknowledged) {
  create("shop");
  HttpClient client = HttpTest::client();
  contents_->failing = true;
  EXPECT_EQ(client.post("/v1/experiments/shop/decide", kActions).code(), "read_only");
  EXPECT_EQ(client.post("/v1/experiments/shop/decide", kActions).status, 503);
  const HttpAnswer ready = client.get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.json().at("status"), "read_only");
  EXPECT_EQ(client.get("/v1/experiments/shop").status, 200) << "reading goes on";
}

TEST(HttpServer, AnswersProbesWhileTheServiceStarts) {
  HttpOptions options;
  options.listen = "127.0.0.1:0";
  const Gate gate;
  Metrics metrics;
  Log log(LogLevel::error, LogFormat::text);
  HttpServer server(options, gate, metrics, log);
  HttpClient client(server.address());
  EXPECT_EQ(client.get("/healthz").status, 200);
  EXPECT_EQ(client.get("/readyz").json().at("status"), "starting");
  EXPECT_EQ(client.get("/v1/experiments").code(), "starting");
  EXPECT_NE(client.get("/metrics").body.find("ridgerunner_build_info"), std::string::npos);
}

TEST(HttpServer, SaysWhyItCannotListen) {
  HttpOptions options;
  options.listen = "127.0.0.1:0";
  const Gate gate;
  Metrics metrics;
  Log log(LogLevel::error, LogFormat::text);
  const HttpServer server(options, gate, metrics, log);
  options.listen = server.address();
  EXPECT_THROW(HttpServer(options, gate, metrics, log), ListenError);
}

TEST(ListenAddress, IsAnAddressAndAPort) {
  EXPECT_EQ(listen_address("127.0.0.1:8080").port, 8080);
  EXPECT_TRUE(listen_address("localhost:0").loopback);
  EXPECT_TRUE(listen_address("[::1]:80").loopback);
  EXPECT_FALSE(listen_address("0.0.0.0:80").loopback);
  EXPECT_FALSE(listen_address("[::]:80").loopback);
  for (const char* wrong :
       {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "name:80", ":80"})
    EXPECT_THROW(listen_address(wrong), InvalidArgument) << wrong;
}

TEST_F(ImpatientServerTest, SlowRequestsAreGivenUp) {
  HttpClient client = HttpTest::client();
  client.send("POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_EQ(client.read().code(), "timeout");
  EXPECT_TRUE(client.ended());
}

TEST_F(ImpatientServerTest, IdleConnectionsAreClosedQuietly) {
  HttpClient client = HttpTest::client();
  EXPECT_EQ(client.get("/healthz").status, 200);
  EXPECT_TRUE(client.ended());
}

TEST_F(ImpatientServerTest, SizesHaveLimits) {
  HttpClient client = HttpTest::client();
  client.send("POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
  const HttpAnswer large = client.read();
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(large.code(), "too_large");
  HttpClient other = HttpTest::client();
  EXPECT_EQ(other.ask("GET", "/healthz", "", "X-Long: " + std::string(5000, 'x') + "\r\n").status, 431);
  HttpClient trickle = HttpTest::client();
  trickle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
  for (int i = 0; i < 100; ++i) trickle.send(fmt::format("X-{}: {}\r\n", i, std::string(50, 'x')));
  EXPECT_EQ(trickle.read().status, 431);
}

TEST_F(ImpatientServerTest, TooManyConnectionsAreTurnedAway) {
  std::vector<HttpClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(client());
    EXPECT_EQ(clients.back().get("/healthz").status, 200);
  }
  HttpClient fifth = client();
  const HttpAnswer answer = fifth.read();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.code(), "too_many");
}

TEST_F(ImpatientServerTest, TooManyStreamsAreTurnedAway) {
  create("shop");
  HttpClient viewer = client(), second = client();
  viewer.send("GET /v1/experiments/shop/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string text;
  viewer.head();
  ASSERT_TRUE(viewer.chunk(text));
  EXPECT_EQ(second.get("/v1/experiments/shop/live").code(), "too_many");
}

TEST_F(HttpServerTest, DrainingWaitsForNobodyWhoIsIdle) {
  create("shop");
  HttpClient idle = client(), used = client(), viewer = client();
  EXPECT_EQ(used.get("/healthz").status, 200);
  viewer.send("GET /v1/experiments/shop/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  viewer.head();
  std::string text;
  ASSERT_TRUE(viewer.chunk(text));
  std::future<void> drained = std::async(std::launch::async, [&] { server_->drain(); });
  EXPECT_EQ(drained.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  EXPECT_TRUE(idle.ended());
  EXPECT_TRUE(used.ended());
  while (viewer.chunk(text)) {
  }
  EXPECT_TRUE(viewer.ended());
  EXPECT_THROW(client(), std::runtime_error);
}

}  // namespace
}  // namespace ridgerunner::service
