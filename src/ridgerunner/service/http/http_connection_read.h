#pragma once

// How a connection reads requests, for http_server.cpp alone.

#include "ridgerunner/service/http/http_connection.h"

namespace ridgerunner::service {

constexpr std::size_t kFirstRead = 2 << 10, kRead = 16 << 10, kReadLong = 256 << 10;
constexpr std::size_t kShortBody = 64 << 10;  // read even if it is not wanted; longer ones count
constexpr std::size_t kKeptMemory = 1 << 20;

inline Awaitable<bool> Connection::read_some() {
  const std::size_t room = body_.size() > kRead ? kReadLong : buffer_.capacity() == 0 ? kFirstRead : kRead;
  Error error;
  const std::size_t count =
      co_await socket_.async_read_some(buffer_.prepare(room), net::redirect_error(kAwait, error));
  buffer_.commit(count);
  co_return !error && !broken_;
}

// Fills head_ and body_. False if there is no request to answer any more; a malformed one is answered.
inline Awaitable<bool> Connection::read_request() {
  exchange_ = {};
  parser_.emplace(head_, body_, core_.options.header_bytes);
  parser_->body_limit(std::max(core_.options.body_bytes, core_.options.import_bytes));
  enter(Phase::idle, core_.options.idle_seconds);
  if (buffer_.size() == 0) {
    const bool there = co_await read_some();
    if (!there) co_return false;
  }
  enter(Phase::reading, core_.options.request_seconds);
  bool head_seen = false;
  for (;;) {
    Error error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error && error != http::error::need_more) {
      refuse_malformed(error);
      co_return true;
    }
    if (parser_->is_header_done() && !head_seen) {
      head_seen = true;
      look_at_head();
      if (!admit_body()) co_return true;
      if (head_.expects_continue && !parser_->is_done() && buffer_.size() == 0) {
        static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
        if (!write(kContinue)) co_await write_rest();
        enter(Phase::reading, core_.options.request_seconds);
      }
      parser_->eager(true);
    }
    if (parser_->is_done()) break;
    if (buffer_.size() > 0 && !error) continue;
    const bool more = co_await read_some();
    if (more) continue;
    if (!expired_) co_return false;
    refuse(Refusal(Reason::timeout, "the request did not arrive in time"));
    exchange_.close = true;
    co_return true;
  }
  exchange_.start = Clock::now();
  co_return true;
}

// Decides what the request is and whether its sender may ask for it, before its body is read.
inline void Connection::look_at_head() {
  const std::string_view target = head_.target;
  const std::size_t question = target.find('?');
  exchange_.close = !parser_->keep_alive();
  exchange_.head_only = head_.method == "HEAD";
  exchange_.path = target.substr(0, question);
  if (question != std::string_view::npos) exchange_.query = target.substr(question + 1);
  exchange_.match = match(head_.method, exchange_.path);
  const Match& match = exchange_.match;
  try {
    if (!match.route && match.allowed.empty())
      throw Refusal(Reason::not_found, fmt::format("there is nothing at {}", exchange_.path.substr(0, 200)));
    if (!match.route)
      return refuse(Refusal(Reason::method_not_allowed,
                            fmt::format("only {} is answered here, got {}", match.allowed, head_.method)),
                    fmt::format("Allow: {}\r\n", match.allowed));
    core_.gate.admit(*match.route, {head_.authorization, head_.host, head_.origin});
    const bool needs_service = match.route->path.starts_with("/v1/");
    if (needs_service && core_.draining) throw Refusal(Reason::draining, "the server is shutting down");
    if (needs_service && !core_.service) throw Refusal(Reason::starting, "the server is starting");
  } catch (const Refusal& refusal) {
    refuse(refusal, refusal.reason == Reason::unauthorized ? "WWW-Authenticate: Bearer\r\n" : "");
  }
}

// Whether to read the body. One that is not wanted is read if it is short, so that the connection can go on.
inline bool Connection::admit_body() {
  const std::uint64_t most = exchange_.refused                  ? kShortBody
                             : exchange_.call() == Call::import ? core_.options.import_bytes
                                                                : core_.options.body_bytes;
  parser_->body_limit(most);
  const std::uint64_t length = parser_->content_length().value_or(parser_->chunked() ? most : 0);
  if (exchange_.refused) {
    exchange_.close = exchange_.close || length > kShortBody || head_.expects_continue;
    return !exchange_.close;
  }
  if (length > most) {
    refuse(Refusal(Reason::too_large,
                   fmt::format("the body has {} bytes, at most {} are allowed", length, most)));
  } else if (length > kShortBody) {
    if (core_.body_bytes.take(length)) {
      exchange_.borrowed = length;
      return true;
    }
    refuse(Refusal(Reason::too_many, "too many long requests at the same time"));
  } else {
    return true;
  }
  exchange_.close = true;
  return false;
}

inline void Connection::refuse(const Refusal& refusal, const std::string& more) {
  exchange_.refused = answer_refusal(refusal, answer_);
  exchange_.more += more;
  if (refusal.reason == Reason::starting || refusal.reason == Reason::draining ||
      refusal.reason == Reason::too_many)
    exchange_.more += "Retry-After: 1\r\n";
  exchange_.start = Clock::now();
}

inline void Connection::refuse_malformed(const Error& error) {
  if (error == http::error::header_limit) {
    refuse(Refusal(Reason::header_too_large,
                   fmt::format("the request's header has more than {} bytes", core_.options.header_bytes)));
  } else if (error == http::error::body_limit) {
    refuse(Refusal(Reason::too_large, "the body is longer than allowed"));
  } else {
    refuse(Refusal(Reason::bad_request, fmt::format("not a request of HTTP/1.1: {}", error.message())));
  }
  exchange_.close = true;
}

}  // namespace ridgerunner::service
