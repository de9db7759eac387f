#include "ridgerunner/policy/thompson.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/regression/state_index.h"
#include "ridgerunner/selection/correlated_draws.h"

namespace ridgerunner {
namespace {

constexpr Index kDrawnAtOnce = 32;  // bounds the memory
static_assert(kThompsonSamples % kDrawnAtOnce == 0);

BestUpper one_of(const Prediction& at, Index index) {
  BestUpper one;
  one.index = index;
  one.mean = at.mean[index];
  one.sd = at.sd[index];
  one.clamped = at.clamped;
  return one;
}

// The argmax of mean + radius ξ for each of the samples.
std::vector<Index> winners(const Vector& mean, const CorrelatedDraws& draws, double radius, Stream& random) {
  std::vector<Index> winners;
  Matrix sample(draws.size(), kDrawnAtOnce);
  while (std::ssize(winners) < kThompsonSamples) {
    draws.draw(random, sample);
    sample *= radius;
    sample.colwise() += mean;
    if (!sample.allFinite()) throw NumericalError("a draw of the rewards is not finite");
    for (Index j = 0; j < sample.cols(); ++j) {
      const double* first = sample.col(j).data();
      winners.push_back(std::max_element(first, first + sample.rows()) -
                        first);  // the lowest index of equals
    }
  }
  return winners;
}

class Thompson final : public Rule {
 public:
  Pick pick(const Situation& situation, Stream random, Workspace& workspace) const override {
    const MatrixIn& states = situation.candidates.states;
    const auto radius = situation.bound.radius(situation.evidence);
    if (!radius) throw InvalidArgument("thompson needs a bound that is one radius");
    if (!std::isfinite(*radius))
      throw NumericalError(fmt::format("the radius is {}, too large to draw with", *radius));
    JointPrediction joint = predict_jointly(situation.regression, states, workspace);
    const Prediction at = joint.at;
    const auto decided = [&](Index index, double propensity) {
      return picked(situation, one_of(at, index), propensity, workspace);
    };
    if (*radius == 0) return decided(best_of(at, 0).index, 1);
    const std::vector<Index> contenders = thompson_contenders(states, at, *radius);
    if (contenders.size() == 1) return decided(contenders.front(), 1);
    joint.keep(contenders);
    const Vector mean = joint.at.mean;
    const std::vector<Index> table = winners(mean, CorrelatedDraws(std::move(joint)), *radius, random);
    const Index chosen = table[static_cast<std::size_t>(random.index(kThompsonSamples))];
    const auto votes = std::count(table.begin(), table.end(), chosen);
    return decided(contenders[static_cast<std::size_t>(chosen)],
                   static_cast<double>(votes) / static_cast<double>(kThompsonSamples));
  }
};

}  // namespace

// The difference of two draws has at most the sum of their standard deviations.
std::vector<Index> thompson_contenders(const MatrixIn& states, const Prediction& at, double radius) {
  const Vector wide = kHopeless * radius * at.sd;
  const double least = (at.mean - wide).maxCoeff();
  StateIndex seen;
  std::vector<Index> contenders;
  for (Index i = 0; i < states.cols(); ++i) {
    if (at.mean[i] + wide[i] < least || seen.find(states.col(i), states)) continue;
    seen.add(states.col(i), i);
    contenders.push_back(i);
  }
  return contenders;
}

RulePtr thompson_rule() {
  return std::make_shared<Thompson>();
}

}  // namespace ridgerunner
