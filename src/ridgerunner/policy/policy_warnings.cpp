#include "ridgerunner/policy/policy_warnings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "ridgerunner/regression/capabilities.h"

namespace ridgerunner {
namespace {

constexpr Index kLooked = 64, kEnough = 10;
constexpr double kStranger = 0.01, kAlike = 0.99;  // of k(s, s)

// The largest and smallest value between two states, over k(s, s), and their usual distance.
struct Likeness {
  double most = 0, least = 1, distance = 0;
};

std::optional<Likeness> likeness_of(const Policy& policy) {
  const auto* shows = capability<ShowsAnchors>(policy.regression());
  if (!shows) return std::nullopt;
  const MatrixIn all = shows->anchors();
  const Index n = std::min(all.cols(), kLooked);
  if (n < kEnough) return std::nullopt;
  Matrix states(all.rows(), n);  // spread over the whole history
  for (Index i = 0; i < n; ++i) states.col(i) = all.col(i * all.cols() / n);
  const KernelPtr kernel = make_kernel(policy.spec().kernel);
  const Matrix values = gram(*kernel, states, states) / policy.spec().kernel.variance;
  Likeness out;
  std::vector<double> distances;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double distance = (states.col(i) - states.col(j)).norm();
      if (!(distance > 0)) continue;
      distances.push_back(distance);
      out.most = std::max(out.most, values(i, j));
      out.least = std::min(out.least, values(i, j));
    }
  }
  if (std::ssize(distances) < n) return std::nullopt;
  const auto middle = distances.begin() + std::ssize(distances) / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  out.distance = *middle;
  return out;
}

}  // namespace

std::vector<std::string> warnings_about(const Policy& policy) {
  std::vector<std::string> out;
  const Spec& spec = policy.spec();
  if (const auto tuned = policy.statistics().tuned) out = tuned->warnings;
  const bool tunes_kernel = spec.tune.on() && spec.tune.kernel;
  if (tunes_kernel || policy.has_own_kernel() || !is_stationary(spec.kernel.type)) return out;
  const auto likeness = likeness_of(policy);
  if (!likeness) return out;
  const std::string scale = spec.kernel.lengthscale.size() == 1
                                ? fmt::format("the length-scale {:.4g} is", spec.kernel.lengthscale[0])
                                : std::string("the length-scales are");
  if (likeness->most < kStranger)
    out.push_back(
        fmt::format("{} far below the {:.3g} that states are apart: every state is a stranger, and "
                    "nothing is learnt from one for another (policy auto tunes it)",
                    scale, likeness->distance));
  if (likeness->least > kAlike)
    out.push_back(
        fmt::format("{} far above the {:.3g} that states are apart: all states look alike (policy auto "
                    "tunes it)",
                    scale, likeness->distance));
  return out;
}

}  // namespace ridgerunner
