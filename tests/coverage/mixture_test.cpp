// On the exact engine the martingale mixtures and IGP's bound must contain the truth at all rounds and states
// at once in at least 1 - delta of all runs; the bound of Wang and de Freitas at one round.
#include <gtest/gtest.h>

#include "coverage/mixture_runs.h"
#include "oracles/binomial.h"
#include "ridgerunner/bounds/chowdhury2017_igp.h"
#include "ridgerunner/bounds/flynn2024_mixtures.h"
#include "ridgerunner/bounds/wang2014.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner::coverage::mixture_test {
namespace {

constexpr double kDelta = 0.1;
constexpr int kRuns = 300;
const std::vector<double> kGrid = {0.1, 0.3, 1, 3, 10};

int allowed() {
  return oracle::most_successes(kRuns, kDelta, 1e-4);
}

std::unique_ptr<Regression> exact(const MixtureSetting& setting, const Matrix&) {
  return std::make_unique<ExactRegression>(setting.kernel, setting.ridge);
}
std::unique_ptr<Regression> exact_on_grid(const MixtureSetting& setting, const Matrix&) {
  std::vector<double> further;
  for (const double multiple : kGrid)
    if (multiple != 1) further.push_back(multiple * setting.ridge);
  return std::make_unique<ExactRegression>(setting.kernel, setting.ridge, std::nullopt, further);
}

// Much noise and little.
std::vector<MixtureSetting> settings(int rounds, Index points) {
  return {{gaussian(0.3), 1, 1, 1, rounds, points}, {matern52(0.4), 0.04, 3, 0.2, rounds, points}};
}

TEST(MixtureCoverage, AmmHoldsAtAllRoundsAndPointsAtOnce) {
  for (const MixtureSetting& setting : settings(50, 40)) {
    const BoundPtr bound = amm_bound({kDelta, setting.norm, setting.noise});
    EXPECT_LE(failures(setting, exact, *bound, kRuns), allowed());
  }
}

TEST(MixtureCoverage, DmmHoldsAtAllRoundsAndPointsAtOnce) {
  for (const MixtureSetting& setting : settings(30, 25)) {
    const BoundPtr bound = dmm_bound({kDelta, setting.norm, setting.noise}, kGrid);
    EXPECT_LE(failures(setting, exact_on_grid, *bound, kRuns), allowed());
  }
}

TEST(MixtureCoverage, CmmHoldsAtAllRoundsAndPointsAtOnce) {
  for (const MixtureSetting& setting : settings(25, 4)) {
    const BoundPtr bound = cmm_bound({kDelta, setting.norm, setting.noise});
    EXPECT_LE(failures(setting, exact_on_grid, *bound, kRuns), allowed());
  }
}

TEST(MixtureCoverage, IgpHoldsAtAllRoundsAndPointsAtOnce) {
  for (MixtureSetting setting : settings(50, 40)) {
    setting.ridge = 1 + 2.0 / setting.rounds;
    const BoundPtr bound = igp_bound({kDelta, setting.norm, setting.noise});
    EXPECT_LE(failures(setting, exact, *bound, kRuns), allowed());
  }
}

TEST(MixtureCoverage, WangAndDeFreitasHoldAtOneRound) {
  for (MixtureSetting setting : settings(40, 40)) {
    setting.always = false;
    const BoundPtr bound = wang_de_freitas_bound({kDelta, setting.norm, setting.noise});
    EXPECT_LE(failures(setting, exact, *bound, kRuns), allowed());
  }
}

// The tests above can fail: who understates noise and norm is found out.
TEST(MixtureCoverage, ABandThatIsTooNarrowIsFoundOut) {
  const MixtureSetting setting{matern52(0.4), 0.04, 3, 0.2, 30, 40};
  const MixtureInputs inputs{kDelta, 0.6 * setting.norm, setting.noise / 5};
  for (const BoundPtr& bound : {amm_bound(inputs), dmm_bound(inputs, kGrid), cmm_bound(inputs)})
    EXPECT_GT(failures(setting, exact_on_grid, *bound, 100), oracle::most_successes(100, kDelta, 1e-4));
}

}  // namespace
}  // namespace ridgerunner::coverage::mixture_test
