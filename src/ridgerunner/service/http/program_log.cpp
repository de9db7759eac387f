#include "ridgerunner/service/http/program_log.h"

#include <chrono>

#include <nlohmann/json.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "ridgerunner/service/log/json_text.h"

namespace ridgerunner::service {
namespace {

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warn";
    case LogLevel::error:
      return "error";
  }
  return "unknown";
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::off;
}

}  // namespace

std::string log_line(LogFormat format, std::int64_t time, LogLevel level, const std::string& message,
                     const Json& fields) {
  const auto text_of = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  if (format == LogFormat::json) {
    Json line = {{"time", time_text(time)}, {"level", level_name(level)}, {"message", message}};
    line.update(fields);
    return text_of(line);
  }
  std::string line = time_text(time) + ' ' + level_name(level) + ' ' + message;
  for (const auto& [name, value] : fields.items()) line += ' ' + name + '=' + text_of(value);
  return line;
}

struct ProgramLog::Sink {
  spdlog::logger logger{"ridgerunner", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

ProgramLog::ProgramLog(LogLevel least, LogFormat format)
    : least_(least), format_(format), sink_(std::make_unique<Sink>()) {
  sink_->logger.set_pattern("%v");
  sink_->logger.set_level(spdlog_level(least));
  sink_->logger.flush_on(spdlog::level::info);
}
ProgramLog::~ProgramLog() = default;

void ProgramLog::write(LogLevel level, const std::string& message, const Json& fields) {
  if (!enabled(level)) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  sink_->logger.log(spdlog_level(level),
                    log_line(format_, std::chrono::duration_cast<std::chrono::milliseconds>(now).count(),
                             level, message, fields));
}

}  // namespace ridgerunner::service
