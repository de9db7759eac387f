// What a round costs, counted: kernel evaluations, multiply-adds, allocations.
#include <atomic>
#include <cstdlib>
#include <utility>

#include <gtest/gtest.h>

#include "oracles/counting_kernel.h"
#include "oracles/problems.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/regression/dictionary/calandriello2019_bkb.h"
#include "ridgerunner/regression/dictionary/residual_budget.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/neighbours.h"
#include "ridgerunner/regression/projected/projected.h"
#include "ridgerunner/selection/best_upper.h"

// Every allocation of the program passes here, Eigen's included. The sanitizers have allocators of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
extern "C" void* __libc_malloc(std::size_t) noexcept;
namespace {
std::atomic<long> allocations = 0;
}
extern "C" void* malloc(std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif

namespace ridgerunner::growth_test {
namespace {

using oracle::CountingKernel;
using oracle::normals;
using oracle::uniform_points;

TEST(Growth, APredictionEvaluatesTheKernelOncePerStateAndCandidate) {
  long count = 0;
  ExactRegression regression(std::make_shared<CountingKernel>(gaussian(0.3), count), 0.1);
  Stream random(1, Purpose::test);
  for (const Index t : {100, 200, 400}) {
    const Index more = t - regression.evidence().rounds;
    regression.observe(uniform_points(random, 2, more), normals(random, more));
    count = 0;
    predict(regression, uniform_points(random, 2, 30));
    EXPECT_EQ(count, 30 * t);
    count = 0;
    regression.observe(uniform_points(random, 2, 1), normals(random, 1));
    EXPECT_EQ(count, t + 1);
  }
}

TEST(Growth, ARoundOnFixedArmsEvaluatesTheKernelOncePerArm) {
  long count = 0;
  Stream random(1, Purpose::test);
  const Matrix arms = uniform_points(random, 2, 80);
  ExactRegression regression(std::make_shared<CountingKernel>(gaussian(0.3), count), 0.1, arms);
  count = 0;
  for (Index i = 0; i < 60; ++i) {  // new arms and repeated ones
    regression.observe(arms.col(i % 40), normals(random, 1));
    EXPECT_EQ(count, 81 * (i + 1));  // and once for itself
  }
}

TEST(Growth, RepeatsAreCollapsedAtAnAmortisedCostOfAFewEvaluationsPerState) {
  long count = 0;
  Stream random(1, Purpose::test);
  const Matrix arms = uniform_points(random, 2, 200);
  ExactRegression regression(std::make_shared<CountingKernel>(gaussian(0.3), count), 0.1);
  regression.observe(arms, normals(random, 200));
  count = 0;
  for (int t = 0; t < 1000; ++t) regression.observe(arms.col(random.index(200)), normals(random, 1));
  // A round: at most 250 rows and itself; a factor anew, 200^2 evaluations, every 50 rounds. Uncollapsed it
  // would be up to 1200 a round.
  EXPECT_LT(count, 1000 * (251 + 200 * 256 / 50 * 2));
  EXPECT_LE(regression.factor().size(), 250);
}

TEST(Growth, TheFullSolveTakesHalfTheSquareOfTheStatesForEachCandidate) {
  Stream random(1, Purpose::test);
  ExactRegression regression(matern12(0.1), 1.0);
  Workspace workspace;
  for (const Index t : {50, 100, 150}) {  // too few to race
    const Index more = t - regression.evidence().rounds;
    regression.observe(uniform_points(random, 2, more), normals(random, more));
    EXPECT_EQ(best_upper(regression, uniform_points(random, 2, 20), 1.0, workspace).multiply_adds,
              20 * t * t / 2);
  }
}

// As EK-UCB runs it: the dictionary asks the same kernel.
ProjectedRegression counted_kors(long& count, bool arrival_features = false) {
  const auto kernel = std::make_shared<CountingKernel>(gaussian(0.15), count);
  return {kernel, 1, kors(kernel, {1, 0.5, 0.5}), {7, arrival_features, {}, {}}};
}

TEST(Growth, AnEkUcbDecisionEvaluatesTheKernelOncePerAnchorAndCandidate) {
  long count = 0;
  ProjectedRegression regression = counted_kors(count);
  Stream random(1, Purpose::test);
  Workspace workspace;
  for (const Index t : {50, 300, 1000, 2000}) {
    while (regression.evidence().rounds < t)
      regression.observe(uniform_points(random, 2, 1), normals(random, 1), workspace);
    const Index m = regression.anchors().cols();
    EXPECT_LT(m, 150);
    count = 0;
    predict(regression, uniform_points(random, 2, 30));
    EXPECT_EQ(count, 30 * m);
    count = 0;
    const BestUpper best = best_upper(regression, uniform_points(random, 2, 30), 0.1, workspace);
    // The race looks at a few neighbours of each candidate as well.
    EXPECT_GE(count, 30 * m);
    EXPECT_LE(count, 30 * (m + kNeighbours * kNeighbours));
    EXPECT_LE(best.multiply_adds, 30 * (m * m + kNeighbours * kNeighbours * kNeighbours / 6) + m * m);
  }
}

TEST(Growth, AnEkUcbObservationEvaluatesTheKernelOncePerAnchorOrOncePerStateWhenOneIsAdded) {
  for (const bool arrival_features : {false, true}) {
    long count = 0;
    ProjectedRegression regression = counted_kors(count, arrival_features);
    Stream random(2, Purpose::test);
    int added = 0;
    for (int t = 0; t < 1500; ++t) {
      const Index m = regression.anchors().cols(), q = regression.dictionary().members().states.cols();
      count = 0;
      regression.observe(uniform_points(random, 2, 1), normals(random, 1));
      if (regression.dictionary().members().states.cols() == q) {
        ASSERT_TRUE(count == m + q || count == m) << t;  // its features and, unless the draw is too high for
                                                         // any, its score
      } else {
        ++added;
        ASSERT_LE(count, m + 2 * q + (arrival_features ? 0 : t)) << t;
      }
    }
    EXPECT_GT(added, 20);
    EXPECT_LT(added, 150);
  }
}

TEST(Growth, ABbkbRoundWithArmsEvaluatesTheKernelOncePerAnchorBetweenDraws) {
  long count = 0;
  Stream random(3, Purpose::test);
  const Matrix arms = uniform_points(random, 2, 400);
  ProjectedRegression regression(std::make_shared<CountingKernel>(gaussian(0.2), count), 1,
                                 bbkb_dictionary(2, 5), {7, false, {}, arms});
  int draws = 0;
  for (int t = 0; t < 400; ++t) {
    const Index m = regression.anchors().cols();
    count = 0;
    regression.observe(arms.col(regression.best_arm(1).index), normals(random, 1));
    if (regression.memory().variances > 0) {
      ASSERT_EQ(count, m) << t;
    } else {
      ++draws;
      const Index now = regression.anchors().cols();
      ASSERT_LE(count, m + now * now + now * regression.memory().points.size()) << t;
    }
  }
  EXPECT_GT(draws, 5);
  EXPECT_LT(draws, 200);
}

TEST(Growth, AFixedArmRoundOnAProjectedModelEvaluatesNoKernelAtTheArmsUnlessAnAnchorIsAdded) {
  long count = 0;
  Stream random(4, Purpose::test);
  const Matrix arms = uniform_points(random, 2, 500);
  const auto kernel = std::make_shared<CountingKernel>(gaussian(0.3), count);
  ProjectedRegression regression(kernel, 1, residual_budget({5, 10, 1000}), {7, false, {}, arms});
  for (int t = 0; t < 500; ++t) {
    const Index m = regression.anchors().cols();
    count = 0;
    regression.observe(arms.col(regression.best_arm(1).index), normals(random, 1));
    ASSERT_EQ(count, regression.anchors().cols() == m ? m : m + 500) << t;
  }
}

#ifdef COUNTS_ALLOCATIONS
TEST(Growth, ARoundAllocatesOnlyWhenSomethingGrows) {
  Stream random(3, Purpose::test);
  const Matrix arms = uniform_points(random, 3, 50);
  for (const bool fixed : {false, true}) {
    Spec spec = preset("gp-ucb");
    if (fixed) spec.arms = arms;
    Policy policy(spec);
    Matrix candidates(3, 50);
    int quiet = 0;
    for (int t = 0; t < 600; ++t) {
      for (Index j = 0; !fixed && j < 50; ++j) {
        for (Index i = 0; i < 3; ++i) candidates(i, j) = random.uniform();
      }
      const long before = allocations;
      const Decision decision = fixed ? policy.decide() : policy.decide(candidates);
      policy.observe((fixed ? arms : std::as_const(candidates)).col(decision.index), random.normal());
      const long spent = allocations - before;
      if (t >= 500) quiet += spent <= 1;  // one: the node that finds a new state again
    }
    // Of 100 rounds a few start a tile of the factor, double an array or collapse repeats.
    EXPECT_GE(quiet, 90) << (fixed ? "fixed arms" : "fresh candidates");
  }
}
#endif

}  // namespace
}  // namespace ridgerunner::growth_test
