#include "ridgerunner/regression/arm_features.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracles/dense.h"
#include "oracles/problems.h"
#include "ridgerunner/archive/engine_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner::arm_features_test {
namespace {

using oracle::DenseRegression;
using oracle::uniform_points;

std::string bytes_of(const Regression& regression) {
  ByteWriter out;
  write_engine(out, regression);
  return out.take();
}

template <class Got, class Expected>
double worst(const Got& got, const Expected& expected) {
  double error = 0;
  for (Index i = 0; i < got.size(); ++i) {
    const auto value = static_cast<double>(expected[i]);
    error = std::max(error, std::abs(got[i] - value) / std::max(std::abs(value), 1e-3));
  }
  return error;
}

// Arms on a line, and the rewards of 80 pulls of some of them.
struct Problem {
  KernelPtr kernel;
  Matrix arms, states;
  Vector rewards;

  explicit Problem(KernelPtr k, Index dimension = 1)
      : kernel(std::move(k)), states(dimension, 80), rewards(80) {
    Stream random(3, Purpose::test);
    arms = uniform_points(random, dimension, 40);
    for (Index i = 0; i < states.cols(); ++i) {
      states.col(i) = arms.col(random.index(25));
      rewards[i] = std::sin(5 * states.col(i).sum()) + 0.2 * random.normal();
    }
  }
};

TEST(ArmFeatures, AgreesWithDenseFormulasWhileTheRidgeMovesEveryRound) {
  for (const Problem& p : {Problem(gaussian(0.3)), Problem(matern52(0.3), 2), Problem(linear(1, 0.5), 3)}) {
    ArmFeatureRegression regression(p.kernel, 1, p.arms);
    for (Index t = 1; t <= p.states.cols(); ++t) {
      const double ridge = 0.0005 + 1.0 / static_cast<double>(t * t);
      regression.observe(p.states.col(t - 1), p.rewards.segment(t - 1, 1));
      regression.set_ridge(ridge);
      if (t % 7 != 1) continue;
      const DenseRegression dense(*p.kernel, p.states.leftCols(t), p.rewards.head(t), ridge);
      const DenseRegression other(*p.kernel, p.states.leftCols(t), p.rewards.head(t), 0.01);
      const Prediction at = regression.arm_prediction();
      EXPECT_LE(worst(at.mean, dense.mean(p.arms)), 1e-8);
      EXPECT_LE(worst(at.sd, dense.sd(p.arms)), 1e-8);
      const Evidence evidence = regression.evidence();
      EXPECT_NEAR(evidence.log_determinant, static_cast<double>(dense.log_determinant()), 1e-9);
      EXPECT_NEAR(regression.log_determinant(0.01), static_cast<double>(other.log_determinant()), 1e-9);
      const auto quadratic = static_cast<double>(dense.quadratic_form());
      EXPECT_NEAR(evidence.quadratic_form, quadratic, 1e-9 * quadratic);
      const double squared = (p.rewards.head(t).cast<long double>() - dense.mean(p.states.leftCols(t)))
                                 .cast<double>()
                                 .squaredNorm();
      EXPECT_NEAR(regression.squared_error(), squared, 1e-9 * (1 + squared));
      EXPECT_EQ(evidence.ridge, ridge);
      EXPECT_EQ(evidence.rounds, t);
      EXPECT_EQ(evidence.largest_prior, diagonal(*p.kernel, p.states.leftCols(t)).maxCoeff());
      const double dimension = dense.sd(p.states.leftCols(t)).cast<double>().squaredNorm();
      EXPECT_NEAR(*regression.diagnostics().effective_dimension, dimension, 1e-7 * dimension);
    }
  }
}

TEST(ArmFeatures, IsTheExactModelByAnotherRoute) {
  const Problem p(gaussian(0.3));
  ArmFeatureRegression features(p.kernel, 0.04, p.arms);
  ExactRegression exact(p.kernel, 0.04, p.arms);
  EXPECT_LT(features.rank(), 20);
  for (Index t = 0; t < p.states.cols(); ++t) {
    features.observe(p.states.col(t), p.rewards.segment(t, 1));
    exact.observe(p.states.col(t), p.rewards.segment(t, 1));
    const BestUpper a = features.best_arm(2), b = exact.best_arm(2);
    EXPECT_EQ(a.index, b.index);
    EXPECT_NEAR(a.mean, b.mean, 1e-8);
    EXPECT_NEAR(a.sd, b.sd, 1e-8);
    EXPECT_NEAR(features.squared_error(), exact.squared_error(), 1e-9);
    EXPECT_NEAR(features.log_determinant(0.001), exact.log_determinant(0.001), 1e-8);
  }
  EXPECT_EQ(Matrix(features.anchors()), Matrix(exact.anchors()));
}

TEST(ArmFeatures, StatesThatAreNoArmsJoinThePoints) {
  const Problem p(gaussian(0.3), 2);
  Stream random(9, Purpose::test);
  ArmFeatureRegression regression(p.kernel, 0.1, p.arms);
  Matrix states(2, 60);
  for (Index t = 0; t < 60; ++t) {
    states.col(t) = t % 4 == 2 ? Vector(2 * uniform_points(random, 2, 1)) : Vector(p.states.col(t));
    regression.observe(states.col(t), p.rewards.segment(t, 1));
  }
  regression.set_ridge(0.01);
  const DenseRegression dense(*p.kernel, states, p.rewards.head(60), 0.01);
  const Prediction at = regression.arm_prediction();
  EXPECT_LE(worst(at.mean, dense.mean(p.arms)), 1e-8);
  EXPECT_LE(worst(at.sd, dense.sd(p.arms)), 1e-8);
  EXPECT_NEAR(regression.evidence().log_determinant, static_cast<double>(dense.log_determinant()), 1e-8);
  // Anywhere: arms, states that were observed, states that never were, in any order.
  Matrix anywhere(2, 90);
  anywhere << states, 3 * uniform_points(random, 2, 30);
  const Prediction there = predict(regression, anywhere);
  EXPECT_LE(worst(there.mean, dense.mean(anywhere)), 1e-8);
  EXPECT_LE(worst(there.sd, dense.sd(anywhere)), 1e-8);
  EXPECT_EQ(there.prior, diagonal(*p.kernel, anywhere));
  Workspace workspace;
  EXPECT_EQ(best_upper(regression, anywhere, 1, workspace).index, best_of(there, 1).index);
}

TEST(ArmFeatures, EqualArmsAreOnePointAndTiesGoToTheFirst) {
  Matrix arms(1, 5);
  arms << 0.2, 0.7, 0.2, 0.7, 0.9;
  ArmFeatureRegression regression(gaussian(0.2), 0.1, arms);
  const Prediction before = regression.arm_prediction();
  EXPECT_EQ(before.mean, Vector::Zero(5));
  EXPECT_TRUE(before.sd.isApprox(Vector::Constant(5, std::sqrt(10.0)), 1e-12));
  regression.observe(Vector::Constant(1, 0.7), Vector::Constant(1, 1));
  const Prediction at = regression.arm_prediction();
  EXPECT_EQ(at.mean[1], at.mean[3]);
  EXPECT_EQ(at.sd[0], at.sd[2]);
  EXPECT_EQ(regression.best_arm(0).index, 1);
  EXPECT_EQ(regression.evidence().anchors, 1);
}

TEST(ArmFeatures, SeveralAtOnceAreAsOneByOne) {
  const Problem p(gaussian(0.3));
  ArmFeatureRegression together(p.kernel, 0.1, p.arms), apart(p.kernel, 0.1, p.arms);
  together.observe(p.states, p.rewards);
  for (Index t = 0; t < p.states.cols(); ++t) apart.observe(p.states.col(t), p.rewards.segment(t, 1));
  EXPECT_TRUE(bytes_of(together) == bytes_of(apart));
}

TEST(ArmFeatures, WhatItHasLearntIsWrittenAndReadBitForBit) {
  const Problem p(gaussian(0.3), 2);
  ArmFeatureRegression regression(p.kernel, 0.1, p.arms);
  regression.observe(p.states, p.rewards);
  regression.observe(Vector{{3, 4}}, Vector::Constant(1, 2));
  regression.observe(p.states, p.rewards);
  const std::string bytes = bytes_of(regression);
  ArmFeatureRegression again(p.kernel, 0.1, p.arms);
  ByteReader in(bytes);
  read_engine(in, again, p.arms.cols());
  in.finish();
  EXPECT_TRUE(bytes_of(again) == bytes);
  const Prediction one = regression.arm_prediction(), other = again.arm_prediction();
  EXPECT_EQ(one.mean, other.mean);
  EXPECT_EQ(one.sd, other.sd);
  EXPECT_EQ(again.evidence().largest_prior, 1);
  // Of other arms: refused.
  ArmFeatureRegression fewer(p.kernel, 0.1, p.arms.leftCols(10));
  ByteReader foreign(bytes);
  EXPECT_THROW(read_engine(foreign, fewer, 10), InvalidArgument);
  EXPECT_EQ(fewer.evidence().rounds, 0);
}

TEST(ArmFeatures, WhatIsRefusedChangesNothing) {
  const Problem p(gaussian(0.3));
  ArmFeatureRegression regression(p.kernel, 0.1, p.arms);
  regression.observe(p.states, p.rewards);
  const std::string before = bytes_of(regression);
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Vector one = Vector::Constant(1, 1);
  EXPECT_THROW(regression.observe(Vector::Constant(1, nan), one), InvalidArgument);
  EXPECT_THROW(regression.observe(Vector::Constant(2, 0), one), InvalidArgument);
  EXPECT_THROW(regression.observe(one, Vector::Constant(1, infinity)), InvalidArgument);
  EXPECT_THROW(regression.observe(one, Vector::Constant(2, 1)), InvalidArgument);
  EXPECT_THROW(regression.observe(Matrix(1, 0), Vector()), InvalidArgument);
  Matrix some(1, 3);
  some << 0.1, 5, nan;
  EXPECT_THROW(regression.observe(some, Vector::Constant(3, 1)), InvalidArgument);
  for (const double ridge : {0.0, -1.0, nan, infinity}) {
    EXPECT_THROW(regression.set_ridge(ridge), InvalidArgument);
    EXPECT_THROW(regression.log_determinant(ridge), InvalidArgument);
  }
  EXPECT_THROW(predict(regression, Matrix(1, 0)), InvalidArgument);
  EXPECT_THROW(regression.check(Vector::Constant(2, 0)), InvalidArgument);
  EXPECT_TRUE(bytes_of(regression) == before);
  EXPECT_EQ(regression.evidence().ridge, 0.1);
  EXPECT_THROW(ArmFeatureRegression(p.kernel, 0, p.arms), InvalidArgument);
  EXPECT_THROW(ArmFeatureRegression(nullptr, 1, p.arms), InvalidArgument);
  EXPECT_THROW(ArmFeatureRegression(p.kernel, 1, Matrix(1, 0)), InvalidArgument);
}

// At a ridge that rounding cannot see there is no factor; the model stays at the one it has.
TEST(ArmFeatures, ARidgeBelowRoundingFailsAndChangesNothing) {
  const Problem p(gaussian(0.3));
  ArmFeatureRegression regression(p.kernel, 0.1, p.arms);
  for (int i = 0; i < 20; ++i) regression.observe(p.states.leftCols(3), p.rewards.head(3));
  const std::string before = bytes_of(regression);
  const Prediction at = regression.arm_prediction();
  EXPECT_THROW(regression.set_ridge(1e-30), NumericalError);
  EXPECT_TRUE(bytes_of(regression) == before);
  EXPECT_EQ(regression.arm_prediction().mean, at.mean);
  EXPECT_EQ(regression.evidence().ridge, 0.1);
}

}  // namespace
}  // namespace ridgerunner::arm_features_test
