#include <cmath>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/dictionary/residual_budget.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::projected_choice_test {
namespace {

Matrix uniform_points(Stream& random, Index dimension, Index count) {
  Matrix points(dimension, count);
  for (double& value : points.reshaped()) value = random.uniform();
  return points;
}

struct Problem {
  const char* name;
  KernelPtr kernel;
  double ridge;
  Index dimension;
};

std::vector<Problem> problems() {
  return {{"gaussian .1", gaussian(0.1), 1, 2},
          {"gaussian .2", gaussian(0.2), 0.05, 3},
          {"matern52 .3", matern52(0.3), 0.1, 3},
          {"matern12 .5", matern12(0.5), 0.5, 2}};
}

ProjectedRegression learnt(const Problem& problem, Index rounds, bool arrival) {
  ProjectedRegression regression(problem.kernel, problem.ridge,
                                 kors(problem.kernel, {problem.ridge, 2 + problem.ridge, 0.5}),
                                 {7, arrival, {}, {}});
  Stream random(11, Purpose::test);
  for (Index t = 0; t < rounds; ++t) {
    const Vector state = uniform_points(random, problem.dimension, 1);
    regression.observe(state, Vector::Constant(1, std::sin(6 * state.sum()) + 0.1 * random.normal()));
  }
  return regression;
}

TEST(ProjectedChoice, IsThatOfTheFullComputation) {
  for (const Problem& problem : problems()) {
    for (const bool arrival : {false, true}) {
      SCOPED_TRACE(problem.name);
      const ProjectedRegression regression = learnt(problem, 350, arrival);
      ASSERT_GE(regression.evidence().anchors, 64);
      Workspace workspace;
      Stream random(12, Purpose::test);
      for (int i = 0; i < 25; ++i) {
        const Matrix candidates = uniform_points(random, problem.dimension, 25 + 7 * i);
        const double radius = std::pow(10.0, random.uniform(-2, 1));
        const BestUpper quick = regression.best_upper(candidates, radius, workspace);
        const BestUpper full = best_of(predict(regression, candidates), radius);
        ASSERT_EQ(quick.index, full.index) << i;
        EXPECT_EQ(quick.mean, full.mean);  // to the bit
        EXPECT_EQ(quick.sd, full.sd);
      }
    }
  }
}

TEST(ProjectedChoice, GivesTiesToTheLowestIndexWhereverTheyStand) {
  const ProjectedRegression regression = learnt(problems()[0], 400, false);
  Workspace workspace;
  Stream random(13, Purpose::test);
  const Matrix candidates = uniform_points(random, 2, 40);
  const Index best = regression.best_upper(candidates, 0.5, workspace).index;
  Matrix twice(2, 1200);  // more than one race
  for (Index i = 0; i < twice.cols(); ++i) twice.col(i) = candidates.col((i * 7) % 40);
  Index lowest = 0;
  while (twice.col(lowest) != candidates.col(best)) ++lowest;
  EXPECT_EQ(regression.best_upper(twice, 0.5, workspace).index, lowest);
}

TEST(ProjectedChoice, FinishesFewCandidates) {
  const Problem problem = problems()[1];
  const ProjectedRegression regression = learnt(problem, 700, false);
  const Index m = regression.evidence().anchors;
  ASSERT_GE(m, 100);
  Workspace workspace;
  Stream random(14, Purpose::test);
  std::int64_t spent = 0, full = 0;
  for (int i = 0; i < 20; ++i) {
    spent += regression.best_upper(uniform_points(random, 3, 100), 0.3, workspace).multiply_adds;
    full += 100 * m * m;
  }
  EXPECT_LT(spent, full / 2) << m;
}

// Smooth kernels, where a screen is of use. Some states come twice among the candidates, so that there are
// ties.
Matrix candidates_with_twins(Stream& random, Index dimension, Index count) {
  Matrix points = uniform_points(random, dimension, count);
  for (Index i = 0; i < count / 3; ++i) points.col(random.index(count)) = points.col(random.index(count));
  return points;
}

std::vector<Problem> smooth_problems() {
  return {{"gaussian 3", gaussian(3), 1, 8},
          {"gaussian .5", gaussian(0.5), 0.1, 2},
          {"gaussian .5, small ridge", gaussian(0.5), 1e-4, 3},
          {"matern52 2", matern52(2), 0.5, 4}};
}

// residual: what the anchors may leave of a state.
ProjectedRegression smooth_model(const Problem& problem, double residual, bool arrival, bool moving = false) {
  return {problem.kernel,
          problem.ridge,
          residual_budget({std::sqrt(residual * 1e9), 1, 1e9}),
          {7, arrival, {}, {}, moving}};
}

void expect_full_choice(const ProjectedRegression& regression, Stream& random, Index dimension,
                        Workspace& workspace) {
  const Matrix candidates = candidates_with_twins(random, dimension, 3 + random.index(40));
  const double radius = std::pow(10.0, random.uniform(-2, 1));
  const BestUpper quick = regression.best_upper(candidates, radius, workspace);
  const BestUpper full = best_of(predict(regression, candidates), radius);
  ASSERT_EQ(quick.index, full.index) << regression.evidence().rounds;
  ASSERT_EQ(quick.mean, full.mean);  // to the bit
  ASSERT_EQ(quick.sd, full.sd);
}

TEST(ProjectedChoice, IsThatOfTheFullComputationWhileTheModelLearns) {
  for (const Problem& problem : smooth_problems()) {
    for (const bool arrival : {false, true}) {
      SCOPED_TRACE(problem.name);
      ProjectedRegression regression = smooth_model(problem, 1e-6, arrival);
      Workspace workspace;
      Stream random(16, Purpose::test);
      for (Index t = 0; t < 400; ++t) {
        const Vector state = uniform_points(random, problem.dimension, 1);
        regression.observe(state, Vector::Constant(1, std::sin(6 * state.sum()) + 0.1 * random.normal()));
        if (t >= 60) expect_full_choice(regression, random, problem.dimension, workspace);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(ProjectedChoice, IsThatOfTheFullComputationAfterTheRidgeMovedAndInACopy) {
  const Problem problem = smooth_problems()[0];
  ProjectedRegression regression = smooth_model(problem, 1e-5, true, true);
  Workspace workspace;
  Stream random(17, Purpose::test);
  for (Index t = 0; t < 500; ++t) {
    const Vector state = uniform_points(random, problem.dimension, 1);
    regression.observe(state, Vector::Constant(1, std::sin(6 * state.sum()) + 0.1 * random.normal()));
    if (t % 90 == 80) regression.set_ridge(t % 180 == 80 ? 20 : 0.3);
    if (t < 100 || t % 4 != 0) continue;
    expect_full_choice(regression, random, problem.dimension, workspace);
    expect_full_choice(ProjectedRegression(regression), random, problem.dimension, workspace);
    ProjectedRegression restored = smooth_model(problem, 1e-5, true, true);
    restored.set_ridge(regression.evidence().ridge);
    restored.restore(regression.memory(), {});
    expect_full_choice(restored, random, problem.dimension, workspace);
    if (HasFatalFailure()) return;
  }
}

TEST(ProjectedChoice, FinishesTwoOrThreeOfThirtyIfTheKernelIsSmooth) {
  const Problem problem = smooth_problems()[0];
  ProjectedRegression regression = smooth_model(problem, 4e-5, true);
  Stream random(18, Purpose::test);
  for (Index t = 0; t < 1500; ++t) {
    const Vector state = uniform_points(random, problem.dimension, 1);
    regression.observe(state, Vector::Constant(1, std::sin(6 * state.sum()) + 0.1 * random.normal()));
  }
  const Index m = regression.evidence().anchors;
  ASSERT_GE(m, 120);
  Workspace workspace;
  std::int64_t spent = 0;
  for (int i = 0; i < 50; ++i)
    spent += regression.best_upper(uniform_points(random, problem.dimension, 30), 1, workspace).multiply_adds;
  EXPECT_LT(spent, 50 * (3 * m * m + 30 * 16 * m));  // all thirty would take 30 m^2 each
}

TEST(ProjectedChoice, CountsTheClampedVarianceOfTheWinnerOnEveryPath) {
  const Problem problem = smooth_problems()[1];
  const ProjectedRegression regression = [&] {
    ProjectedRegression model = smooth_model(problem, 1e-6, true);
    Stream random(19, Purpose::test);
    for (Index t = 0; t < 300; ++t) {
      const Vector state = uniform_points(random, problem.dimension, 1);
      model.observe(state, Vector::Ones(1));
    }
    return model;
  }();
  Workspace workspace;
  Stream random(20, Purpose::test);
  for (int i = 0; i < 20; ++i) {
    const Matrix candidates = uniform_points(random, problem.dimension, 60);
    const BestUpper raced = regression.best_upper(candidates, 1, workspace);
    const BestUpper alone = regression.best_upper(candidates.col(raced.index), 1, workspace);
    EXPECT_EQ(raced.clamped, alone.clamped);
  }
}

TEST(ProjectedChoice, RefusesAPriorThatIsNotANumberHoweverManyCandidatesThereAre) {
  const KernelPtr kernel = polynomial(2, 1.0);
  ProjectedRegression regression(kernel, 1, full_dictionary());
  Stream random(21, Purpose::test);
  for (Index t = 0; t < 200; ++t) regression.observe(uniform_points(random, 12, 1), Vector::Ones(1));
  ASSERT_GE(regression.evidence().anchors, 64);
  Workspace workspace;
  for (const Index count : {2, 100}) {
    Matrix candidates = uniform_points(random, 12, count);
    candidates.col(count - 1).setConstant(1e160);
    EXPECT_THROW(regression.best_upper(candidates, 1, workspace), InvalidArgument);
  }
}

TEST(ProjectedChoice, IsFullWhereAnchorsNeedNotBeData) {
  Stream random(15, Purpose::test);
  const Matrix anchors = uniform_points(random, 2, 80), candidates = uniform_points(random, 2, 50);
  ProjectedRegression regression(gaussian(0.1), 1, empty_dictionary(), {7, false, anchors, {}});
  regression.observe(candidates.leftCols(1), Vector::Ones(1));
  Workspace workspace;
  const BestUpper best = regression.best_upper(candidates, 1, workspace);
  EXPECT_EQ(best.index, best_of(predict(regression, candidates), 1).index);
  const Index m = regression.evidence().anchors;
  EXPECT_EQ(best.multiply_adds, 50 * m * m);
}

}  // namespace
}  // namespace ridgerunner::projected_choice_test
