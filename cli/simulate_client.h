#pragma once

#include <stdexcept>
#include <string>

#include <ridgerunner/codec/fields.h>

namespace ridgerunner::cli {

// The server could not be reached, or did not answer in HTTP.
class ConnectionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Asks an HTTP server for JSON, over one connection that is made again when it is lost.
class JsonClient {
 public:
  // `url` is http://ADDRESS:PORT; throws InvalidArgument for others. `token` may be empty.
  JsonClient(const std::string& url, std::string token);
  ~JsonClient();
  JsonClient(const JsonClient&) = delete;
  JsonClient& operator=(const JsonClient&) = delete;

  struct Answer {
    int status = 0;
    Json body;
  };
  Answer get(const std::string& path) { return ask("GET", path, ""); }
  Answer post(const std::string& path, const Json& body) { return ask("POST", path, body.dump()); }

 private:
  Answer ask(const std::string& method, const std::string& path, const std::string& body);
  void connect();
  void disconnect();
  void send(const std::string& text);
  std::string receive_until(const std::string& end);
  std::string receive(std::size_t size);
  bool more();

  std::string host_, port_, token_;
  int socket_ = -1;
  std::string unread_;
};

}  // namespace ridgerunner::cli
