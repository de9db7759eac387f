#include "interrupt.h"

#include <atomic>
#include <csignal>

namespace ridgerunner::cli {
namespace {

std::atomic<bool> wished = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // so a signal handler may set it

}  // namespace

InterruptGuard::InterruptGuard() {
  std::signal(SIGINT, [](int) {
    wished = true;
    std::signal(SIGINT, SIG_DFL);
  });
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
}

bool interrupted() {
  return wished;
}

}  // namespace ridgerunner::cli
