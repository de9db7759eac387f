// Load for a running decision service: requests on kept connections, as fast as answers come or at a rate,
// several kinds at once. Prints one JSON object a kind with its rate and its latencies in microseconds.
//
//   ridgerunner_service_load --port 8080 --experiment load --seconds 5 decide,ids=a
//   reward,ids=b,rate=2000,connections=8
//
// Kinds: decide; check (the same bodies, parsed and answered without deciding); reward (of decisions made
// before with the same ids). Decisions are numbered: ids=a,first=0 sends the event ids a0000000000000000,
// a0000000000000001, ...
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "ridgerunner/service/http/client.h"

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

struct Options {
  int port = 8080, actions = 30, dimension = 8, bodies = 64;
  double seconds = 5, warmup = 0.5;
  std::string experiment = "load";
  std::vector<std::string> kinds;
};

// One kind of request.
struct Kind {
  std::string name, ids = "a";
  int connections = 16;
  double rate = 0;        // a second; 0: as fast as answers come
  long first = 0;         // number of the first event id
  long count = 1L << 62;  // at most so many requests
  // A request with 16 digits to be filled in at `digits`.
  struct Request {
    std::string text;
    std::size_t digits;
  };
  std::vector<Request> requests;
};

struct Results {
  long answers = 0, failures = 0;
  std::string first_failure;
  std::vector<float> latencies;  // microseconds, of answers after the warm-up
  Time first, last;
};

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

double option_number(const std::string& text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw std::runtime_error(fmt::format("{} must be a number >= 0, got \"{}\"", option, text));
  return value;
}

// NAME[,key=value]...
Kind parse_kind(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t end; (end = text.find(',', start)) != std::string::npos; start = end + 1)
    parts.push_back(text.substr(start, end - start));
  parts.push_back(text.substr(start));
  Kind kind;
  kind.name = parts[0];
  if (kind.name != "decide" && kind.name != "check" && kind.name != "reward")
    throw std::runtime_error(fmt::format("kind must be decide, check or reward, got \"{}\"", kind.name));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = std::min(parts[i].find('='), parts[i].size());
    const std::string key = parts[i].substr(0, equals);
    const std::string value = parts[i].substr(std::min(equals + 1, parts[i].size()));
    if (key == "ids")
      kind.ids = value;
    else if (key == "connections")
      kind.connections = static_cast<int>(option_number(value, key));
    else if (key == "rate")
      kind.rate = option_number(value, key);
    else if (key == "first")
      kind.first = static_cast<long>(option_number(value, key));
    else if (key == "count")
      kind.count = static_cast<long>(option_number(value, key));
    else
      throw std::runtime_error(
          fmt::format("kinds take ids, connections, rate, first and count, got \"{}\"", key));
  }
  return kind;
}

std::string decide_body(const Options& options, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::string body = "\"actions\":[";
  for (int action = 0; action < options.actions; ++action) {
    body += action ? ",[" : "[";
    for (int k = 0; k < options.dimension; ++k)
      body += fmt::format("{}{:.6f}", k ? "," : "", uniform(random));
    body += "]";
  }
  return body + "]}";
}

