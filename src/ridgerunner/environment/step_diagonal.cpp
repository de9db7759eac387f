#include "ridgerunner/environment/step_diagonal.h"

#include <cmath>

#include "ridgerunner/environment/anchored.h"

namespace ridgerunner {
namespace {

class StepDiagonal final : public Anchored {
 public:
  using Anchored::Anchored;

 private:
  double reward(const VectorIn& context, double action) const override {
    return step_diagonal_reward(context[0], action);
  }
};

}  // namespace

double step_diagonal_reward(double context, double action) {
  if (std::abs(context - (action + 0.15)) < 0.1) return 1;
  if (std::abs(context - (action - 0.15)) < 0.1) return 0.5;
  return 0;
}

EnvironmentPtr step_diagonal(const EnvironmentSpec& spec, std::uint64_t seed) {
  return std::make_shared<StepDiagonal>(spec, 1, action_anchors(spec.draw, spec.actions, seed), seed);
}

}  // namespace ridgerunner
