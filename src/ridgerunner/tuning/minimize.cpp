#include "ridgerunner/tuning/minimize.h"

#include <cmath>
#include <deque>

namespace ridgerunner {
namespace {

constexpr std::size_t kMemory = 5;
constexpr int kHalvings = 20;
constexpr double kArmijo = 1e-4;
constexpr double kSmallGradient = 1e-5, kSmallGain = 1e-8;
constexpr double kLongestStep = 2;  // of any entry in the first step, before the curvature is known

struct Step {
  Vector moved, turned;  // the step and the change of the gradient
  double curvature;      // their product, > 0
};

Vector clamped(const Vector& at, const Box& box) {
  return at.cwiseMax(box.lower).cwiseMin(box.upper);
}

// Entries at a limit that the function would like to cross stay where they are.
Vector free_part(Vector gradient, const Vector& at, const Box& box) {
  for (Index i = 0; i < at.size(); ++i) {
    const bool stuck =
        (at[i] <= box.lower[i] && gradient[i] > 0) || (at[i] >= box.upper[i] && gradient[i] < 0);
    if (stuck) gradient[i] = 0;
  }
  return gradient;
}

// -H g by the two loops of Nocedal & Wright 2006, algorithm 7.4; entries where g is 0 stay.
Vector direction(const Vector& gradient, const std::deque<Step>& steps) {
  Vector q = gradient;
  std::vector<double> weights(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    weights[i] = steps[i].moved.dot(q) / steps[i].curvature;
    q -= weights[i] * steps[i].turned;
  }
  if (!steps.empty()) q *= steps.back().curvature / steps.back().turned.squaredNorm();
  for (std::size_t i = 0; i < steps.size(); ++i)
    q += (weights[i] - steps[i].turned.dot(q) / steps[i].curvature) * steps[i].moved;
  for (Index i = 0; i < q.size(); ++i)
    if (gradient[i] == 0) q[i] = 0;
  return -q;
}

}  // namespace

Minimum minimize(const SmoothFunction& function, Vector start, const Box& box, int iterations) {
  Minimum best;
  best.at = clamped(start, box);
  Vector gradient(start.size());
  best.value = function(best.at, gradient);
  best.evaluations = 1;
  if (!std::isfinite(best.value)) return best;
  std::deque<Step> steps;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const Vector free = free_part(gradient, best.at, box);
    const double steepest = free.size() > 0 ? free.lpNorm<Eigen::Infinity>() : 0;
    if (!(steepest > kSmallGradient)) return best;
    Vector toward = direction(free, steps);
    if (!(toward.dot(free) < 0)) {
      steps.clear();
      toward = -free;
    }
    if (steps.empty()) toward *= std::min(1.0, kLongestStep / steepest);
    const double before = best.value;
    bool moved = false;
    double length = 1;
    for (int halving = 0; halving < kHalvings && !moved; ++halving, length /= 2) {
      const Vector at = clamped(best.at + length * toward, box);
      const Vector step = at - best.at;
      const double promised = kArmijo * free.dot(step);
      if (!(promised < 0)) continue;
      Vector gradient_at(at.size());
      const double value = function(at, gradient_at);
      ++best.evaluations;
      if (!(value <= before + promised) || !gradient_at.allFinite()) continue;
      const Vector turned = gradient_at - gradient;
      const double curvature = step.dot(turned);
      if (curvature > 1e-10 * turned.squaredNorm()) {
        steps.push_back({step, turned, curvature});
        if (steps.size() > kMemory) steps.pop_front();
      }
      best.at = at;
      best.value = value;
      gradient = gradient_at;
      moved = true;
    }
    if (!moved || before - best.value < kSmallGain * (1 + std::abs(best.value))) return best;
  }
  return best;
}

}  // namespace ridgerunner