void prepare_requests(const Options& options, Kind& kind) {
  std::mt19937 random(7);
  const std::string path = kind.name == "reward"  ? "reward"
                           : kind.name == "check" ? "decide?check=true"
                                                  : "decide";
  for (int i = 0; i < options.bodies; ++i) {
    const std::string rest =
        kind.name == "reward"
            ? fmt::format("\"reward\":{:.6f}}}", static_cast<double>(random() % 1000000) / 1e6)
            : decide_body(options, random);
    const std::string start = fmt::format("{{\"event_id\":\"{}", kind.ids);
    const std::size_t length = start.size() + 16 + 2 + rest.size();
    Kind::Request request;
    request.text = fmt::format(
        "POST /v1/experiments/{}/{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        options.experiment, path, options.port, length, start);
    request.digits = request.text.size();
    request.text += std::string(16, '0') + "\"," + rest;
    kind.requests.push_back(std::move(request));
  }
}

// One kept connection. At most one request is under way on it.
class Connection {
 public:
  explicit Connection(int port) : client_(fmt::format("127.0.0.1:{}", port)) {}

  int descriptor() const { return client_.descriptor(); }

  // Requests are small enough for the socket's buffer, so this does not wait.
  void send(const std::string& text, Time counted_from) {
    counted_from_ = counted_from;
    client_.send(text);
  }

  // Reads what is there; true once the answer is complete.
  bool receive() {
    if (!client_.receive()) return false;
    answer_ = client_.take();
    return true;
  }

  bool succeeded() const { return answer_.status == 200; }
  std::string answer() const { return answer_.head + answer_.body; }
  Time counted_from() const { return counted_from_; }

 private:
  ridgerunner::service::HttpClient client_;
  ridgerunner::service::HttpAnswer answer_;
  Time counted_from_;
};

// The connections of one kind, and whose turn it is.
class Stream {
 public:
  Stream(const Options& options, Kind kind) : kind_(std::move(kind)) {
    prepare_requests(options, kind_);
    for (int i = 0; i < kind_.connections; ++i) {
      connections_.push_back(std::make_unique<Connection>(options.port));
      idle_.push_back(connections_.back().get());
    }
  }

  const Kind& kind() const { return kind_; }
  const Results& results() const { return results_; }
  const std::vector<std::unique_ptr<Connection>>& connections() const { return connections_; }
  bool under_way() const { return idle_.size() < connections_.size(); }
  bool used_up() const { return sent_ >= kind_.count; }

  void start(Time now, Time warm) {
    due_ = now;
    warm_ = warm;
  }

  // Sends what is due; the time of what comes next, if it waits for the clock.
  Time send(Time now) {
    while (!idle_.empty() && !used_up() && (kind_.rate == 0 || due_ <= now)) {
      Connection* connection = idle_.front();
      idle_.pop_front();
      // What found no free connection when it was due counts from then; our own lateness does not count.
      const Time counted_from = kind_.rate > 0 && were_busy_ ? due_ : Clock::now();
      connection->send(next_request(), counted_from);
      if (kind_.rate > 0) due_ += std::chrono::nanoseconds(static_cast<long>(1e9 / kind_.rate));
    }
    were_busy_ = idle_.empty();
    return kind_.rate > 0 && !idle_.empty() && !used_up() ? due_ : Time::max();
  }

  void receive(Connection& connection) {
    if (!connection.receive()) return;
    const Time now = Clock::now();
    if (!connection.succeeded() && results_.failures++ == 0) results_.first_failure = connection.answer();
    if (now >= warm_ && connection.succeeded()) {
      if (results_.answers++ == 0) results_.first = now;
      results_.last = now;
      results_.latencies.push_back(
          std::chrono::duration<float, std::micro>(now - connection.counted_from()).count());
    }
    idle_.push_back(&connection);
  }

  long sent() const { return sent_; }

 private:
  const std::string& next_request() {
    Kind::Request& request = kind_.requests[static_cast<std::size_t>(sent_) % kind_.requests.size()];
    const std::string digits = fmt::format("{:016d}", kind_.first + sent_);
    request.text.replace(request.digits, 16, digits);
    ++sent_;
    return request.text;
  }

  Kind kind_;
  Results results_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::deque<Connection*> idle_;
  long sent_ = 0;
  bool were_busy_ = false;
  Time due_, warm_;
};

// A clock with finer steps than epoll's milliseconds.
class Alarm {
 public:
  Alarm() : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)) {
    if (timer_ < 0) fail("timerfd_create");
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() { ::close(timer_); }

  int descriptor() const { return timer_; }
  void set(Time now, Time when) {
    const auto wait = std::max<long>(1, std::chrono::nanoseconds(when - now).count());
    itimerspec spec{};
    spec.it_value = {wait / 1'000'000'000, wait % 1'000'000'000};
    if (::timerfd_settime(timer_, 0, &spec, nullptr) != 0) fail("timerfd_settime");
  }
  void acknowledge() {
    std::uint64_t expirations;
    if (::read(timer_, &expirations, sizeof expirations) < 0 && errno != EAGAIN) fail("read a timer");
  }

 private:
  int timer_;
};

