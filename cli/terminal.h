#pragma once

#include <chrono>
#include <string>

#include <ridgerunner/experiment/sweep.h>

namespace ridgerunner::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();

// One line on standard error that is written over again; silent unless that is a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(bool enabled);
  ~ProgressBar();
  void show(const Progress& progress);

 private:
  bool enabled_;
  std::chrono::steady_clock::time_point start_, shown_;
};

}  // namespace ridgerunner::cli
