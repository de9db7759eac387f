#pragma once

// What the connections of a server share, for http_server.cpp alone.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio.hpp>

#include "ridgerunner/service/http/http_server.h"

namespace ridgerunner::service {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using Clock = std::chrono::steady_clock;
using IoExecutor = net::io_context::executor_type;
using Strand = net::strand<IoExecutor>;
using Socket = net::basic_stream_socket<tcp, Strand>;
using Timer = net::basic_waitable_timer<Clock, net::wait_traits<Clock>, Strand>;
template <class Result>
using Awaitable = net::awaitable<Result, Strand>;
constexpr net::use_awaitable_t<Strand> kAwait;

inline std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

// A number of things of which there may be so many at a time.
class Quota {
 public:
  explicit Quota(std::size_t most) : most_(most) {}
  bool take(std::size_t amount = 1) {
    if (used_.fetch_add(amount) + amount <= most_) return true;
    used_.fetch_sub(amount);
    return false;
  }
  void give_back(std::size_t amount = 1) { used_.fetch_sub(amount); }

 private:
  std::size_t most_;
  std::atomic<std::size_t> used_ = 0;
};

// How long experiments' models take to answer: those that take long are asked on threads of their own.
class Paces {
 public:
  bool slow(const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto found = averages_.find(name);
    return found != averages_.end() && found->second > kSlow;
  }
  void add(const std::string& name, double seconds) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = averages_.find(name);
      if (found != averages_.end()) {
        // Two threads at once may lose one of two measurements, which does no harm.
        const double before = found->second.load(std::memory_order_relaxed);
        found->second.store(before + (seconds - before) / 16, std::memory_order_relaxed);
        return;
      }
    }
    const std::unique_lock lock(mutex_);
    averages_.try_emplace(name, seconds);
  }

 private:
  static constexpr double kSlow = 1e-3;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::atomic<double>> averages_;
};

class Connection;

struct HttpCore {
  HttpCore(const HttpOptions& chosen, const Gate& who, Metrics& figures, Log& lines)
      : options(chosen),
        gate(who),
        metrics(figures),
        log(lines),
        open(chosen.connections),
        streams(chosen.streams),
        exports(chosen.exports),
        body_bytes(chosen.in_flight_bytes),
        workers(static_cast<std::size_t>(std::max(1, chosen.workers))),
        acceptor(net::make_strand(io)),
        pause(acceptor.get_executor()),
        sweep(acceptor.get_executor()) {}

  const HttpOptions options;
  const Gate& gate;
  Metrics& metrics;
  Log& log;
  std::atomic<Service*> service = nullptr;
  std::atomic<bool> draining = false;
  Quota open, streams, exports, body_bytes;
  Paces paces;
  std::atomic<std::size_t> promised = 0;  // calls that threads of others will still make

  std::mutex mutex;  // guards the connections
  std::condition_variable gone;
  std::unordered_set<Connection*> connections;

  net::io_context io;
  net::thread_pool workers;
  net::basic_socket_acceptor<tcp, Strand> acceptor;
  Timer pause, sweep;
  std::string address;
  std::vector<std::thread> threads;
};

}  // namespace ridgerunner::service
