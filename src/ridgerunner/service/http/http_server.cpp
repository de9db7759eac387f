#include "ridgerunner/service/http/http_server.h"

#include <charconv>
#include <future>

#include <fmt/format.h>
#include <sys/resource.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/http/http_core.h"

namespace ridgerunner::service {
namespace {

using Error = boost::system::error_code;

// Sent to a client that comes when there are as many as may be.
constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    "Connection: close\r\nContent-Length: 93\r\n\r\n"
    R"({"error":{"code":"too_many","message":"too many connections at the same time","field":null}})"
    "\n";

void welcome(HttpCore& core, Socket socket) {
  if (Quota::Lease place = core.connections.acquire())
    return start_connection(core, std::move(socket), std::move(place));
  Error ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(net::buffer(kFull), ignored);
}

void accept_next(HttpCore& core) {
  core.acceptor.async_accept(net::make_strand(core.io), [&core](const Error& error, Socket socket) {
    if (core.draining || error == net::error::operation_aborted) return;
    if (!error) {
      welcome(core, std::move(socket));
      return accept_next(core);
    }
    // Out of files or memory: there will be some again.
    core.log.write(LogLevel::warn, "cannot accept a connection", {{"reason", error.message()}});
    core.pause.expires_after(std::chrono::milliseconds(100));
    core.pause.async_wait([&core](const Error& stopped) {
      if (!stopped) accept_next(core);
    });
  });
}

bool wait_until_gone(HttpCore& core, double seconds) {
  std::unique_lock lock(core.mutex);
  return core.gone.wait_for(lock, std::chrono::duration<double>(seconds),
                            [&] { return core.living.empty(); });
}

void listen(HttpCore& core) {
  const ListenAddress wanted = listen_address(core.options.listen);
  const tcp::endpoint endpoint(net::ip::make_address(wanted.host), wanted.port);
  try {
    core.acceptor.open(endpoint.protocol());
    core.acceptor.set_option(net::socket_base::reuse_address(true));
    core.acceptor.bind(endpoint);
    core.acceptor.listen(4096);
  } catch (const boost::system::system_error& error) {
    throw ListenError(fmt::format("cannot listen on {}: {}", core.options.listen, error.code().message()));
  }
  const tcp::endpoint local = core.acceptor.local_endpoint();
  const std::string host = local.address().to_string();
  core.address = local.address().is_v6() ? fmt::format("[{}]:{}", host, local.port())
                                         : fmt::format("{}:{}", host, local.port());
}

}  // namespace

HttpServer::HttpServer(const HttpOptions& options, const AccessControl& access, Metrics& metrics,
                       ProgramLog& log)
    : core_(std::make_unique<HttpCore>(options, access, metrics, log)) {
  HttpCore& core = *core_;
  listen(core);
  accept_next(core);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned count = options.threads > 0 ? static_cast<unsigned>(options.threads) : cores;
  for (unsigned i = 0; i < count; ++i) core.threads.emplace_back([&core] { core.io.run(); });
}

HttpServer::~HttpServer() {
  drain();
  HttpCore& core = *core_;
  core.workers.join();
  core.watch.join();
  // The log's thread and exports call back for what they were given, come what may.
  while (core.callbacks.used() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  core.io.stop();
  for (std::thread& thread : core.threads) thread.join();
}

std::string HttpServer::address() const {
  return core_->address;
}

void HttpServer::serve(Service& service) {
  core_->service = &service;
}

void HttpServer::drain() {
  HttpCore& core = *core_;
  if (core.draining.exchange(true)) return;
  std::promise<void> closed;  // nobody is let in once this returns
  net::post(core.acceptor.get_executor(), [&] {
    Error ignored;
    core.acceptor.close(ignored);
    core.pause.cancel();
    closed.set_value();
  });
  closed.get_future().wait();
  end_connections(core, false);
  if (wait_until_gone(core, core.options.drain_seconds)) return;
  core.log.write(LogLevel::warn, "closing connections whose requests take too long");
  end_connections(core, true);
  wait_until_gone(core, 1);
}

ListenAddress listen_address(const std::string& text) {
  const auto wrong = [&] {
    return InvalidArgument(fmt::format(
        "--listen must be ADDRESS:PORT, like 127.0.0.1:8080, [::1]:8080 or localhost:8080, got \"{}\"",
        text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw wrong();
  ListenAddress address;
  const char *first = text.data() + colon + 1, *last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, address.port);
  if (error != std::errc() || end != last || first == last) throw wrong();
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host == "localhost") address.host = "127.0.0.1";
  Error bad;
  const net::ip::address parsed = net::ip::make_address(address.host, bad);
  if (bad) throw wrong();
  address.loopback = parsed.is_loopback();
  return address;
}

std::uint64_t raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

}  // namespace ridgerunner::service
