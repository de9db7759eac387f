#include "ridgerunner/regression/dictionary/residual_budget.h"

#include <cmath>

#include <gtest/gtest.h>

#include "oracles/problems.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::residual_budget_test {
namespace {

using oracle::normals;
using oracle::uniform_points;

double admission(const ResidualBudget& parameters, double residual, Index number) {
  return residual_budget(parameters)->admission({Vector::Zero(1), 1, residual, number});
}

TEST(ResidualBudget, TakesWhatLeavesMoreThanItsShareOfTheBudget) {
  // (1/2)^2/100 = 0.0025.
  const ResidualBudget parameters{1, 2, 100};
  EXPECT_EQ(admission(parameters, 0.0025, 0), 0);
  EXPECT_EQ(admission(parameters, std::nextafter(0.0025, 1), 0), 1);
  EXPECT_EQ(admission(parameters, 0, 0), 0);
}

TEST(ResidualBudget, DoublesTheHorizonWhenItHasPassed) {
  const ResidualBudget parameters{1, 2, 100};
  const auto share = [&](Index number) {  // the largest residual that is refused
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (admission(parameters, middle, number) == 0 ? low : high) = middle;
    }
    return low;
  };
  EXPECT_NEAR(share(0), 0.0025, 1e-12);
  EXPECT_NEAR(share(99), 0.0025, 1e-12);  // the hundredth
  EXPECT_NEAR(share(100), 0.00125, 1e-12);
  EXPECT_NEAR(share(199), 0.00125, 1e-12);
  EXPECT_NEAR(share(200), 0.000625, 1e-12);
  EXPECT_NEAR(share(399), 0.000625, 1e-12);
  EXPECT_NEAR(share(400), 0.0003125, 1e-12);
}

TEST(ResidualBudget, KeepsTheSumOfResidualsWithinTheBudgetOverTheHorizon) {
  for (const bool arrival : {false, true}) {
    for (const double tolerance : {0.3, 2.0}) {
      const ResidualBudget parameters{tolerance, 2, 200};
      const double budget = tolerance * tolerance / 4;
      ProjectedRegression regression(gaussian(0.4), 0.1, residual_budget(parameters), {7, arrival, {}, {}});
      Stream random(3, Purpose::test);
      for (int t = 0; t < 800; ++t) {
        const Index before = regression.anchors().cols();
        regression.observe(uniform_points(random, 2, 1), normals(random, 1));
        EXPECT_LE(regression.anchors().cols(), before + 1);
        // Half a budget more for each time the horizon doubles.
        const double doublings = t < 200 ? 0 : std::ceil(std::log2((t + 1) / 200.0));
        EXPECT_LE(regression.evidence().residual_sum, budget * (1 + doublings / 2)) << t;
      }
      EXPECT_LT(regression.anchors().cols(), 150);
      EXPECT_GT(regression.anchors().cols(), 5);
    }
  }
}

TEST(ResidualBudget, ASmootherKernelNeedsFewerAnchors) {
  const auto anchors = [](const KernelPtr& kernel) {
    ProjectedRegression regression(kernel, 0.1, residual_budget({5, 10, 300}));
    Stream random(4, Purpose::test);
    regression.observe(uniform_points(random, 3, 300), normals(random, 300));
    return regression.anchors().cols();
  };
  const Index smooth = anchors(gaussian(0.5)), shorter = anchors(gaussian(0.2)),
              rough = anchors(matern32(0.5));
  EXPECT_LT(smooth, shorter);
  EXPECT_LT(shorter, rough);
  EXPECT_LT(smooth, 100);
}

TEST(ResidualBudget, RefusesParametersOutOfRange) {
  EXPECT_THROW(residual_budget({0, 1, 10}), InvalidArgument);
  EXPECT_THROW(residual_budget({1, 0, 10}), InvalidArgument);
  EXPECT_THROW(residual_budget({1, -1, 10}), InvalidArgument);
  EXPECT_THROW(residual_budget({1, 1, 0.5}), InvalidArgument);
  EXPECT_THROW(residual_budget({std::nan(""), 1, 10}), InvalidArgument);
  EXPECT_THROW(residual_budget({1, 1, std::nan("")}), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::residual_budget_test
