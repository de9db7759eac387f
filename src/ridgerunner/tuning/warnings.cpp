#include "ridgerunner/tuning/warnings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ridgerunner {

std::vector<std::string> tuning_warnings(const Tuned& tuned, Index columns, const Rewards& rewards) {
  constexpr Index kEnoughToJudge = 30;
  constexpr Index kFewSuccesses = 10;
  std::vector<std::string> out;
  const Index moved = columns - std::ssize(tuned.ignored);
  if (tuned.at < 2 * moved)
    out.push_back(
        fmt::format("{} observations of {} columns: too few to tell which columns matter", tuned.at, moved));
  if (tuned.forgotten > 0)
    out.push_back(
        fmt::format("the first {} observations count no more: later ones contradict them", tuned.forgotten));
  if (!tuned.ignored.empty() && tuned.at >= kEnoughToJudge)
    out.push_back(
        fmt::format("{} of {} columns never changed and are ignored", tuned.ignored.size(), columns));
  if (tuned.two_valued) {
    const double low = rewards.clipped.minCoeff();
    const Index high = (rewards.clipped.array() > low).count();
    const Index rarer = std::min(high, rewards.clipped.size() - high);
    if (rarer < kFewSuccesses && tuned.at >= kEnoughToJudge)
      out.push_back(fmt::format("one of the two rewards came only {} times in {}: hard to learn from", rarer,
                                tuned.at));
  }
  if (tuned.at >= kEnoughToJudge && tuned.ridge >= 10)
    out.emplace_back("the rewards are nearly all noise: nothing in the states explains them so far");
  if (tuned.coverage90 && tuned.at >= kEnoughToJudge && *tuned.coverage90 < 0.7)
    out.push_back(fmt::format(
        "only {:.0f} % of new rewards fell into 90 % intervals: the world changes, or the model is too sure",
        100 * *tuned.coverage90));
  return out;
}

}  // namespace ridgerunner
