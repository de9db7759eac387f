// One client: reading, answering, streaming. A few lines more than a file should have, since what includes
// Asio takes long to compile.
#include <array>
#include <optional>

#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <fmt/format.h>
#include <sys/socket.h>

#include "ridgerunner/service/http/exchange.h"
#include "ridgerunner/service/http/http_core.h"
#include "ridgerunner/service/http/live_feed.h"
#include "ridgerunner/service/http/log_export.h"

namespace ridgerunner::service {
namespace {

namespace beast = boost::beast;
using Error = boost::system::error_code;
template <class Result>
using Awaitable = net::awaitable<Result, Strand>;
constexpr net::use_awaitable_t<Strand> kAwait;

constexpr std::size_t kFirstRead = 4 << 10, kRead = 16 << 10, kReadLong = 256 << 10;
constexpr auto kGrace = std::chrono::milliseconds(500);  // for what is on its way when the server is stopped

SteadyClock::duration seconds(double count) {
  return std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(count));
}

std::int64_t wall_clock() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

// Reads requests and writes answers, one after the other, in one coroutine. Everything runs on the
// connection's strand, except the work that is handed to others.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(HttpCore& core, Socket socket, Quota::Lease place);
  ~Connection();

  void start();
  void end(bool in_flight);  // if it is idle; in flight: in any case. From any thread

 private:
  enum class Phase { idle, reading, answering };

  Awaitable<void> run(std::shared_ptr<Connection> self);

  // These two are false if there is nobody to be answered any more.
  Awaitable<bool> wait_for_request();
  Awaitable<bool> read_request();
  Awaitable<bool> read_more();
  bool parse();
  void set_deadline(SteadyClock::time_point when);

  Awaitable<void> answer_request();
  Awaitable<void> send(Reply reply);
  Awaitable<void> stream_live();
  Awaitable<void> stream_log();
  Awaitable<void> end_stream();
  Awaitable<void> linger();
  std::string next_state(LiveFeed& feed);
  std::unique_ptr<LogExport> begin_export(Reply& reply);

  // Most answers fit into the socket at once, and then nothing has to be waited for. False: a rest is left.
  bool write(std::string_view first, std::string_view second = {});
  bool write_chunk(std::string_view text);
  bool write_stream_head(std::string_view type);
  Awaitable<void> write_rest();
  bool peer_gone();

  // Ways to wait without holding a thread.
  template <class Token>
  auto when_durable(std::uint64_t seq, Token&& token);
  template <class Work, class Token>
  auto on_worker(Work work, Token&& token);
  template <class Token>
  auto next_piece(LogExport& log, Token&& token);

  HttpCore& core_;
  const Quota::Lease place_;
  beast::basic_stream<tcp, Strand> stream_;
  Timer timer_;
  std::array<char, kFirstRead> first_;
  ScratchPool::Lease scratch_;
  std::optional<RequestParser> parser_;
  std::optional<Exchange> exchange_;
  std::optional<beast::buffers_suffix<std::array<net::const_buffer, 2>>> rest_;
  std::string chunk_;
  LogExport* export_ = nullptr;
  Phase phase_ = Phase::idle;
  std::optional<SteadyClock::time_point> deadline_;  // of the request that is being read
  bool late_ = false, broken_ = false;
};

Connection::Connection(HttpCore& core, Socket socket, Quota::Lease place)
    : core_(core), place_(std::move(place)), stream_(std::move(socket)), timer_(stream_.get_executor()) {
  core_.metrics.connections(1);
  const std::lock_guard lock(core_.mutex);
  core_.living.insert(this);
}

Connection::~Connection() {
  core_.metrics.connections(-1);
  const std::lock_guard lock(core_.mutex);
  core_.living.erase(this);
  core_.gone.notify_all();
}

void Connection::start() {
  Error ignored;
  stream_.socket().set_option(tcp::no_delay(true), ignored);
  stream_.socket().non_blocking(true, ignored);
  net::co_spawn(stream_.get_executor(), run(shared_from_this()), net::detached);
}

void Connection::end(bool in_flight) {
  net::post(stream_.get_executor(), [self = shared_from_this(), in_flight] {
    if (!in_flight && self->phase_ == Phase::reading)
      return self->set_deadline(
          std::min(self->deadline_.value_or(SteadyClock::time_point::max()), SteadyClock::now() + kGrace));
    self->timer_.cancel();  // a stream sees what has changed
    if (!in_flight && self->phase_ != Phase::idle) return;
    self->broken_ = true;
    self->stream_.cancel();
    if (self->export_) self->export_->cancel();
  });
}

