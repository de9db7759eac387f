// On a growing subspace the martingale mixtures must contain the truth at all rounds and states at once in at
// least 1 - delta of all runs, however few the anchors.
#include <gtest/gtest.h>

#include "coverage/mixture_runs.h"
#include "oracles/binomial.h"
#include "ridgerunner/bounds/flynn2024_mixtures.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/dictionary/residual_budget.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::coverage::growing_mixture_test {
namespace {

constexpr double kDelta = 0.1;
constexpr int kRuns = 300;

int allowed() {
  return oracle::most_successes(kRuns, kDelta, 1e-4);
}

MakeModel on(const std::function<std::unique_ptr<Dictionary>(const MixtureSetting&)>& dictionary,
             Index given = 0) {
  return [=](const MixtureSetting& setting, const Matrix& states) {
    ProjectedOptions options{11, true, {}, {}};
    if (given > 0) options.anchors = states.leftCols(given);
    return std::make_unique<ProjectedRegression>(setting.kernel, setting.ridge, dictionary(setting), options);
  };
}

// As the presets have it; with a tolerance as large as the function; anchors drawn, few; one anchor in all.
std::vector<MakeModel> models() {
  const auto budget = [](double part) {
    return [=](const MixtureSetting& s) {
      return residual_budget({part * s.norm, s.norm, static_cast<double>(s.rounds)});
    };
  };
  return {on(budget(0.005)), on(budget(1)), on([](const MixtureSetting& s) {
            return kors(s.kernel, {s.ridge, 0.1, 0.5});
          }),
          on([](const MixtureSetting&) { return empty_dictionary(); }, 1)};
}

std::vector<MixtureSetting> settings(int rounds, Index points) {
  return {{gaussian(0.4), 1, 1, 1, rounds, points}, {matern52(0.6), 0.01, 3, 0.1, rounds, points}};
}

// The bound as it would be on the exact engine.
class WithoutResiduals final : public Bound {
 public:
  explicit WithoutResiduals(BoundPtr bound) : bound_(std::move(bound)) {}
  std::optional<double> radius(const Evidence& evidence) const override {
    return bound_->radius(forget(evidence));
  }
  std::optional<Mixture> mixture(const Evidence& evidence) const override {
    return bound_->mixture(forget(evidence));
  }

 private:
  static Evidence forget(Evidence evidence) {
    evidence.residual_sum = 0;
    return evidence;
  }
  BoundPtr bound_;
};

BoundPtr amm(const MixtureSetting& s) {
  return amm_bound({kDelta, s.norm, s.noise});
}
BoundPtr dmm(const MixtureSetting& s) {
  return dmm_bound({kDelta, s.norm, s.noise}, {0.1, 0.3, 1, 3, 10});
}
BoundPtr cmm(const MixtureSetting& s) {
  return cmm_bound({kDelta, s.norm, s.noise});
}

void expect_holds(const MixtureSetting& setting, const Bound& bound) {
  int i = 0;
  for (const MakeModel& model : models())
    EXPECT_LE(failures(setting, model, bound, kRuns), allowed()) << "model " << i++;
}

TEST(GrowingMixtureCoverage, AmmHoldsAtAllRoundsAndPointsAtOnceWhateverTheAnchors) {
  for (const MixtureSetting& setting : settings(50, 30)) expect_holds(setting, *amm(setting));
}

TEST(GrowingMixtureCoverage, DmmHoldsAtAllRoundsAndPointsAtOnceWhateverTheAnchors) {
  for (const MixtureSetting& setting : settings(30, 20)) expect_holds(setting, *dmm(setting));
}

TEST(GrowingMixtureCoverage, CmmHoldsAtAllRoundsAndPointsAtOnceWhateverTheAnchors) {
  for (const MixtureSetting& setting : settings(20, 12)) expect_holds(setting, *cmm(setting));
}

TEST(GrowingMixtureCoverage, WithoutTheResidualsTheyFail) {
  const MixtureSetting setting{gaussian(0.2), 0.01, 5, 0.1, 120, 20};
  const MakeModel three = on([](const MixtureSetting&) { return empty_dictionary(); }, 3);
  for (const BoundPtr& bound : {amm(setting), dmm(setting), cmm(setting)}) {
    EXPECT_GT(failures(setting, three, WithoutResiduals(bound), 30), 15);
    EXPECT_EQ(failures(setting, three, *bound, 30), 0);
  }
}

}  // namespace
}  // namespace ridgerunner::coverage::growing_mixture_test
