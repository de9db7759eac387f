#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "ridgerunner/service/experiment/service.h"
#include "ridgerunner/service/http/access_control.h"
#include "ridgerunner/service/http/metrics.h"
#include "ridgerunner/service/http/program_log.h"

namespace ridgerunner::service {

struct HttpOptions {
  std::string listen = "127.0.0.1:8080";  // address and port; port 0: any that is free
  int threads = 0;                        // 0: one for each core
  int workers = 2;                        // for what takes long
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 8 << 20;
  std::size_t import_bytes = 64 << 20;
  std::size_t in_flight_bytes = 512 << 20;  // of long bodies, over all connections
  std::size_t decision_bytes = 1 << 30;     // of decisions that take much memory, over all of them
  std::size_t connections = 10'000;
  std::size_t streams = 100;    // of server-sent events
  std::size_t exports = 8;      // at the same time
  double request_seconds = 10;  // in which a request must have arrived
  double idle_seconds = 75;     // without a request
  double write_seconds = 30;    // without any progress
  double drain_seconds = 10;    // for requests in flight
  double slow_seconds = 1;      // a request that takes longer is worth a line in the log
  Limits limits;
};

// The address cannot be listened on.
class ListenError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HttpCore;

// The service over HTTP/1.1. Listens from the start; until serve() every call is answered with 503
// (starting). The threads that read requests answer only what is quick, by the route's word (routes.h); for
// the rest there are workers. Access control, metrics, log and service outlive it.
class HttpServer {
 public:
  HttpServer(const HttpOptions& options, const AccessControl& access, Metrics& metrics, ProgramLog& log);
  ~HttpServer();  // drain()

  std::string address() const;  // "127.0.0.1:8080", with the port that was picked
  void serve(Service& service);

  // No more connections and requests; returns when those in flight have their answers, or time is up.
  // Idle connections and streams are closed at once.
  void drain();

 private:
  std::unique_ptr<HttpCore> core_;
};

// "127.0.0.1:8080", "[::1]:80", "localhost:80" in parts; the host as an IP address. Throws InvalidArgument.
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
  bool loopback = false;
};
ListenAddress listen_address(const std::string& text);

// Allows as many open files as the system lets us; returns how many.
std::uint64_t raise_file_limit();

}  // namespace ridgerunner::service