struct Watched {
  Stream* stream;
  Connection* connection;  // null: the alarm
};

void watch(int epoll, int descriptor, Watched* watched) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = watched;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll_ctl");
}

// Until the time is over or all has been sent, and everything sent has been answered (for 10 s at most).
void run(const Options& options, std::vector<std::unique_ptr<Stream>>& streams) {
  const int epoll = ::epoll_create1(0);
  if (epoll < 0) fail("epoll_create1");
  Alarm alarm;
  std::deque<Watched> all{{nullptr, nullptr}};
  watch(epoll, alarm.descriptor(), &all.back());
  for (const auto& stream : streams)
    for (const auto& connection : stream->connections()) {
      all.push_back({stream.get(), connection.get()});
      watch(epoll, connection->descriptor(), &all.back());
    }
  const auto length = [](double seconds) {
    return std::chrono::nanoseconds(static_cast<long>(seconds * 1e9));
  };
  const Time start = Clock::now(), end = start + length(options.warmup + options.seconds);
  for (const auto& stream : streams) stream->start(start, start + length(options.warmup));
  for (Time now = start; now < end + std::chrono::seconds(10); now = Clock::now()) {
    Time next = end + std::chrono::seconds(10);
    bool busy = false;
    for (const auto& stream : streams) {
      if (now < end) next = std::min(next, stream->send(now));
      busy = busy || stream->under_way() || (now < end && !stream->used_up());
    }
    if (!busy) break;
    alarm.set(now, std::min(next, now < end ? end : next));
    epoll_event events[64];
    const int count = ::epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < count; ++i) {
      const Watched& watched = *static_cast<Watched*>(events[i].data.ptr);
      if (watched.connection)
        watched.stream->receive(*watched.connection);
      else
        alarm.acknowledge();
    }
  }
  ::close(epoll);
}

void print(Stream& stream) {
  Results results = stream.results();
  std::sort(results.latencies.begin(), results.latencies.end());
  const auto quantile = [&](double share) {
    if (results.latencies.empty()) return 0.f;
    return results
        .latencies[static_cast<std::size_t>(share * static_cast<double>(results.latencies.size() - 1))];
  };
  const double seconds = std::chrono::duration<double>(results.last - results.first).count();
  const double rate = results.answers > 1 ? static_cast<double>(results.answers - 1) / seconds : 0;
  fmt::print(
      "{{\"kind\":\"{}\",\"sent\":{},\"answers\":{},\"failures\":{},\"rate\":{:.1f},\"p50\":{:.0f},\"p90\":{:"
      ".0f},"
      "\"p99\":{:.0f},\"max\":{:.0f}}}\n",
      stream.kind().name, stream.sent(), results.answers, results.failures, rate, quantile(0.5),
      quantile(0.9), quantile(0.99), quantile(1));
  if (results.failures) fmt::print(stderr, "the first failure: {}\n", results.first_failure);
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  CLI::App app("Load for a running decision service on 127.0.0.1");
  app.add_option("--port", options.port)->check(CLI::Range(1, 65535));
  app.add_option("--experiment", options.experiment);
  app.add_option("--seconds", options.seconds, "How long to measure, at most")
      ->check(CLI::Range(0.01, 3600.0));
  app.add_option("--warmup", options.warmup, "Seconds before, not counted")->check(CLI::Range(0.0, 60.0));
  app.add_option("--actions", options.actions)->check(CLI::Range(1, 10000));
  app.add_option("--dimension", options.dimension)->check(CLI::Range(1, 1000));
  app.add_option("kinds", options.kinds,
                 "decide, check or reward, with ,ids= ,connections= ,rate= ,first= ,count=")
      ->required();
  CLI11_PARSE(app, count, arguments);
  try {
    std::vector<std::unique_ptr<Stream>> streams;
    for (const std::string& kind : options.kinds)
      streams.push_back(std::make_unique<Stream>(options, parse_kind(kind)));
    run(options, streams);
    bool failed = false;
    for (const auto& stream : streams) {
      print(*stream);
      failed = failed || stream->results().failures > 0;
    }
    return failed ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