template <class Token>
auto Connection::when_durable(std::uint64_t seq, Token&& token) {
  return net::async_initiate<Token, void(bool)>(
      [this](auto handler, std::uint64_t number) {
        struct Waiting {
          decltype(handler) resume;
          Quota::Lease counted;
        };
        auto call = std::make_shared<Waiting>(Waiting{std::move(handler), core_.callbacks.acquire()});
        core_.service.load()->when_durable(
            number, [call, strand = stream_.get_executor(), &handover = core_.handover](bool durable) {
              handover.add([call, strand, durable] {
                net::dispatch(strand, [call, durable] { std::move(call->resume)(durable); });
              });
            });
      },
      token, seq);
}

template <class Work, class Token>
auto Connection::on_worker(Work work, Token&& token) {
  return net::async_initiate<Token, void()>(
      [this](auto handler, Work job) {
        net::thread_pool& pool = exchange_->call() == Call::metrics ? core_.watch : core_.workers;
        net::post(pool, [strand = stream_.get_executor(), job = std::move(job),
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
        source->take([shared, strand = stream_.get_executor()](LogExport::Piece piece) {
          net::post(strand,
                    [shared, piece = std::move(piece)]() mutable { std::move (*shared)(std::move(piece)); });
        });
      },
      token, &log);
}

// Until something comes; a connection holds no memory but first_ meanwhile. Beast closes it when time is up.
Awaitable<bool> Connection::wait_for_request() {
  scratch_ = {};
  stream_.expires_after(seconds(core_.options.idle_seconds));
  Error error;
  const std::size_t count =
      co_await stream_.async_read_some(net::buffer(first_), net::redirect_error(kAwait, error));
  stream_.expires_never();
  if (error || broken_) co_return false;
  scratch_ = ScratchPool::Lease(core_.scratch);
  scratch_->input.commit(net::buffer_copy(scratch_->input.prepare(count), net::buffer(first_, count)));
  co_return true;
}

// Beast's own deadlines close the socket, but a request that comes too late gets an answer.
void Connection::set_deadline(SteadyClock::time_point when) {
  deadline_ = when;
  timer_.expires_at(when);
  timer_.async_wait([self = shared_from_this(), when](const Error& cancelled) {
    if (cancelled || self->deadline_ != when) return;
    self->late_ = true;
    self->stream_.cancel();
  });
}

Awaitable<bool> Connection::read_more() {
  if (!deadline_) set_deadline(SteadyClock::now() + seconds(core_.options.request_seconds));
  Error error;
  const std::size_t room = parser_->body_size() > kRead ? kReadLong : kRead;
  const std::size_t count =
      co_await stream_.async_read_some(scratch_->input.prepare(room), net::redirect_error(kAwait, error));
  scratch_->input.commit(count);
  co_return !error && !late_ && !broken_;
}

Awaitable<bool> Connection::read_request() {
  exchange_.reset();
  parser_.reset();
  phase_ = Phase::idle;
  if (!scratch_ || scratch_->input.size() == 0) {
    const bool there = co_await wait_for_request();
    if (!there) co_return false;
  }
  phase_ = Phase::reading;
  const HttpOptions& options = core_.options;
  exchange_.emplace(core_, scratch_->answer);
  parser_.emplace(options.header_bytes, std::max(options.body_bytes, options.import_bytes),
                  std::move(scratch_->body));
  bool there = true;
  while (there && !parse()) {
    if (exchange_->head.expects_continue && scratch_->input.size() == 0) {
      exchange_->head.expects_continue = false;
      if (!write("HTTP/1.1 100 Continue\r\n\r\n")) co_await write_rest();
    }
    there = co_await read_more();
  }
  deadline_.reset();
  timer_.cancel();
  scratch_->body = parser_->take_body();
  exchange_->start = SteadyClock::now();
  if (!there && (!late_ || broken_)) co_return false;
  if (late_) exchange_->refuse_and_close(Refusal(Reason::timeout, "the request did not arrive in time"));
  co_return true;
}

// True if there is nothing more to read: the request is complete, or refused.
bool Connection::parse() {
  beast::flat_buffer& input = scratch_->input;
  try {
    while (!parser_->is_done() && input.size() > 0) {
      const bool had_head = parser_->has_head();
      const net::const_buffer bytes = input.cdata();
      const auto progress = parser_->put({static_cast<const char*>(bytes.data()), bytes.size()});
      input.consume(progress.used);
      if (progress.needs_more) break;
      if (had_head || !parser_->has_head()) continue;
      exchange_->begin(parser_->head());
      const std::optional<std::uint64_t> most = exchange_->admit_body();
      if (!most) return true;
      parser_->limit_body(*most);
    }
  } catch (const Refusal& refusal) {
    exchange_->refuse_and_close(refusal);
    return true;
  }
  return parser_->is_done();
}

bool Connection::write(std::string_view first, std::string_view second) {
  rest_.emplace(std::array<net::const_buffer, 2>{net::buffer(first), net::buffer(second)});
  Error error;
  rest_->consume(stream_.socket().write_some(*rest_, error));
  if (error && error != net::error::would_block) broken_ = true;
  return broken_ || net::buffer_size(*rest_) == 0;
}

// As long as there is progress; Beast closes the connection when there is none in time.
Awaitable<void> Connection::write_rest() {
  while (!broken_ && net::buffer_size(*rest_) > 0) {
    stream_.expires_after(seconds(core_.options.write_seconds));
    Error error;
    rest_->consume(co_await stream_.async_write_some(*rest_, net::redirect_error(kAwait, error)));
    if (error) broken_ = true;
  }
  if (!broken_) stream_.expires_never();
}

Awaitable<void> Connection::answer_request() {
  phase_ = Phase::answering;
  Exchange& exchange = *exchange_;
  Reply reply;
  if (exchange.refused) {
    reply = *exchange.refused;
  } else if (exchange.call() == Call::live) {
    co_await stream_live();
    co_return;
  } else if (exchange.call() == Call::log) {
    co_await stream_log();
    co_return;
  } else if (exchange.is_quick(scratch_->body.size())) {
    reply = exchange.answer(scratch_->body);
  } else {
    const auto work = [this, &reply] { reply = exchange_->answer(scratch_->body); };
    co_await on_worker(work, kAwait);
  }
  if (reply.seq != 0) {
    const bool durable = co_await when_durable(reply.seq, kAwait);
    if (!durable)
      reply = answer_refusal(
          Refusal(Reason::read_only, "the log failed: whether this was kept shows after a restart"),
          scratch_->answer);
  }
  co_await send(reply);
}

Awaitable<void> Connection::send(Reply reply) {
  Exchange& exchange = *exchange_;
  exchange.close = exchange.close || core_.draining;
  write_head(scratch_->head, exchange.response_head(reply));
  if (!write(scratch_->head, exchange.head_only ? std::string_view() : scratch_->answer))
    co_await write_rest();
  exchange.finish(reply.status);
}

// The client may still be sending what nobody reads; closing now could take the answer from it.
Awaitable<void> Connection::linger() {
  constexpr std::size_t kMost = 1 << 20;
  Error error;
  stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  phase_ = Phase::idle;
  stream_.expires_after(core_.draining ? kGrace : std::chrono::milliseconds(2000));
  for (std::size_t count = 0; count < kMost && !error && !broken_;)
    count += co_await stream_.async_read_some(net::buffer(first_), net::redirect_error(kAwait, error));
}

Awaitable<void> Connection::run([[maybe_unused]] std::shared_ptr<Connection> self) {
  while (!broken_ && !core_.draining) {
    const bool asked = co_await read_request();
    if (!asked) break;
    co_await answer_request();
    if (exchange_->close) break;
  }
  if (!broken_ && exchange_ && exchange_->refused && !parser_->is_done()) co_await linger();
  timer_.cancel();
  Error ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.socket().close(ignored);
}

bool Connection::write_stream_head(std::string_view type) {
  Exchange& exchange = *exchange_;
  exchange.close = exchange.close || exchange.head.http_1_0;
  ResponseHead head = exchange.response_head({}, -1, type);
  head.more = "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n";
  write_head(scratch_->head, head);
  return write(scratch_->head);
}

bool Connection::write_chunk(std::string_view text) {
  if (exchange_->head.http_1_0) return write(text);
  chunk_ = fmt::format("{:x}\r\n{}\r\n", text.size(), text);
  return write(chunk_);
}

Awaitable<void> Connection::end_stream() {
  if (!broken_ && !exchange_->head_only && !exchange_->head.http_1_0 && !write("0\r\n\r\n"))
    co_await write_rest();
  chunk_ = {};
  exchange_->finish(200);
}

// Has the client gone? Nobody reads from a connection that streams, so nobody would notice.
bool Connection::peer_gone() {
  char byte;
  const ssize_t count = recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

// What a viewer is told now, asked for on a worker. Throws when the stream must end.
std::string Connection::next_state(LiveFeed& feed) {
  exchange_->require_access();
  return feed.next(wall_clock());
}

Awaitable<void> Connection::stream_live() {
  const Quota::Lease place = core_.streams.acquire();
  LiveFeed feed(*core_.service, exchange_->match.name);
  std::string text;
  std::optional<Reply> failed;
  const auto look = [this, &feed, &text, &failed] {
    try {
      text = next_state(feed);
    } catch (...) {
      failed = answer_of_exception(scratch_->answer);
    }
  };
  if (place) {
    co_await on_worker(look, kAwait);
  } else {
    failed =
        answer_refusal(Refusal(Reason::too_many, "too many live streams at the same time"), scratch_->answer);
  }
  if (failed) {
    co_await send(*failed);
    co_return;
  }
  core_.metrics.streams(1);
  if (!write_stream_head("text/event-stream")) co_await write_rest();
  while (!exchange_->head_only) {
    if (!text.empty() && !write_chunk(text)) co_await write_rest();
    if (broken_ || core_.draining) break;
    timer_.expires_after(std::chrono::seconds(1));
    Error ignored;
    co_await timer_.async_wait(net::redirect_error(kAwait, ignored));
    if (broken_ || core_.draining || peer_gone()) break;
    co_await on_worker(look, kAwait);
    if (!failed) continue;
    core_.log.write(LogLevel::warn, "a live stream ends",
                    {{"path", exchange_->path}, {"reason", scratch_->answer}});
    break;
  }
  core_.metrics.streams(-1);
  co_await end_stream();
}

// Nothing, and the answer in `reply`, if it is refused.
std::unique_ptr<LogExport> Connection::begin_export(Reply& reply) {
  struct Held {
    // Given back in the other order: once all that is counted is back, the server may be gone.
    Quota::Lease counted, place;
  };
  try {
    const Service& service = *core_.service;
    const std::string& name = exchange_->match.name;
    const std::uint64_t from = query_number(exchange_->query, "from", 1);
    service.require_experiment(name);
    Held held{core_.callbacks.acquire(), core_.exports.acquire()};
    if (!held.place) throw Refusal(Reason::too_many, "too many exports at the same time");
    return std::make_unique<LogExport>(service, name, from, std::make_shared<Held>(std::move(held)));
  } catch (...) {
    reply = answer_of_exception(scratch_->answer);
    return nullptr;
  }
}

Awaitable<void> Connection::stream_log() {
  Reply refused;
  const std::unique_ptr<LogExport> log = begin_export(refused);
  if (!log) {
    co_await send(refused);
    co_return;
  }
  export_ = log.get();
  if (!write_stream_head("application/x-ndjson")) co_await write_rest();
  bool complete = exchange_->head_only;
  while (!broken_ && !complete) {
    LogExport::Piece piece = co_await next_piece(*log, kAwait);
    try {
      exchange_->require_access();
    } catch (const Refusal& refusal) {
      piece = {"", true, refusal.what()};
    }
    if (!piece.text.empty() && !write_chunk(piece.text)) co_await write_rest();
    if (!piece.trouble.empty()) {
      core_.log.write(LogLevel::error, "an export ends early",
                      {{"path", exchange_->path}, {"reason", piece.trouble}});
      broken_ = true;
    }
    complete = piece.last;
  }
  export_ = nullptr;
  co_await end_stream();
}

void start_connection(HttpCore& core, Socket socket, Quota::Lease place) {
  std::make_shared<Connection>(core, std::move(socket), std::move(place))->start();
}

void end_connections(HttpCore& core, bool in_flight) {
  std::vector<std::shared_ptr<Connection>> living;  // released after the lock: a last one would want it
  {
    const std::lock_guard lock(core.mutex);
    living.reserve(core.living.size());
    for (Connection* connection : core.living) {
      if (auto alive = connection->weak_from_this().lock()) living.push_back(std::move(alive));
    }
  }
  for (const auto& connection : living) connection->end(in_flight);
}

}  // namespace ridgerunner::service
