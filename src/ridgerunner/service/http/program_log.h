#pragma once

#include <memory>
#include <string>

#include "ridgerunner/codec/fields.h"

namespace ridgerunner::service {

enum class LogLevel { debug, info, warn, error };
enum class LogFormat { text, json };

// Structured lines on standard error: when, how bad, what, and named values.
class Log {
 public:
  Log(LogLevel least, LogFormat format);
  ~Log();

  bool enabled(LogLevel level) const { return level >= least_; }
  void write(LogLevel level, const std::string& message, const Json& fields = Json::object());

 private:
  struct Sink;
  LogLevel least_;
  LogFormat format_;
  std::unique_ptr<Sink> sink_;
};

// {"time":...,"level":"warn","message":...,"status":503} or `TIME warn MESSAGE status=503`.
std::string log_line(LogFormat format, std::int64_t time, LogLevel level, const std::string& message,
                     const Json& fields);

}  // namespace ridgerunner::service
