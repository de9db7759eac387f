#include "ridgerunner/tuning/rewards.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ridgerunner {
namespace {

// Linear between order statistics, the usual definition.
double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double sd_of(const Vector& values) {
  return std::sqrt((values.array() - values.mean()).square().mean());
}

}  // namespace

bool differ(const VectorIn& rewards) {
  return rewards.size() > 0 && rewards.minCoeff() < rewards.maxCoeff();
}

Rewards look_at_rewards(const VectorIn& rewards, double clip) {
  std::vector<double> sorted(rewards.data(), rewards.data() + rewards.size());
  std::sort(sorted.begin(), sorted.end());
  Rewards out;
  out.clipped = rewards;
  const double low = sorted.front(), high = sorted.back();
  const bool two = std::all_of(sorted.begin(), sorted.end(), [&](double y) { return y == low || y == high; });
  out.two_valued = two && sorted.size() >= 3;
  if (out.two_valued) {
    // Under a good policy the mean is near the better value, and whatever is untried would look excellent;
    // under one that rarely succeeds, the middle would.
    const double mean = rewards.mean(), width = high - low;
    out.centre = mean < low + width / 4 ? mean : low + width / 2;
  } else {
    out.centre = quantile(sorted, 0.5);
    const double quartiles = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    // At least the lowest and the highest are left out: among few, one wild value would be the spread.
    const auto cut = static_cast<std::size_t>(std::ceil(0.01 * static_cast<double>(sorted.size() - 1)));
    const Vector middle = out.clipped.cwiseMax(sorted[cut]).cwiseMin(sorted[sorted.size() - 1 - cut]);
    const double reach = clip * std::max(quartiles / 1.349, sd_of(middle));
    if (clip > 0 && quartiles > 0 && std::isfinite(reach)) {
      out.low = out.centre - reach;
      out.high = out.centre + reach;
      out.clipped = out.clipped.cwiseMax(*out.low).cwiseMin(*out.high);
    }
  }
  const double spread = sd_of(out.clipped);
  if (spread > 0 && std::isfinite(spread)) out.spread = spread;
  return out;
}

}  // namespace ridgerunner
