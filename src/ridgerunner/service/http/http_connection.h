#pragma once

// One client, for http_server.cpp alone.

#include <array>
#include <optional>

#include <boost/beast/core/flat_buffer.hpp>
#include <sys/socket.h>

#include "ridgerunner/service/http/answer.h"
#include "ridgerunner/service/http/api.h"
#include "ridgerunner/service/http/http_core.h"
#include "ridgerunner/service/http/http_wire.h"
#include "ridgerunner/service/http/live_feed.h"
#include "ridgerunner/service/http/log_export.h"
#include "ridgerunner/service/http/pages.h"

namespace ridgerunner::service {

// Reads requests and writes answers, one after the other, in one coroutine. Everything runs on the
// connection's strand, except the work that is handed to others.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(HttpCore& core, Socket socket);
  ~Connection();

  void start();

  // From any thread.
  void sweep(std::int64_t now);  // ends it if its deadline has passed
  void end(bool in_flight);      // ends it if it is idle; in flight: in any case

 private:
  using Error = boost::system::error_code;
  static constexpr std::int64_t kGrace =
      500;  // milliseconds for what is on its way when the server is stopped
  enum class Phase { idle, reading, working, writing, streaming };

  // The request at hand.
  struct Exchange {
    std::string_view path, query;
    Match match;
    std::optional<Reply> refused;  // before its body was read
    bool close = false;            // the connection ends after it
    bool head_only = false;
    std::string more;  // header lines of the answer
    std::string_view type = kJsonType;
    std::size_t borrowed = 0;  // of the quota for bodies
    Clock::time_point start;
    Call call() const { return match.route ? match.route->call : Call::page; }
  };

  Awaitable<void> run(std::shared_ptr<Connection> self);
  Awaitable<bool> read_some();  // false: the client is gone or out of time
  Awaitable<bool> read_request();
  Awaitable<void> answer_request();
  Awaitable<void> write_rest();  // of what write() could not
  Awaitable<void> stream_live(LiveFeed feed, std::string first);
  Awaitable<void> stream_log(std::uint64_t from);
  Awaitable<void> linger();

  void enter(Phase phase, double seconds);
  bool write(std::string_view first, std::string_view second = {});  // false: a rest is left
  bool write_chunk(std::string_view text);
  void begin_stream(std::string_view type);
  std::optional<LiveFeed> begin_live(std::string& first, Reply& reply);
  std::optional<std::uint64_t> begin_log(Reply& reply);
  void look_at_head();
  void refuse(const Refusal& refusal, const std::string& more = "");
  void refuse_malformed(const Error& error);
  bool admit_body();
  Reply answer_now();
  Reply answer_call();
  Reply answer_page();
  Reply answer_ready();
  bool is_quick() const;
  void finish_exchange(int status);
  bool peer_gone();

  // Ways to wait without holding a thread.
  template <class Token>
  auto when_durable(std::uint64_t seq, Token&& token);
  template <class Work, class Token>
  auto elsewhere(Work work, Token&& token);
  template <class Token>
  auto next_piece(LogExport& log, Token&& token);

  HttpCore& core_;
  Socket socket_;
  Timer timer_;
  boost::beast::flat_buffer buffer_;
  RequestHead head_;
  std::string body_, answer_, response_head_, chunk_head_;
  std::array<net::const_buffer, 3> unwritten_;
  std::optional<RequestParser> parser_;
  Exchange exchange_;
  LogExport* export_ = nullptr;
  Phase phase_ = Phase::idle;
  bool expired_ = false, broken_ = false;
  std::atomic<std::int64_t> deadline_;
};

inline Connection::Connection(HttpCore& core, Socket socket)
    : core_(core), socket_(std::move(socket)), timer_(socket_.get_executor()), deadline_(0) {
  core_.metrics.connections(1);
  const std::lock_guard lock(core_.mutex);
  core_.connections.insert(this);
}

inline Connection::~Connection() {
  core_.metrics.connections(-1);
  core_.open.give_back();
  const std::lock_guard lock(core_.mutex);
  core_.connections.erase(this);
  core_.gone.notify_all();
}

inline void Connection::start() {
  Error ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  net::co_spawn(socket_.get_executor(), run(shared_from_this()), net::detached);
}

inline void Connection::enter(Phase phase, double seconds) {
  phase_ = phase;
  deadline_ = seconds > 0 ? milliseconds_now() + static_cast<std::int64_t>(seconds * 1000) : 0;
}

inline void Connection::sweep(std::int64_t now) {
  const std::int64_t deadline = deadline_;
  if (deadline == 0 || now < deadline) return;
  net::post(socket_.get_executor(), [self = shared_from_this(), deadline] {
    if (self->deadline_ != deadline) return;  // it has gone on meanwhile
    self->expired_ = true;
    Error ignored;
    self->socket_.cancel(ignored);
  });
}

inline void Connection::end(bool in_flight) {
  net::post(socket_.get_executor(), [self = shared_from_this(), in_flight] {
    self->timer_.cancel();  // streams look about them
    if (!in_flight && self->phase_ == Phase::reading)
      self->deadline_ = std::min(self->deadline_.load(), milliseconds_now() + kGrace);
    if (!in_flight && self->phase_ != Phase::idle) return;
    self->broken_ = true;
    Error ignored;
    self->socket_.cancel(ignored);
    if (in_flight && self->export_) self->export_->cancel();
  });
}

template <class Token>
auto Connection::when_durable(std::uint64_t seq, Token&& token) {
  return net::async_initiate<Token, void(bool)>(
      [this](auto handler, std::uint64_t number) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        ++core_.promised;
        core_.service.load()->when_durable(
            number, [shared, strand = socket_.get_executor(), &core = core_](bool durable) {
              net::post(strand, [shared, durable] { std::move (*shared)(durable); });
              --core.promised;
            });
      },
      token, seq);
}

template <class Work, class Token>
auto Connection::elsewhere(Work work, Token&& token) {
  return net::async_initiate<Token, void()>(
      [this](auto handler, Work job) {
        net::post(core_.workers, [strand = socket_.get_executor(), job = std::move(job),
                                  handler = std::move(handler)]() mutable {
          job();
          net::post(strand, std::move(handler));
        });
      },
      token, std::move(work));
}

template <class Token>
auto Connection::next_piece(LogExport& log, Token&& token) {
  return net::async_initiate<Token, void(LogExport::Piece)>(
      [this](auto handler, LogExport* source) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        source->take([shared, strand = socket_.get_executor()](LogExport::Piece piece) {
          net::post(strand,
                    [shared, piece = std::move(piece)]() mutable { std::move (*shared)(std::move(piece)); });
        });
      },
      token, &log);
}

}  // namespace ridgerunner::service
