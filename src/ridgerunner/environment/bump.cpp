#include "ridgerunner/environment/bump.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgerunner/environment/anchored.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {
namespace {

class BumpEnvironment final : public Anchored {
 public:
  BumpEnvironment(const EnvironmentSpec& spec, const Vector& anchors, std::uint64_t seed)
      : Anchored(spec, Bump::context_dim, anchors, seed), bump_(draw_bump(spec.draw, anchors, seed)) {}

 private:
  double reward(const VectorIn& context, double action) const override {
    return bump_.reward(context, action);
  }

  Bump bump_;
};

}  // namespace

double Bump::reward(const VectorIn& context, double action) const {
  return std::max(0.0, 1 - std::abs(action - best_action) - slope.dot(context - origin));
}

Bump draw_bump(Draw draw, const VectorIn& anchors, std::uint64_t seed) {
  Bump bump{0.81, Vector(Bump::context_dim), Vector(Bump::context_dim)};
  if (draw == Draw::paper) {
    bump.origin << 0.1085, 0.5117, 0.9098, 0.2184, 0.3631;
    bump.slope << 0.7099, 0.4228, -0.2141, -0.5374, -0.2397;
    return bump;
  }
  Stream stream(seed, Purpose::environment, 1);
  bump.best_action = anchors[stream.index(anchors.size())];
  for (double& entry : bump.origin) entry = stream.uniform();
  for (double& entry : bump.slope) entry = stream.uniform(-1, 1);
  return bump;
}

EnvironmentPtr bump(const EnvironmentSpec& spec, std::uint64_t seed) {
  return std::make_shared<BumpEnvironment>(spec, action_anchors(spec.draw, spec.actions, seed), seed);
}

}  // namespace ridgerunner
