#include "ridgerunner/service/log/journal.h"

#include <algorithm>
#include <chrono>
#include <future>

#include <fmt/format.h>
#include <pthread.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {

Journal::Journal(EventLog& log, Committed committed) : log_(log), committed_(std::move(committed)) {
  appended_ = durable_ = log_.last();
  thread_ = std::thread([this] { write(); });
  pthread_setname_np(thread_.native_handle(), "rr-journal");
}

Journal::~Journal() {
  stop();
}

EventPtr Journal::append(Event event, const std::function<void(Event&)>& complete) {
  try {
    require_writable(event);
  } catch (const InvalidArgument& error) {
    throw NumericalError(fmt::format("not done, since it could not be read again: {}", error.what()));
  }
  const auto shared = std::make_shared<Event>(std::move(event));
  const std::scoped_lock lock(mutex_);
  if (!trouble_.empty()) throw Refusal(Reason::read_only, "the log cannot be written: " + trouble_);
  if (stopping_) throw Refusal(Reason::draining, "the server is shutting down");
  shared->seq = appended_ + 1;
  if (complete) complete(*shared);
  queue_.push_back(shared);
  ++appended_;
  if (queue_.size() == 1) work_.notify_one();
  return shared;
}

std::uint64_t Journal::durable() const {
  const std::scoped_lock lock(mutex_);
  return durable_;
}

std::uint64_t Journal::appended() const {
  const std::scoped_lock lock(mutex_);
  return appended_;
}

std::string Journal::trouble() const {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

void Journal::when_durable(std::uint64_t seq, std::function<void(bool)> callback) {
  bool durable = false;
  {
    const std::scoped_lock lock(mutex_);
    durable = seq <= durable_;
    if (!durable && trouble_.empty()) {
      waiting_.push_back({seq, std::move(callback)});
      return;
    }
  }
  callback(durable);
}

bool Journal::wait_durable(std::uint64_t seq) {
  std::promise<bool> promise;
  std::future<bool> durable = promise.get_future();
  when_durable(seq, [&](bool done) { promise.set_value(done); });
  return durable.get();
}

void Journal::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  if (thread_.joinable()) thread_.join();
}

// Those that wait for nothing beyond `through`. The mutex is held.
std::vector<Journal::Waiting> Journal::take_waiting(std::uint64_t through) {
  const auto done = std::stable_partition(waiting_.begin(), waiting_.end(),
                                          [&](const Waiting& waiting) { return waiting.seq > through; });
  std::vector<Waiting> taken(std::make_move_iterator(done), std::make_move_iterator(waiting_.end()));
  waiting_.erase(done, waiting_.end());
  return taken;
}

void Journal::write() {
  std::vector<EventPtr> batch;
  std::vector<Record> records;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      batch.clear();
      batch.swap(queue_);
    }
    const auto start = std::chrono::steady_clock::now();
    std::string trouble;
    try {
      records.clear();
      for (const EventPtr& event : batch) records.push_back({event->seq, encode(*event)});
      log_.append(records);
    } catch (const std::exception& error) {
      trouble = error.what();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::vector<Waiting> done;
    {
      const std::scoped_lock lock(mutex_);
      trouble_ = trouble;
      if (trouble.empty()) durable_ = batch.back()->seq;
      done = take_waiting(trouble.empty() ? durable_ : ~std::uint64_t{0});
    }
    if (trouble.empty() && committed_) committed_(std::move(batch), seconds);
    for (Waiting& waiting : done) waiting.callback(trouble.empty());
    if (!trouble.empty()) return;
  }
}

}  // namespace ridgerunner::service
