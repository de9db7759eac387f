#pragma once

#include <cstdint>
#include <string>

#include "ridgerunner/service/service.h"

namespace ridgerunner::service {

// What one viewer of an experiment is told, as server-sent events.
class LiveFeed {
 public:
  LiveFeed(const Service& service, std::string name) : service_(service), name_(std::move(name)) {}

  // The text to send now, a second after the last call or so: the state if it has changed, a comment if there
  // was nothing to say for 15 seconds, else nothing. `now` is in milliseconds. Throws as Service::live()
  // does.
  std::string next(std::int64_t now);

 private:
  const Service& service_;
  std::string name_;
  std::int64_t said_ = 0, told_ = 0;  // when something, and when the state, was last sent
  std::uint64_t version_ = 0, last_event_ = 0, decisions_ = 0, rewards_ = 0;
};

}  // namespace ridgerunner::service
