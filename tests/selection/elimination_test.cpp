#include "ridgerunner/selection/elimination.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracles/dense.h"
#include "oracles/problems.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner::elimination_test {
namespace {

using oracle::normals;
using oracle::uniform_points;

double smooth_reward(const VectorIn& state) {
  return std::sin(4 * state[0]) + 0.5 * state[state.size() - 1];
}

// A column's solve does not depend on its company, so the two paths agree to the bit.
void expect_same_choice(const ExactRegression& regression, const Matrix& candidates, double radius,
                        Workspace& workspace) {
  const BestUpper fast = best_upper(regression, candidates, radius, workspace);
  const BestUpper plain = best_of(predict(regression, candidates), radius);
  RC_ASSERT(fast.index == plain.index);
  RC_ASSERT(fast.mean == plain.mean);
  RC_ASSERT(fast.sd == plain.sd);
}

TEST(Elimination, ChoosesWhatTheFullComputationChooses) {
  EXPECT_TRUE(rc::check("the argmax of the race = the argmax over all", [] {
    Stream random(*rc::gen::inRange<std::uint64_t>(0, 1u << 30), Purpose::test);
    const KernelPtr kernel = *rc::gen::element(
        gaussian(0.5), gaussian(0.1), matern52(0.5), matern32(0.2), matern12(0.3), linear(1, 1),
        polynomial(2), rational_quadratic(0.3), sum({gaussian(0.2), linear()}), gaussian(0.3, 50.0));
    const Index dimension = *rc::gen::inRange<Index>(1, 5), t = *rc::gen::inRange<Index>(1, 700);
    const double ridge = std::pow(10.0, *rc::gen::inRange(-4, 3)),
                 radius = std::pow(10.0, *rc::gen::inRange(-3, 2));
    ExactRegression regression(kernel, ridge);
    Matrix states = uniform_points(random, dimension, t);
    if (*rc::gen::inRange(0, 3) == 0) {
      for (Index i = 0; i < t / 2; ++i) states.col(random.index(t)) = states.col(0);
    }
    Vector rewards = normals(random, t, 0.1);
    for (Index i = 0; i < t; ++i) rewards[i] += smooth_reward(states.col(i));
    regression.observe(states, rewards);
    Workspace workspace;
    for (const Index n : {1, 2, 3, 17, 100}) {
      Matrix candidates = uniform_points(random, dimension, n);
      if (n == 17) candidates.leftCols(5) = states.leftCols(1).replicate(1, 5);  // known, and tied
      expect_same_choice(regression, candidates, radius, workspace);
      expect_same_choice(regression, candidates, 0, workspace);
    }
  }));
}

TEST(Elimination, TiesGoToTheLowestIndexHoweverManyThereAre) {
  Stream random(4, Purpose::test);
  for (const Index t : {1, 13, 70, 500}) {
    ExactRegression regression(matern32(0.2), 0.1);
    regression.observe(uniform_points(random, 2, t), normals(random, t));
    Workspace workspace;
    for (Index n = 1; n <= 40; ++n) {
      const Matrix candidates = uniform_points(random, 2, 1).replicate(1, n);
      EXPECT_EQ(best_upper(regression, candidates, 1.0, workspace).index, 0) << n << " copies, t = " << t;
    }
    // More than one race holds.
    const Matrix many = uniform_points(random, 2, 1).replicate(1, 2500);
    EXPECT_EQ(best_upper(regression, many, 1.0, workspace).index, 0);
  }
}

TEST(Elimination, ManyCandidatesAreRacedInTurns) {
  Stream random(5, Purpose::test);
  ExactRegression regression(matern52(0.3), 0.1);
  regression.observe(uniform_points(random, 2, 300), normals(random, 300));
  Workspace workspace;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Matrix candidates = uniform_points(random, 2, 3000);
    const BestUpper fast = best_upper(regression, candidates, 2.0, workspace);
    const BestUpper plain = best_of(predict(regression, candidates), 2.0);
    EXPECT_EQ(fast.index, plain.index);
    EXPECT_EQ(fast.mean, plain.mean);
    EXPECT_EQ(fast.sd, plain.sd);
    regression.observe(candidates.col(fast.index), normals(random, 1),
                       workspace);  // with the winner's own solve
  }
}

// Growth by counting: on rough and smooth kernels a learnt model needs a fraction of the multiply-adds.
TEST(Elimination, NeedsFewerOperationsThanTheFullSolve) {
  for (const KernelPtr& kernel : {gaussian(0.5), matern52(0.5), matern32(0.2)}) {
    Stream random(8, Purpose::test);
    ExactRegression regression(kernel, 0.05);
    Workspace workspace;
    const Index n = 100;
    double spent = 0, full = 0;
    for (Index t = 0; t < 800; ++t) {
      const Matrix candidates = uniform_points(random, 3, n);
      const BestUpper best = best_upper(regression, candidates, 2.0, workspace);
      if (t >= 400) {
        spent += static_cast<double>(best.multiply_adds);
        full += static_cast<double>(n * t * t) / 2;
      }
      regression.observe(
          candidates.col(best.index),
          Vector::Constant(1, smooth_reward(candidates.col(best.index)) + 0.1 * random.normal()));
    }
    EXPECT_LT(spent, 0.5 * full);
  }
}

TEST(KernelUcbNote, ItsAlgorithmTakenLiterallyChoosesTheSameArms) {
  for (const KernelPtr& kernel : {gaussian(0.3), matern32(0.5)}) {
    for (const double gamma : {0.01, 1.0, 10.0}) {
      const double eta = 0.5;
      Stream random(21, Purpose::test);
      oracle::NoteKernelUcb note(*kernel, gamma, eta);
      ExactRegression regression(kernel, gamma);
      Workspace workspace;
      for (int t = 0; t < 200; ++t) {
        const Matrix contexts = uniform_points(random, 2, 12);
        // With our sd, which carries the 1/sqrt(gamma) of the note's line 8, the radius is eta.
        const BestUpper ours = t == 0 ? BestUpper{} : best_upper(regression, contexts, eta, workspace);
        const Vector scores = note.scores(contexts);
        EXPECT_NEAR(scores[ours.index], scores.maxCoeff(), 1e-10) << "round " << t;
        const Index chosen = note.choose(contexts);
        const double reward = smooth_reward(contexts.col(chosen)) + 0.1 * random.normal();
        note.update(contexts.col(chosen), reward);
        regression.observe(contexts.col(chosen), Vector::Constant(1, reward));
      }
    }
  }
}

}  // namespace
}  // namespace ridgerunner::elimination_test
