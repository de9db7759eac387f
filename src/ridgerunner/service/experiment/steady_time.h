#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

namespace ridgerunner::service {

// Milliseconds since 1970 for deadlines. Runs with the steady clock and follows the wall clock slowly, by at
// most a hundredth of the time that passes: a wall clock that is set an hour back or forth expires nothing.
// Never runs backwards.
class SteadyTime {
 public:
  using Milliseconds = std::function<std::int64_t()>;
  SteadyTime();                                        // on the system's clocks
  SteadyTime(Milliseconds steady, Milliseconds wall);  // for tests
  std::int64_t now();

 private:
  Milliseconds steady_, wall_;
  std::mutex mutex_;  // guards what follows
  std::int64_t last_steady_, time_;
  std::int64_t allowance_ = 0;  // by how many hundredths of a millisecond the wall clock may be followed
};

}  // namespace ridgerunner::service
