#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "ridgerunner/codec/json.h"

namespace ridgerunner::service {

// The server could not be reached, did not answer in time, or not in HTTP.
class ConnectionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HttpAnswer {
  int status = 0;
  std::string head, body;
  bool keep_alive = true;
  Json json() const { return parse_json(body); }
  std::string code() const { return json().at("error").at("code"); }  // of a refusal
};

// One kept connection to an HTTP server, for simulated visitors, tests and load. Waits at most ten seconds.
class HttpClient {
 public:
  // Tries every address of the name. `authority` is HOST:PORT, [::1]:80 too.
  explicit HttpClient(const std::string& authority);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // `headers` are further lines, each with its end.
  HttpAnswer ask(std::string_view method, std::string_view target, std::string_view body = {},
                 std::string_view headers = {});
  HttpAnswer get(std::string_view target) { return ask("GET", target); }
  HttpAnswer post(std::string_view target, std::string_view body) { return ask("POST", target, body); }

  // The parts of ask(). A connection that ended before the answer was complete throws ConnectionError.
  void send(std::string_view text);
  HttpAnswer read(bool head_only = false);

  // A long answer as it comes: its head, then pieces of its body; false at its end.
  HttpAnswer read_head();
  bool read_piece(std::string& into);

  // Takes what has arrived without waiting; true once an answer is complete, which take() returns.
  bool receive();
  HttpAnswer take();
  int descriptor() const;  // to wait for, readable

  // Has the server closed the connection, without another byte? Waits for it.
  bool ended();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace ridgerunner::service
