#pragma once

// What the connections of a server share, for http_server.cpp and connection.cpp alone: Asio takes long to
// compile.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include <boost/asio.hpp>

#include "ridgerunner/service/http/scratch.h"
#include "ridgerunner/service/http/server_context.h"

namespace ridgerunner::service {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using Strand = net::strand<net::io_context::executor_type>;
using Socket = net::basic_stream_socket<tcp, Strand>;
using SteadyClock = std::chrono::steady_clock;
using Timer = net::basic_waitable_timer<SteadyClock, net::wait_traits<SteadyClock>, Strand>;

// Work that other threads hand to those that read requests. All that is added before one of them takes it
// costs one wake-up: the log's thread wakes all answers of a commit at once.
class Handover {
 public:
  explicit Handover(net::io_context& io) : io_(io) {}

  void add(std::function<void()> work) {
    {
      const std::scoped_lock lock(mutex_);
      waiting_.push_back(std::move(work));
      if (waiting_.size() > 1) return;
    }
    net::post(io_, [this] { run(); });
  }

 private:
  void run() {
    std::vector<std::function<void()>> taken;
    {
      const std::scoped_lock lock(mutex_);
      taken.swap(waiting_);
    }
    for (const auto& work : taken) work();
  }

  net::io_context& io_;
  std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;
};

class Connection;

struct HttpCore : ServerContext {
  HttpCore(const HttpOptions& chosen, const AccessControl& control, Metrics& figures, ProgramLog& lines)
      : ServerContext(chosen, control, figures, lines),
        workers(static_cast<std::size_t>(std::max(1, chosen.workers))),
        acceptor(net::make_strand(io)),
        pause(acceptor.get_executor()) {}

  ScratchPool scratch;

  std::mutex mutex;  // guards the list
  std::condition_variable gone;
  std::unordered_set<Connection*> living;

  net::io_context io;
  Handover handover{io};
  net::thread_pool workers;
  net::thread_pool watch{1};  // for /metrics, which must answer when all workers wait for the disk
  net::basic_socket_acceptor<tcp, Strand> acceptor;
  Timer pause;
  std::string address;
  std::vector<std::thread> threads;
};

// Takes over a client, whose place among the connections is the lease. It lives until it ends by itself or is
// told to.
void start_connection(HttpCore& core, Socket socket, Quota::Lease place);

// Ends connections that are idle; in flight: all of them. From any thread.
void end_connections(HttpCore& core, bool in_flight);

}  // namespace ridgerunner::service
