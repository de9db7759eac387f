#pragma once

namespace ridgerunner::cli {

// While it lives, Ctrl-C is a wish that interrupted() tells of rather than the end of the program. A second
// Ctrl-C is the end.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool interrupted();

}  // namespace ridgerunner::cli
