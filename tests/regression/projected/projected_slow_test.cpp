// A hundred thousand rounds of EK-UCB, then everything that was carried along computed afresh.
#include <cmath>

#include <gtest/gtest.h>

#include "oracles/problems.h"
#include "regression/drift.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::projected_slow_test {
namespace {

TEST(ProjectedAtScale, AHundredThousandRoundsDoNotDrift) {
  const KernelPtr kernel = gaussian(0.15);
  const double ridge = 0.1;
  Stream random(1, Purpose::test);
  ProjectedRegression projected(kernel, ridge, kors(kernel, {1, 0.3, 0.5}));
  Workspace workspace;
  for (int t = 0; t < 100'000; ++t) {
    const Matrix offered = oracle::uniform_points(random, 2, 10);
    const BestUpper best = projected.best_upper(offered, 0.1, workspace);
    ASSERT_TRUE(std::isfinite(best.mean) && std::isfinite(best.sd)) << t;
    ASSERT_EQ(best.clamped, 0) << t;
    const Vector reward = Vector::Constant(1, std::sin(9 * offered(0, best.index)) + 0.1 * random.normal());
    projected.observe(offered.col(best.index), reward, workspace);
  }
  EXPECT_EQ(projected.evidence().rounds, 100'000);
  EXPECT_GT(projected.anchors().cols(), 60);
  EXPECT_LT(projected.anchors().cols(), 200);
  oracle::expect_no_drift(projected, *kernel, ridge, 1e-6);
}

TEST(ProjectedAtScale, AHundredThousandRoundsWithoutHistoryStayFinite) {
  const KernelPtr kernel = gaussian(0.15);
  Stream random(2, Purpose::test);
  ProjectedRegression projected(kernel, 0.1, kors(kernel, {1, 0.3, 0.5}), {7, true, {}, {}});
  Workspace workspace;
  for (int t = 0; t < 100'000; ++t)
    projected.observe(oracle::uniform_points(random, 2, 1), oracle::normals(random, 1), workspace);
  // tr V^-1 is carried along from update to update, and is known from the factor.
  const Index m = projected.anchors().cols();
  Matrix inverse = Matrix::Identity(m, m);
  projected.memory().precision.solve(inverse);
  EXPECT_NEAR(projected.memory().trace_inverse / inverse.squaredNorm(), 1, 1e-6);
  EXPECT_TRUE(predict(projected, oracle::uniform_points(random, 2, 100)).sd.allFinite());
  EXPECT_EQ(projected.memory().points.size(), 0);
}

}  // namespace
}  // namespace ridgerunner::projected_slow_test
