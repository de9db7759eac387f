#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ridgerunner/service/log/event.h"
#include "ridgerunner/service/log/event_log.h"

namespace ridgerunner::service {

// Gives events their sequence numbers and makes them durable, all that wait in one commit. Once the log has
// failed it takes no more.
class Journal {
 public:
  using Committed = std::function<void(std::vector<EventPtr> events, double seconds)>;

  // `committed` is called on the journal's thread after each commit, in order.
  Journal(EventLog& log, Committed committed);
  ~Journal();

  // The event with its number; `complete`, if given, may finish what depends on it. Throws Refusal: read_only
  // after a failure, draining after stop(); NumericalError for an event that would not be read as it is
  // written: then nothing was appended.
  EventPtr append(Event event, const std::function<void(Event&)>& complete = nullptr);

  std::uint64_t durable() const;
  std::uint64_t appended() const;
  std::string trouble() const;  // why the log failed; empty if it did not

  void when_durable(std::uint64_t seq, std::function<void(bool)> callback);
  bool wait_durable(std::uint64_t seq);

  void stop();  // commits what is there, then takes no more

 private:
  struct Waiting {
    std::uint64_t seq;
    std::function<void(bool)> callback;
  };

  void write();
  std::vector<Waiting> take_waiting(std::uint64_t through);

  EventLog& log_;
  Committed committed_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  std::vector<EventPtr> queue_;
  std::vector<Waiting> waiting_;
  std::uint64_t appended_ = 0, durable_ = 0;
  std::string trouble_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ridgerunner::service
