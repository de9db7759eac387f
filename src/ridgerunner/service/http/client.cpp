#include "ridgerunner/service/http/client.h"

#include <cerrno>
#include <cstdint>
#include <optional>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace ridgerunner::service {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using tcp = net::ip::tcp;
using Error = boost::system::error_code;
using Parser = http::response_parser<http::string_body>;

constexpr std::size_t kRead = 64 << 10;

ConnectionError lost() {
  return ConnectionError("the connection was lost");
}

}  // namespace

struct HttpClient::Stream {
  net::io_context io;
  tcp::socket socket{io};
  std::string authority;
  boost::beast::flat_buffer input;
  std::optional<Parser> parser;  // of the answer that is being read
  std::string head;

  void connect() {
    const std::size_t colon = authority.rfind(':');
    std::string host = authority.substr(0, colon);
    const std::string port = colon == std::string::npos ? "80" : authority.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    Error error;
    const auto addresses = tcp::resolver(io).resolve(host, port, error);
    if (error) throw ConnectionError(fmt::format("cannot find {}: {}", authority, error.message()));
    net::connect(socket, addresses, error);
    if (error) throw ConnectionError(fmt::format("cannot connect to {}: {}", authority, error.message()));
    socket.set_option(tcp::no_delay(true), error);
    const timeval patience{10, 0};
    setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }

  // More bytes from the server; 0 if it has closed, -1 if there are none (now, or in time).
  ssize_t read(int flags) {
    const auto room = input.prepare(kRead);
    ssize_t count = 0;
    do {
      count = recv(socket.native_handle(), room.data(), room.size(), flags);
    } while (count < 0 && errno == EINTR);
    if (count > 0) input.commit(static_cast<std::size_t>(count));
    return count;
  }

  void begin(bool head_only) {
    parser.emplace();
    parser->body_limit(~std::uint64_t{0});
    parser->header_limit(1 << 20);
    parser->skip(head_only);
    parser->eager(false);
    head.clear();
  }

  // Parses what is there; false if more is needed.
  bool parse() {
    while (input.size() > 0 && !parser->is_done()) {
      const bool had_head = parser->is_header_done();
      Error error;
      const char* bytes = static_cast<const char*>(input.data().data());
      const std::size_t used = parser->put(input.data(), error);
      if (!had_head) head.append(bytes, used);
      input.consume(used);
      if (error == http::error::need_more) return false;
      if (error) throw ConnectionError(fmt::format("the answer is not HTTP: {}", error.message()));
      if (!had_head && parser->is_header_done()) return true;
    }
    return parser->is_done();
  }

  // Waits until the head, or then the whole answer, is there.
  void wait() {
    while (!parse()) {
      const ssize_t count = read(0);
      if (count > 0) continue;
      Error error;
      if (count == 0 && parser->is_header_done() && parser->need_eof()) {
        parser->put_eof(error);
        if (!error) return;
      }
      throw lost();
    }
  }

  HttpAnswer answer() {
    HttpAnswer answer;
    answer.status = static_cast<int>(parser->get().result_int());
    answer.keep_alive = parser->keep_alive();
    answer.head = std::move(head);
    answer.body = std::move(parser->get().body());
    return answer;
  }
};

HttpClient::HttpClient(const std::string& authority) : stream_(std::make_unique<Stream>()) {
  stream_->authority = authority;
  stream_->connect();
}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

HttpAnswer HttpClient::ask(std::string_view method, std::string_view target, std::string_view body,
                           std::string_view headers) {
  const std::string length =
      body.empty() && method != "POST" ? "" : fmt::format("Content-Length: {}\r\n", body.size());
  send(fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}{}\r\n{}", method, target, stream_->authority, headers,
                   length, body));
  return read(method == "HEAD");
}

// If the server has closed, reading shows what it said.
void HttpClient::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(descriptor(), text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

HttpAnswer HttpClient::read(bool head_only) {
  stream_->begin(head_only);
  stream_->wait();
  while (!stream_->parser->is_done()) stream_->wait();
  HttpAnswer answer = stream_->answer();
  stream_->parser.reset();
  return answer;
}

HttpAnswer HttpClient::read_head() {
  stream_->begin(false);
  stream_->wait();
  return stream_->answer();
}

bool HttpClient::read_piece(std::string& into) {
  Parser& parser = *stream_->parser;
  std::string& body = parser.get().body();
  while (body.empty() && !parser.is_done()) {
    if (!stream_->parse() && body.empty() && stream_->read(0) <= 0) throw lost();
  }
  into += body;
  const bool more = !body.empty();
  body.clear();
  return more;
}

bool HttpClient::receive() {
  if (!stream_->parser) stream_->begin(false);
  const ssize_t count = stream_->read(MSG_DONTWAIT);
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) throw lost();
  while (stream_->parse()) {
    if (stream_->parser->is_done()) return true;
  }
  return false;
}

HttpAnswer HttpClient::take() {
  HttpAnswer answer = stream_->answer();
  stream_->parser.reset();
  return answer;
}

int HttpClient::descriptor() const {
  return stream_->socket.native_handle();
}

bool HttpClient::ended() {
  if (stream_->input.size() > 0) return false;
  const ssize_t count = stream_->read(0);
  return count == 0 || (count < 0 && errno == ECONNRESET);
}

}  // namespace ridgerunner::service
