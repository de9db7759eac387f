#pragma once

// HTTP/1.1 on the wire, for http_server.cpp alone: Beast is long to compile.

#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/compile.h>
#include <fmt/format.h>

namespace ridgerunner::service {

namespace http = boost::beast::http;

// What we want to know of a request. Kept from one request to the next for its memory.
struct RequestHead {
  std::string method, target, authorization, host, origin, if_none_match;
  bool expects_continue = false;
  bool http_1_0 = false;

  void clear() {
    for (std::string* text : {&method, &target, &authorization, &host, &origin, &if_none_match})
      text->clear();
    expects_continue = http_1_0 = false;
  }
};

// Beast's parser, which checks the syntax, handing over only what we want.
class RequestParser : public http::basic_parser<true> {
 public:
  RequestParser(RequestHead& head, std::string& body, std::size_t most_header)
      : head_(head), body_(body), room_(most_header) {
    head_.clear();
    body_.clear();
    header_limit(static_cast<std::uint32_t>(most_header));
    eager(false);
  }

 private:
  using Error = boost::beast::error_code;
  using Text = boost::beast::string_view;

  void on_request_impl(http::verb, Text method, Text target, int version, Error& error) override {
    head_.method.assign(method.data(), method.size());
    head_.target.assign(target.data(), target.size());
    head_.http_1_0 = version == 10;
    spend(method.size() + target.size(), error);
  }
  void on_response_impl(int, Text, int, Error&) override {}

  void on_field_impl(http::field field, Text name, Text value, Error& error) override {
    switch (field) {
      case http::field::authorization:
        once(head_.authorization, value, error);
        break;
      case http::field::host:
        once(head_.host, value, error);
        break;
      case http::field::origin:
        once(head_.origin, value, error);
        break;
      case http::field::if_none_match:
        head_.if_none_match.assign(value.data(), value.size());
        break;
      case http::field::expect:
        head_.expects_continue = boost::beast::iequals(value, "100-continue");
        break;
      default:
        break;
    }
    // The parser forgets lines it has read, so it would take any number of them.
    if (!error) spend(name.size() + value.size() + 4, error);
  }
  void on_header_impl(Error&) override {}

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, Error&) override {
    constexpr std::uint64_t kBelieved = 1 << 20;
    if (length) body_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, kBelieved)));
  }
  std::size_t on_body_impl(Text piece, Error&) override {
    body_.append(piece.data(), piece.size());
    return piece.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text piece, Error&) override {
    body_.append(piece.data(), piece.size());
    return piece.size();
  }
  void on_finish_impl(Error&) override {}

  void once(std::string& into, Text value, Error& error) {
    if (!into.empty()) error = http::error::bad_field;
    into.assign(value.data(), value.size());
  }
  void spend(std::size_t bytes, Error& error) {
    if (bytes > room_) {
      error = http::error::header_limit;
    } else {
      room_ -= bytes;
    }
  }

  RequestHead& head_;
  std::string& body_;
  std::size_t room_;
};

inline const char* status_text(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Payload Too Large";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

// "Mon, 16 Nov 2026 09:00:00 GMT", written once a second.
inline std::string_view date_text() {
  thread_local std::time_t when = 0;
  thread_local char text[32] = "";
  const std::time_t now = std::time(nullptr);
  if (now != when) {
    std::tm parts;
    gmtime_r(&now, &parts);
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    when = now;
  }
  return text;
}

struct ResponseHead {
  int status = 200;
  std::string_view type = "application/json";
  std::string_view more;                 // further header lines, each with its end
  std::int64_t length = -1;              // -1: chunked
  bool close = false, http_1_0 = false;  // of the connection
};

inline void write_head(std::string& out, const ResponseHead& head) {
  out.clear();
  auto end = std::back_inserter(out);
  fmt::format_to(end, FMT_COMPILE("HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\n"), head.status,
                 status_text(head.status), date_text(), head.type);
  if (head.length >= 0) {
    fmt::format_to(end, FMT_COMPILE("Content-Length: {}\r\n"), head.length);
  } else if (!head.http_1_0) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  out += "X-Content-Type-Options: nosniff\r\n";
  out += head.more;
  if (head.close) {
    out += "Connection: close\r\n";
  } else if (head.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

}  // namespace ridgerunner::service
