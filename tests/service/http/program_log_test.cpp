#include "ridgerunner/service/http/program_log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/service/http/metrics.h"

namespace ridgerunner::service::program_log_test {
namespace {

TEST(ProgramLog, LinesAreTextOrJson) {
  const Json fields = {{"status", 503}, {"path", "/a b"}};
  EXPECT_EQ(log_line(LogFormat::text, 0, LogLevel::warn, "request", fields),
            R"(1970-01-01T00:00:00.000Z warn request status=503 path="/a b")");
  EXPECT_EQ(
      log_line(LogFormat::json, 0, LogLevel::info, "ready", fields),
      R"({"time":"1970-01-01T00:00:00.000Z","level":"info","message":"ready","status":503,"path":"/a b"})");
}

TEST(ProgramLog, ALineIsALineWhateverItHolds) {
  const std::string line =
      log_line(LogFormat::text, 0, LogLevel::warn, "request", {{"path", "/\r\n2026 error forged \xFF"}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find('\r'), std::string::npos);
}

TEST(Metrics, CountRequestsAndCommits) {
  Metrics metrics;
  metrics.answered(Call::decide, 200, 0.0015);
  metrics.answered(Call::decide, 200, 0.0015);
  metrics.answered(Call::reward, 409, 0.0001);
  metrics.committed(0.0003, 7);
  metrics.connections(3);
  metrics.connections(-1);
  const std::string text = metrics.text(nullptr);
  for (const char* line : {"ridgerunner_requests_total{call=\"decide\",status=\"200\"} 2\n",
                           "ridgerunner_requests_total{call=\"reward\",status=\"409\"} 1\n",
                           "ridgerunner_request_seconds_bucket{call=\"decide\",le=\"0.001\"} 0\n",
                           "ridgerunner_request_seconds_bucket{call=\"decide\",le=\"0.002\"} 2\n",
                           "ridgerunner_commit_seconds_count 1\n", "ridgerunner_commit_events_sum 7\n",
                           "ridgerunner_connections 2\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

}  // namespace
}  // namespace ridgerunner::service::program_log_test
