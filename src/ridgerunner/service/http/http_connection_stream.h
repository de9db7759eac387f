#pragma once

// How a connection streams, for http_server.cpp alone.

#include "ridgerunner/service/http/http_connection_write.h"

namespace ridgerunner::service {

// Has the client gone? Nobody reads from a connection that streams, so nobody would notice.
inline bool Connection::peer_gone() {
  char byte;
  const ssize_t count = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

inline std::int64_t wall_clock() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The feed and the first thing it says; nothing, and the answer in `reply`, if it is refused.
inline std::optional<LiveFeed> Connection::begin_live(std::string& first, Reply& reply) {
  answer_.clear();
  if (exchange_.head_only) return std::nullopt;
  if (!core_.streams.take()) {
    reply = answer_refusal(Refusal(Reason::too_many, "too many live streams at the same time"), answer_);
    return std::nullopt;
  }
  try {
    LiveFeed feed(*core_.service, exchange_.match.name);
    first = feed.next(wall_clock());
    return feed;
  } catch (...) {
    core_.streams.give_back();
    bool unexpected = false;
    reply = answer_of_exception(answer_, unexpected);
    return std::nullopt;
  }
}

// The first event to export; nothing, and the answer in `reply`, if it is refused.
inline std::optional<std::uint64_t> Connection::begin_log(Reply& reply) {
  answer_.clear();
  if (exchange_.head_only) return std::nullopt;
  try {
    const std::uint64_t from = query_number(exchange_.query, "from", 1);
    static_cast<void>(
        core_.service.load()->experiment(exchange_.match.name));  // refuses names it does not know
    if (!core_.exports.take()) throw Refusal(Reason::too_many, "too many exports at the same time");
    return from;
  } catch (...) {
    bool unexpected = false;
    reply = answer_of_exception(answer_, unexpected);
    return std::nullopt;
  }
}

inline Awaitable<void> Connection::stream_live(LiveFeed feed, std::string text) {
  phase_ = Phase::streaming;
  core_.metrics.streams(1);
  begin_stream("text/event-stream");
  if (!write(response_head_)) co_await write_rest();
  for (;;) {
    if (!text.empty() && !write_chunk(text)) co_await write_rest();
    if (broken_ || core_.draining) break;
    deadline_ = 0;
    timer_.expires_after(std::chrono::seconds(1));
    Error ignored;
    co_await timer_.async_wait(net::redirect_error(kAwait, ignored));
    if (broken_ || core_.draining || peer_gone()) break;
    try {
      text = feed.next(wall_clock());
    } catch (const std::exception& error) {
      core_.log.write(LogLevel::warn, "a live stream ends",
                      {{"path", exchange_.path}, {"reason", error.what()}});
      break;
    }
  }
  if (!broken_ && !head_.http_1_0 && !write("0\r\n\r\n")) co_await write_rest();
  core_.metrics.streams(-1);
  core_.streams.give_back();
  finish_exchange(200);
}

inline Awaitable<void> Connection::stream_log(std::uint64_t from) {
  ++core_.promised;
  LogExport log(*core_.service, exchange_.match.name, from, [&core = core_] {
    core.exports.give_back();
    --core.promised;
  });
  export_ = &log;
  begin_stream("application/x-ndjson");
  if (!write(response_head_)) co_await write_rest();
  bool complete = false;
  while (!broken_ && !complete) {
    enter(Phase::working, 0);
    LogExport::Piece piece = co_await next_piece(log, kAwait);
    if (!piece.text.empty() && !write_chunk(piece.text)) co_await write_rest();
    if (!piece.trouble.empty()) {
      core_.log.write(LogLevel::error, "an export ends early",
                      {{"path", exchange_.path}, {"reason", piece.trouble}});
      broken_ = true;
    }
    complete = piece.last;
  }
  export_ = nullptr;
  if (!broken_ && !head_.http_1_0 && !write("0\r\n\r\n")) co_await write_rest();
  finish_exchange(200);
}

}  // namespace ridgerunner::service
