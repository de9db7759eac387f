#pragma once

#include <atomic>

#include "ridgerunner/service/http/answer_times.h"
#include "ridgerunner/service/http/http_server.h"
#include "ridgerunner/service/http/quota.h"

namespace ridgerunner::service {

// What all requests of a server share, without sockets.
struct ServerContext {
  ServerContext(const HttpOptions& chosen, const AccessControl& control, Metrics& figures, ProgramLog& lines)
      : options(chosen),
        access(control),
        metrics(figures),
        log(lines),
        connections(chosen.connections),
        streams(chosen.streams),
        exports(chosen.exports),
        body_bytes(chosen.in_flight_bytes),
        decision_bytes(chosen.decision_bytes) {}

  const HttpOptions options;
  const AccessControl& access;
  Metrics& metrics;
  ProgramLog& log;
  std::atomic<Service*> service = nullptr;  // null until the log has been read
  std::atomic<bool> draining = false;
  Quota connections, streams, exports;
  Quota body_bytes;                  // of long bodies
  Quota decision_bytes;              // of decisions that need much memory
  Quota callbacks{~std::size_t{0}};  // that other threads will still make
  AnswerTimes answer_times;
};

}  // namespace ridgerunner::service
