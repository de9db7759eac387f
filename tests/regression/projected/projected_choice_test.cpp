#include <cmath>

#include <gtest/gtest.h>

#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {
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
}  // namespace ridgerunner
