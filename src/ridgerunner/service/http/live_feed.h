#pragma once

#include <cstdint>
#include <string>

#include "ridgerunner/service/experiment/service.h"

namespace ridgerunner::service {

// What one viewer of an experiment is told, as server-sent events.
class LiveFeed {
 public:
  LiveFeed(const Service& service, std::string name) : service_(service), name_(std::move(name)) {}

  // The text to send now, a second after the last call or so: the state if it has changed (and once more when
  // it no longer does, for the rates), a comment if nothing was sent for 15 seconds, else nothing. `now` is
  // in milliseconds. Throws as Service::live() does.
  std::string next(std::int64_t now);

 private:
  struct Seen {
    std::int64_t time = 0;  // 0: nothing yet
    std::uint64_t version = 0, last_event = 0, decisions = 0, rewards = 0;
  };
  const Service& service_;
  std::string name_;
  Seen seen_;
  std::int64_t sent_ = 0;
  bool moving_ = true;  // the rates sent last were not 0
};

}  // namespace ridgerunner::service
