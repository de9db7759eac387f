#include "terminal.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace ridgerunner::cli {

bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}
bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

ProgressBar::ProgressBar(bool enabled)
    : enabled_(enabled && stderr_is_terminal()), start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (enabled_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now - shown_ < std::chrono::milliseconds(80)) return;
  shown_ = now;
  constexpr int kWidth = 32;
  const double part = static_cast<double>(progress.rounds_done) / static_cast<double>(progress.rounds_total);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = part > 0 ? elapsed / part - elapsed : 0;
  const int full = static_cast<int>(part * kWidth);
  std::string bar;
  for (int i = 0; i < kWidth; ++i) bar += i < full ? "█" : "░";
  const std::string text = fmt::format("\r{} {:3.0f}%  {} of {} runs  {:.0f} s left\033[K", bar, 100 * part,
                                       progress.runs_done, progress.runs_total, left);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace ridgerunner::cli
