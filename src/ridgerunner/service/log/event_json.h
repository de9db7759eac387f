#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// Appends the event as one line of JSON, newline included; numbers read back exactly. `experiment` is the
// name of the event's experiment.
void append_event_line(std::string& out, const Event& event, std::string_view experiment);

// A line back. Bands that are not finite were written as null. What the line does not hold is
// event.experiment, except where the experiment is created: then it is the event's own number.
struct EventLine {
  Event event;
  std::string experiment;
};
class EventLineReader {
 public:
  EventLineReader();
  ~EventLineReader();

  // Throws Refusal (bad_request), naming the field, for what append_event_line() would not have written.
  EventLine read(std::string_view line);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace ridgerunner::service
