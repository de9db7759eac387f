#include "ridgerunner/environment/chessboard.h"

#include <algorithm>

#include "ridgerunner/environment/anchored.h"

namespace ridgerunner {
namespace {

constexpr double kReward[4][4] = {
    // by quarter of the context, then of the action
    {0, 0.5, 0, 0},
    {1, 0, 1, 0},
    {0, 0.5, 0, 0.5},
    {0, 0, 1, 0},
};

int quarter(double value) {
  return std::clamp(static_cast<int>(4 * value), 0, 3);
}

class Chessboard final : public Anchored {
 public:
  using Anchored::Anchored;

 private:
  double reward(const VectorIn& context, double action) const override {
    return chessboard_reward(context[0], action);
  }
};

}  // namespace

double chessboard_reward(double context, double action) {
  return kReward[quarter(context)][quarter(action)];
}

EnvironmentPtr chessboard(const EnvironmentSpec& spec, std::uint64_t seed) {
  return std::make_shared<Chessboard>(spec, 1, action_anchors(spec.draw, spec.actions, seed), seed);
}

}  // namespace ridgerunner
