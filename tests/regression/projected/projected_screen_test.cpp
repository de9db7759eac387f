#include "ridgerunner/regression/projected/projected_screen.h"

#include <gtest/gtest.h>

#include "oracles/problems.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/dictionary/residual_budget.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::projected_screen_test {
namespace {

constexpr double kRidge = 0.5;

ProjectedRegression model_of(Index rounds, double residual, Stream& random) {
  ProjectedRegression model(gaussian(1.0), kRidge, residual_budget({std::sqrt(residual * 1e9), 1, 1e9}),
                            {7, true, {}, {}});
  for (Index t = 0; t < rounds; ++t)
    model.observe(oracle::uniform_points(random, 4, 1), oracle::normals(random, 1));
  return model;
}

// λ sd^2 = k(s, s) - explained
Vector explained(const ProjectedRegression& model, const Matrix& states) {
  const Prediction at = predict(model, states);
  return at.prior - kRidge * at.sd.cwiseAbs2();
}

ProjectedScreen screen_of(const ProjectedRegression& model, const ProjectedScreen* before = nullptr) {
  return {model.memory().basis, model.memory().precision, kRidge, before};
}

Vector bound(const ProjectedScreen& screen, const ProjectedRegression& model, const Matrix& states) {
  Vector out;
  screen.bound(gram(*gaussian(1.0), model.anchors(), states), 1, out);
  return out;
}

TEST(ProjectedScreen, IsNeverMoreThanTheModelExplainsAndCloseToIt) {
  Stream random(1, Purpose::test);
  ProjectedRegression model = model_of(400, 1e-3, random);
  const Matrix states = oracle::uniform_points(random, 4, 200);
  ASSERT_GE(model.evidence().anchors, 30);
  const ProjectedScreen screen = screen_of(model);
  const Vector all = explained(model, states), least = bound(screen, model, states);
  EXPECT_LT((least - all).maxCoeff(), 1e-9);
  EXPECT_LT(screen.slack(), 1e-9);
  EXPECT_GT(least.sum(), 0.98 * all.sum());
}

TEST(ProjectedScreen, IsExactIfThereAreNoMoreAnchorsThanDirections) {
  Stream random(2, Purpose::test);
  const ProjectedRegression model = model_of(300, 0.1, random);
  ASSERT_LE(model.evidence().anchors, 16);
  const Matrix states = oracle::uniform_points(random, 4, 50);
  EXPECT_LT((bound(screen_of(model), model, states) - explained(model, states)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(ProjectedScreen, StillHoldsForAModelThatHasLearntMore) {
  Stream random(3, Purpose::test);
  ProjectedRegression model = model_of(150, 1e-3, random);
  const ProjectedScreen early = screen_of(model);
  const Index before = model.evidence().anchors;
  const Matrix states = oracle::uniform_points(random, 4, 200);
  for (int t = 0; t < 600; ++t)
    model.observe(oracle::uniform_points(random, 4, 1), oracle::normals(random, 1));
  ASSERT_GT(model.evidence().anchors, before);
  EXPECT_LT((bound(early, model, states) - explained(model, states)).maxCoeff(), 1e-9);
  const ProjectedScreen late = screen_of(model, &early);
  EXPECT_LT((bound(late, model, states) - explained(model, states)).maxCoeff(), 1e-9);
  EXPECT_GT(bound(late, model, states).sum(), bound(early, model, states).sum());
}

}  // namespace
}  // namespace ridgerunner::projected_screen_test
