#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "ridgerunner/codec/fields.h"

namespace ridgerunner::service {

enum class LogLevel { debug, info, warn, error };
enum class LogFormat { text, json };

// What the program says about itself, as lines on standard error: time, level, message, named values. (The
// log of the experiments' events is service/log.)
class ProgramLog {
 public:
  ProgramLog(LogLevel least, LogFormat format);
  ~ProgramLog();

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
