#pragma once

// How a connection answers requests, for http_server.cpp alone.

#include "ridgerunner/service/http/http_connection_read.h"

namespace ridgerunner::service {

constexpr std::string_view kNotKept = "Cache-Control: no-store\r\n";

// Most answers fit into the socket at once, and then nothing has to be waited for.
inline bool Connection::write(std::string_view first, std::string_view second) {
  unwritten_ = {net::buffer(first), net::buffer(second), net::const_buffer()};
  if (phase_ != Phase::streaming) phase_ = Phase::writing;
  deadline_ = milliseconds_now() + static_cast<std::int64_t>(core_.options.write_seconds * 1000);
  Error error;
  std::size_t count = socket_.write_some(unwritten_, error);
  if (error && error != net::error::would_block) broken_ = true;
  for (net::const_buffer& buffer : unwritten_) {
    const std::size_t part = std::min(count, buffer.size());
    buffer += part;
    count -= part;
  }
  return broken_ || net::buffer_size(unwritten_) == 0;
}

inline Awaitable<void> Connection::write_rest() {
  while (!broken_ && net::buffer_size(unwritten_) > 0) {
    deadline_ = milliseconds_now() + static_cast<std::int64_t>(core_.options.write_seconds * 1000);
    Error error;
    std::size_t count = co_await socket_.async_write_some(unwritten_, net::redirect_error(kAwait, error));
    if (error) broken_ = true;
    for (net::const_buffer& buffer : unwritten_) {
      const std::size_t part = std::min(count, buffer.size());
      buffer += part;
      count -= part;
    }
  }
}

inline bool Connection::write_chunk(std::string_view text) {
  if (head_.http_1_0) return write(text);
  chunk_head_ = fmt::format("{:x}\r\n", text.size());
  answer_.assign(text);
  answer_ += "\r\n";
  return write(chunk_head_, answer_);
}

inline void Connection::begin_stream(std::string_view type) {
  exchange_.close = exchange_.close || head_.http_1_0;
  ResponseHead head;
  head.type = type;
  head.more = "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n";
  head.close = exchange_.close;
  head.http_1_0 = head_.http_1_0;
  write_head(response_head_, head);
}

inline bool Connection::is_quick() const {
  constexpr std::size_t kLongDecision = 256 << 10, kLongPrediction = 16 << 10;
  switch (exchange_.call()) {
    case Call::decide:
      return body_.size() < kLongDecision && !core_.paces.slow(exchange_.match.name);
    case Call::predict:
      return body_.size() < kLongPrediction && !core_.paces.slow(exchange_.match.name);
    case Call::reward:
    case Call::activate:
    case Call::health:
    case Call::ready:
    case Call::description:
    case Call::page:
      return true;
    default:
      return false;
  }
}

inline Reply Connection::answer_call() {
  const Match& match = exchange_.match;
  const ApiRequest request{match.route->call, match.name, match.event_id, exchange_.query, body_};
  const auto start = Clock::now();
  const Reply reply = answer(*core_.service, core_.options.limits, request, answer_);
  const bool judged = request.call == Call::decide || request.call == Call::predict;
  if (judged && reply.status == 200)
    core_.paces.add(match.name, std::chrono::duration<double>(Clock::now() - start).count());
  return reply;
}

inline Reply Connection::answer_page() {
  const Asset* asset = find_asset(exchange_.path);
  if (!asset) {
    exchange_.more = kNotKept;
    return answer_refusal(
        Refusal(Reason::not_found, fmt::format("there is nothing at {}", exchange_.path.substr(0, 200))),
        answer_);
  }
  const std::string tag = entity_tag(*asset);
  exchange_.type = asset->type;
  exchange_.more = fmt::format(
      "ETag: {}\r\nCache-Control: no-cache\r\nContent-Security-Policy: default-src 'self'; style-src 'self' "
      "'unsafe-inline'; frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\n",
      tag);
  const bool known = head_.if_none_match == tag;
  answer_ = known ? "" : asset->content;
  return {known ? 304 : 200, 0};
}

inline Reply Connection::answer_ready() {
  const Service* service = core_.service;
  const auto not_ready = [&](const char* status, const std::string& why) {
    answer_ = dump({{"status", status}, {"message", why}});
    return Reply{503, 0};
  };
  if (core_.draining) return not_ready("draining", "the server is shutting down");
  if (!service) return not_ready("starting", "the log is being read");
  if (const std::string trouble = service->trouble(); !trouble.empty())
    return not_ready("read_only", trouble);
  answer_ = R"({"status":"ready"})";
  return {};
}

inline Reply Connection::answer_now() {
  try {
    switch (exchange_.call()) {
      case Call::health:
        answer_ = R"({"status":"ok"})";
        return {};
      case Call::ready:
        return answer_ready();
      case Call::metrics:
        exchange_.type = "text/plain; version=0.0.4; charset=utf-8";
        answer_ = core_.metrics.text(core_.service);
        return {};
      case Call::description:
        answer_ = openapi();
        return {};
      case Call::page:
        return answer_page();
      default:
        return answer_call();
    }
  } catch (...) {
    bool unexpected = false;
    return answer_of_exception(answer_, unexpected);
  }
}

inline Awaitable<void> Connection::answer_request() {
  enter(Phase::working, 0);
  exchange_.more += exchange_.call() == Call::page && !exchange_.refused ? "" : kNotKept;
  Reply reply;
  if (exchange_.refused) {
    reply = *exchange_.refused;
  } else if (exchange_.call() == Call::live) {
    std::string first;
    std::optional<LiveFeed> feed = begin_live(first, reply);
    if (feed) {
      co_await stream_live(*feed, first);
      co_return;
    }
  } else if (exchange_.call() == Call::log) {
    const std::optional<std::uint64_t> from = begin_log(reply);
    if (from) {
      co_await stream_log(*from);
      co_return;
    }
  } else if (is_quick()) {
    reply = answer_now();
  } else {
    const auto work = [this, &reply] { reply = answer_now(); };
    co_await elsewhere(work, kAwait);
  }
  if (reply.seq != 0) {
    const bool durable = co_await when_durable(reply.seq, kAwait);
    if (!durable)
      reply = answer_refusal(
          Refusal(Reason::read_only, "the log failed: whether this was kept shows after a restart"), answer_);
  }
  exchange_.close = exchange_.close || core_.draining;
  ResponseHead head;
  head.status = reply.status;
  head.type = exchange_.type;
  if (reply.status == 429 && !exchange_.refused) exchange_.more += "Retry-After: 1\r\n";
  head.more = exchange_.more;
  head.length = static_cast<std::int64_t>(answer_.size());
  head.close = exchange_.close;
  head.http_1_0 = head_.http_1_0;
  write_head(response_head_, head);
  if (!write(response_head_, exchange_.head_only ? std::string_view() : answer_)) co_await write_rest();
  finish_exchange(reply.status);
}

inline void Connection::finish_exchange(int status) {
  const double seconds = std::chrono::duration<double>(Clock::now() - exchange_.start).count();
  const Call call = exchange_.call();
  core_.metrics.answered(call, status, seconds);
  if (exchange_.borrowed > 0) core_.body_bytes.give_back(exchange_.borrowed);
  const bool streamed = call == Call::live || call == Call::log;
  const bool worth =
      (status >= 500 && call != Call::ready) || (seconds > core_.options.slow_seconds && !streamed);
  const LogLevel level = worth ? LogLevel::warn : LogLevel::debug;
  if (core_.log.enabled(level)) {
    Json fields = {
        {"method", head_.method}, {"path", exchange_.path}, {"status", status}, {"seconds", seconds}};
    if (status >= 500) fields["answer"] = answer_.substr(0, 500);
    core_.log.write(level, worth && status < 500 ? "slow request" : "request", fields);
  }
  if (body_.capacity() > kKeptMemory) body_ = {};
  if (answer_.capacity() > kKeptMemory) answer_ = {};
  if (buffer_.capacity() > kKeptMemory) buffer_.shrink_to_fit();
}

// The client may still be sending what nobody reads; closing now could take the answer from it.
inline Awaitable<void> Connection::linger() {
  constexpr double kPatience = 2;
  constexpr std::size_t kMost = 1 << 20;
  Error error;
  socket_.shutdown(tcp::socket::shutdown_send, error);
  enter(Phase::idle, kPatience);
  for (std::size_t count = 0; count < kMost && !error;) {
    buffer_.consume(buffer_.size());
    count += co_await socket_.async_read_some(buffer_.prepare(kRead), net::redirect_error(kAwait, error));
  }
}

inline Awaitable<void> Connection::run([[maybe_unused]] std::shared_ptr<Connection> self) {
  while (!broken_ && !core_.draining) {
    const bool asked = co_await read_request();
    if (!asked) break;
    co_await answer_request();
    if (exchange_.close) break;
  }
  if (!broken_ && exchange_.refused && parser_ && !parser_->is_done()) co_await linger();
  Error ignored;
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

}  // namespace ridgerunner::service
