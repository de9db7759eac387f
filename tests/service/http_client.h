#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "ridgerunner/codec/fields.h"

namespace ridgerunner::service {

struct HttpAnswer {
  int status = 0;
  std::string head, body;
  Json json() const { return parse_json(body); }
  std::string code() const { return json().at("error").at("code"); }
};

// A connection that writes what it is told to and reads one answer at a time; gives up after ten seconds.
class HttpClient {
 public:
  explicit HttpClient(const std::string& address) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
      throw std::runtime_error("cannot connect to " + address);
  }
  ~HttpClient() {
    if (socket_ >= 0) close(socket_);
  }
  HttpClient(HttpClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), unread_(std::move(other.unread_)) {}
  HttpClient& operator=(HttpClient&&) = delete;

  void send(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t count = ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (count <= 0) return;  // the server has closed; reading shows what it said
      done += static_cast<std::size_t>(count);
    }
  }

  HttpAnswer ask(const std::string& method, const std::string& target, const std::string& body = "",
                 const std::string& headers = "") {
    const std::string length = body.empty() ? "" : fmt::format("Content-Length: {}\r\n", body.size());
    send(fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}{}\r\n{}", method, target, headers, length,
                     body));
    return read(method == "HEAD");
  }
  HttpAnswer get(const std::string& target) { return ask("GET", target); }
  HttpAnswer post(const std::string& target, const std::string& body) { return ask("POST", target, body); }

  // Status 0 if the connection ended before an answer.
  HttpAnswer read(bool head_only = false) {
    HttpAnswer answer;
    std::size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return answer;
    }
    answer.head = take(end + 4);
    answer.status = std::stoi(answer.head.substr(9, 3));
    if (answer.status == 100) return answer;
    if (answer.head.find("Transfer-Encoding: chunked") != std::string::npos) {
      while (chunk(answer.body)) {
      }
    } else if (const auto at = answer.head.find("Content-Length: "); at != std::string::npos && !head_only) {
      answer.body = take(std::stoul(answer.head.substr(at + 16)));
    }
    return answer;
  }

  // One chunk of an answer whose head was read; false at the last.
  bool chunk(std::string& into) {
    while (unread_.find("\r\n") == std::string::npos) {
      if (!more()) return false;
    }
    const std::size_t size = std::stoul(unread_, nullptr, 16);
    take(unread_.find("\r\n") + 2);
    into += take(size);
    take(2);
    return size > 0;
  }

  std::string head() {
    while (unread_.find("\r\n\r\n") == std::string::npos) {
      if (!more()) return "";
    }
    return take(unread_.find("\r\n\r\n") + 4);
  }

  bool ended() {  // by the server, without another byte
    return unread_.empty() && !more();
  }

 private:
  bool more() {
    char buffer[65536];
    const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    unread_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t count) {
    while (unread_.size() < count && more()) {
    }
    std::string text = unread_.substr(0, count);
    unread_.erase(0, count);
    return text;
  }

  int socket_ = -1;
  std::string unread_;
};

}  // namespace ridgerunner::service
