#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ridgerunner/service/experiment/service.h"

namespace ridgerunner::service {

// An experiment's log as lines of JSON, made on a thread of its own and never more than two pieces ahead of
// whoever takes them.
class LogExport {
 public:
  struct Piece {
    std::string text;
    bool last = false;
    std::string trouble;  // if not empty: the export ends here, incomplete, and why
  };
  using Taker = std::function<void(Piece)>;

  // `held` is let go when the thread is about to end, and at once if it cannot start; the service must live
  // until then. Throws Refusal (too_many) if it cannot start.
  LogExport(const Service& service, std::string name, std::uint64_t from, std::shared_ptr<const void> held);
  ~LogExport();  // cancel()
  LogExport(const LogExport&) = delete;
  LogExport& operator=(const LogExport&) = delete;

  // Calls back once with the next piece, at once or from the export's thread. One call at a time, and none
  // after the last piece.
  void take(Taker taker);

  // Ends the export without waiting for its thread. Who waits for a piece gets a last one with trouble.
  void cancel();

 private:
  struct Handover;
  std::shared_ptr<Handover> handover_;
};

}  // namespace ridgerunner::service
