#include "ridgerunner/service/http/http_server.h"

#include <future>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/service/http/pages.h"
#include "service/http_fixture.h"

namespace ridgerunner::service::http_server_test {
namespace {

using HttpServerTest = HttpTest;

class ImpatientServerTest : public HttpTest {
 protected:
  void SetUp() override {
    options_.request_seconds = 0.3;
    options_.idle_seconds = 1;
    start();
  }
};

class SmallServerTest : public HttpTest {
 protected:
  void SetUp() override {
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
  HttpClient viewer = HttpTest::viewer("shop"), client = HttpTest::client();
  ASSERT_EQ(client.post("/v1/experiments/shop/decide", kActions).status, 200);
  std::string second;
  while (second.find(R"("decisions":1,)") == std::string::npos) ASSERT_TRUE(viewer.read_piece(second));
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

TEST_F(HttpServerTest, AnUnknownTransferEncodingHidesNoSecondRequest) {
  create("shop");
  HttpClient client = HttpTest::client();
  client.send(
      "POST /v1/experiments/shop/close HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n"
      "GET /v1/experiments HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpAnswer answer = client.read();
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.code(), "bad_request");
  EXPECT_FALSE(answer.keep_alive);
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(HttpTest::client().get("/v1/experiments/shop").json().at("state"), "open");
}

TEST_F(HttpServerTest, HeadsOfStreamsAreThoseOfTheirStreams) {
  create("shop");
  HttpClient client = HttpTest::client();
  for (const char* stream : {"log", "live"}) {
    EXPECT_EQ(client.ask("HEAD", std::string("/v1/experiments/nobody/") + stream).status, 404) << stream;
    const HttpAnswer answer = client.ask("HEAD", std::string("/v1/experiments/shop/") + stream);
    EXPECT_EQ(answer.status, 200) << stream;
    EXPECT_EQ(answer.body, "");
  }
  EXPECT_EQ(client.get("/healthz").status, 200) << "nothing was left in between";
}

TEST_F(HttpServerTest, StatesOfPredictionsHaveTheSameLimitAsThoseOfDecisions) {
  create("shop");
  std::string wide = "[0";
  for (std::int64_t i = 0; i < options_.limits.dimension; ++i) wide += ",0";
  HttpClient client = HttpTest::client();
  EXPECT_EQ(client.post("/v1/experiments/shop/predict", R"({"states":[)" + wide + "]]}").code(), "too_large");
  EXPECT_EQ(client.post("/v1/experiments/shop/decide", R"({"actions":[)" + wide + "]]}").code(), "too_large");
}

TEST_F(HttpServerTest, AByteOrderMarkIsSkippedByEveryCall) {
  HttpClient client = HttpTest::client();
  const std::string mark = "\xEF\xBB\xBF";
  const auto post = [&](const char* target, const std::string& body) {
    return client.post(target, mark + body).status;
  };
  EXPECT_EQ(post("/v1/experiments", R"({"name":"shop","spec":{"policy":"k-ucb"}})"), 201);
  EXPECT_EQ(post("/v1/experiments/shop/decide", R"({"event_id":"a","actions":[[0.1],[0.2]]})"), 200);
  EXPECT_EQ(post("/v1/experiments/shop/activate", R"({"event_id":"a"})"), 200);
  EXPECT_EQ(post("/v1/experiments/shop/reward", R"({"event_id":"a","reward":1})"), 200);
  EXPECT_EQ(post("/v1/experiments/shop/predict", R"({"states":[[0.1]]})"), 200);
  EXPECT_EQ(post("/v1/experiments/shop/import", R"({"state":[0.1],"reward":1})"), 200);
  EXPECT_EQ(post("/v1/experiments/shop/configure", R"({"reward_deadline_seconds":5})"), 200);
  EXPECT_EQ(post("/v1/experiments/shop/decide", mark + kActions), 400) << "one, not two";
}

TEST_F(HttpServerTest, AClientTriesEveryAddressOfAName) {
  // localhost is ::1 first on most machines, and the server listens on 127.0.0.1 only.
  const std::string port = server_->address().substr(server_->address().rfind(':'));
  EXPECT_EQ(HttpClient("localhost" + port).get("/healthz").status, 200);
}

TEST_F(HttpServerTest, AStreamEndsWhenItsTokenIsTakenAway) {
  create("shop");
  const NewToken reader = make_token("reader", "read"), other = make_token("other", "read");
  access_.set_tokens(Tokens::parse(reader.line + "\n" + other.line));
  HttpClient leaving = viewer("shop", "Authorization: Bearer " + reader.token + "\r\n");
  HttpClient staying = viewer("shop", "Authorization: Bearer " + other.token + "\r\n");
  access_.set_tokens(Tokens::parse(other.line));
  std::string text;
  while (leaving.read_piece(text)) {  // throws if it went on for ten seconds without a word
  }
  service_->decide("shop", "a", {{}, Matrix::Zero(1, 2), {}, {}, false});
  text.clear();
  while (text.find(R"("decisions":1,)") == std::string::npos) ASSERT_TRUE(staying.read_piece(text));
}

class SmallQuotaTest : public HttpTest {
 protected:
  void SetUp() override {
    options_.in_flight_bytes = 500'000;
    options_.decision_bytes = 20 << 20;
    options_.exports = 2;
    start();
  }

  // Asks again while it is told that there are too many.
  int status_of(const std::string& target, const std::string& body) {
    HttpAnswer answer;
    for (int i = 0; i < 1000; ++i) {
      HttpClient fresh = client();
      answer = fresh.post(target, body);
      if (answer.status != 429) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return answer.status;
  }
};

TEST_F(SmallQuotaTest, UploadsThatAreBrokenOffGiveTheirQuotaBack) {
  create("shop");
  for (int i = 0; i < 10; ++i) {
    HttpClient vanishing = client();
    vanishing.send(
        "POST /v1/experiments/shop/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n{");
  }
  const std::string long_body = R"({"actions":[[0.1],[0.2]])" + std::string(160'000, ' ') + "}";
  EXPECT_EQ(status_of("/v1/experiments/shop/decide", long_body), 200);
}

TEST_F(SmallQuotaTest, DecisionsThatTakeMuchMemoryAreCounted) {
  ASSERT_EQ(client().post("/v1/experiments", R"({"name":"ts","spec":{"policy":"kernel-ts"}})").status, 201);
  const auto offer = [&](int count) {
    std::string body = R"({"actions":[[0])";
    for (int i = 1; i < count; ++i) body += fmt::format(",[{}]", static_cast<double>(i) / count);
    return client().post("/v1/experiments/ts/decide", body + "]}");
  };
  EXPECT_EQ(offer(500).status, 200);
  const HttpAnswer large = offer(4000);
  EXPECT_EQ(large.code(), "too_large");
  EXPECT_NE(large.body.find("at most 20 MiB"), std::string::npos) << large.body;
  EXPECT_EQ(offer(500).status, 200);
  create("ucb");
  std::string body = R"({"actions":[[0])";
  for (int i = 1; i < 4000; ++i) body += fmt::format(",[{}]", i);
  EXPECT_EQ(client().post("/v1/experiments/ucb/decide", body + "]}").status, 200) << "no joint draw";
}

TEST_F(SmallQuotaTest, ExportsThatEndMakeRoomForOthers) {
  create("shop");
  for (int i = 0; i < 10; ++i) {
    HttpAnswer log = client().get("/v1/experiments/shop/log");
    for (int again = 0; again < 1000 && log.status == 429; ++again) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // its thread is about to end
      log = client().get("/v1/experiments/shop/log");
    }
    ASSERT_EQ(log.status, 200) << log.body;
  }
}

TEST(HttpServer, AnswersProbesWhileTheServiceStarts) {
  HttpOptions options;
  options.listen = "127.0.0.1:0";
  const AccessControl access;
  Metrics metrics;
  ProgramLog log(LogLevel::error, LogFormat::text);
  HttpServer server(options, access, metrics, log);
  HttpClient client(server.address());
  EXPECT_EQ(client.get("/healthz").status, 200);
  EXPECT_EQ(client.get("/readyz").json().at("status"), "starting");
  EXPECT_EQ(client.get("/v1/experiments").code(), "starting");
  EXPECT_NE(client.get("/metrics").body.find("ridgerunner_build_info"), std::string::npos);
}

TEST(HttpServer, SaysWhyItCannotListen) {
  HttpOptions options;
  options.listen = "127.0.0.1:0";
  const AccessControl access;
  Metrics metrics;
  ProgramLog log(LogLevel::error, LogFormat::text);
  const HttpServer server(options, access, metrics, log);
  options.listen = server.address();
  EXPECT_THROW(HttpServer(options, access, metrics, log), ListenError);
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

TEST_F(SmallServerTest, SizesHaveLimits) {
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

TEST_F(SmallServerTest, TooManyConnectionsAreTurnedAway) {
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

TEST_F(SmallServerTest, TooManyStreamsAreTurnedAway) {
  create("shop");
  HttpClient first = viewer("shop"), second = client();
  EXPECT_EQ(second.get("/v1/experiments/shop/live").code(), "too_many");
}

class PatientServerTest : public HttpTest {
 protected:
  void SetUp() override {
    options_.drain_seconds = 300;
    start();
  }
};

TEST_F(PatientServerTest, DrainingWaitsForNobodyWhoIsIdle) {
  create("shop");
  HttpClient idle = client(), used = client(), watching = viewer("shop");
  EXPECT_EQ(used.get("/healthz").status, 200);
  std::future<void> drained = std::async(std::launch::async, [&] { server_->drain(); });
  ASSERT_EQ(drained.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_TRUE(idle.ended());
  EXPECT_TRUE(used.ended());
  std::string text;
  while (watching.read_piece(text)) {
  }
  EXPECT_TRUE(watching.ended());
  EXPECT_THROW(client(), ConnectionError);
}

}  // namespace
}  // namespace ridgerunner::service::http_server_test
