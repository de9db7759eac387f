#pragma once

#include <gtest/gtest.h>

#include "ridgerunner/service/http/client.h"
#include "ridgerunner/service/http/http_server.h"
#include "service/memory_log.h"

namespace ridgerunner::service {

// A server on a service on a log in memory, on a port of its own.
class HttpTest : public testing::Test {
 protected:
  void SetUp() override { start(); }
  void TearDown() override { stop(); }

  void start() {
    options_.listen = "127.0.0.1:0";
    server_ = std::make_unique<HttpServer>(options_, access_, metrics_, log_);
    service_ = std::make_unique<Service>(std::make_unique<MemoryLog>(contents_), Options{});
    server_->serve(*service_);
  }
  void stop() {
    if (server_) server_->drain();
    if (service_) service_->finish();
    server_.reset();
    service_.reset();
  }
  HttpClient client() const { return HttpClient(server_->address()); }

  void create(const std::string& name, const std::string& more = "") {
    const std::string body =
        R"({"name":")" + name + R"(","spec":{"policy":"k-ucb","kernel":{"lengthscale":0.5}})" + more + "}";
    ASSERT_EQ(client().post("/v1/experiments", body).status, 201);
  }

  // Somebody who watches an experiment, after the first state.
  HttpClient viewer(const std::string& name, const std::string& headers = "") {
    HttpClient viewer = client();
    viewer.send("GET /v1/experiments/" + name + "/live HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    EXPECT_EQ(viewer.read_head().status, 200);
    std::string first;
    EXPECT_TRUE(viewer.read_piece(first));
    EXPECT_TRUE(first.starts_with("event: state\ndata: {\"name\":\"" + name + "\"")) << first;
    EXPECT_TRUE(first.ends_with("}\n\n")) << first;
    return viewer;
  }

  HttpOptions options_;
  AccessControl access_;
  Metrics metrics_;
  ProgramLog log_{LogLevel::error, LogFormat::text};
  std::shared_ptr<MemoryContents> contents_ = std::make_shared<MemoryContents>();
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<Service> service_;
};

inline const std::string kActions = R"({"actions":[[0.1],[0.5],[0.9]]})";

}  // namespace ridgerunner::service
