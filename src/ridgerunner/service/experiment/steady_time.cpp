#include "ridgerunner/service/experiment/steady_time.h"

#include <algorithm>
#include <chrono>

namespace ridgerunner::service {
namespace {

constexpr std::int64_t kShare = 100;                  // one part in so many
constexpr std::int64_t kMostAllowance = 10 * kShare;  // 10 ms, so that idle hours do not make a jump

template <class Clock>
std::int64_t milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

}  // namespace

SteadyTime::SteadyTime()
    : SteadyTime(milliseconds<std::chrono::steady_clock>, milliseconds<std::chrono::system_clock>) {}

SteadyTime::SteadyTime(Milliseconds steady, Milliseconds wall)
    : steady_(std::move(steady)), wall_(std::move(wall)), last_steady_(steady_()), time_(wall_()) {}

std::int64_t SteadyTime::now() {
  const std::scoped_lock lock(mutex_);
  const std::int64_t steady = steady_(), passed = std::max<std::int64_t>(steady - last_steady_, 0);
  last_steady_ = steady;
  allowance_ = std::min(allowance_ + passed, std::max(kMostAllowance, passed));
  const std::int64_t before = time_, most = allowance_ / kShare;
  const std::int64_t step = std::clamp(wall_() - (time_ + passed), -most, most);
  allowance_ -= kShare * std::abs(step);
  time_ = std::max(time_ + passed + step, before);
  return time_;
}

}  // namespace ridgerunner::service
