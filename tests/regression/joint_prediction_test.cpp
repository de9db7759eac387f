#include "ridgerunner/regression/joint_prediction.h"

#include <limits>

#include <gtest/gtest.h>

#include "kernel/message_of.h"
#include "oracles/dense.h"
#include "oracles/problems.h"
#include "regression/dictionaries.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/arm_features.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/levelled.h"

namespace ridgerunner::joint_prediction_test {
namespace {

using oracle::DenseProjected;
using oracle::DenseRegression;
using oracle::every_kind;
using oracle::Kind;
using oracle::LongMatrix;
using oracle::model_of;
using oracle::normals;
using oracle::uniform_points;

constexpr double kRidge = 0.5;

struct Problem {
  Matrix states, probes;
  Vector rewards;
};

// States come back; some probes are states, and two are the same.
Problem make_problem(Index t, std::uint64_t seed, Index distinct) {
  Stream random(seed, Purpose::test);
  Problem problem{uniform_points(random, 2, t), uniform_points(random, 2, 20), normals(random, t)};
  for (Index i = distinct; i < t; ++i) problem.states.col(i) = problem.states.col(random.index(distinct));
  problem.probes.leftCols(4) = problem.states.leftCols(4);
  problem.probes.col(19) = problem.probes.col(7);
  return problem;
}

JointPrediction jointly(const Regression& regression, const Matrix& states) {
  Workspace workspace;
  return predict_jointly(regression, states, workspace);
}

Matrix covariance(const JointPrediction& joint) {
  Matrix out(joint.size(), joint.size());
  joint.covariance(0, 0, out);
  return out;
}

// The largest error, relative to the largest variance.
double error(const Matrix& got, const LongMatrix& expected) {
  return static_cast<double>((got.cast<long double>() - expected).cwiseAbs().maxCoeff() /
                             expected.diagonal().maxCoeff());
}

void expect_same(const Prediction& got, const Prediction& expected) {
  EXPECT_EQ(got.mean, expected.mean);
  EXPECT_EQ(got.sd, expected.sd);
  EXPECT_EQ(got.prior, expected.prior);
  EXPECT_EQ(got.clamped, expected.clamped);
}

void expect_sd_on_the_diagonal(const JointPrediction& joint) {
  const Vector variance = covariance(joint).diagonal(), expected = joint.at.sd.cwiseAbs2();
  EXPECT_LT((variance - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.maxCoeff());
}

TEST(JointPrediction, ExactCovariancesAreThoseOfTheDenseFormula) {
  std::uint64_t seed = 0;
  for (const KernelPtr& kernel : {gaussian(0.3), matern32(0.4, 2.0), linear(1, 0.5), polynomial(3, 0.5)}) {
    for (const Index distinct : {60, 12}) {  // all different, and collapsed
      SCOPED_TRACE(seed);
      const Problem problem = make_problem(60, seed++, distinct);
      ExactRegression exact(kernel, kRidge);
      for (Index i = 0; i < 60; ++i) exact.observe(problem.states.col(i), problem.rewards.segment(i, 1));
      const JointPrediction joint = jointly(exact, problem.probes);
      const DenseRegression dense(*kernel, problem.states, problem.rewards, kRidge);
      EXPECT_LT(error(covariance(joint), dense.covariance(problem.probes)), 1e-8);
      expect_same(joint.at, predict(exact, problem.probes));
      expect_sd_on_the_diagonal(joint);
    }
  }
}

TEST(JointPrediction, WithoutDataCovariancesAreThePriorOnes) {
  const Problem problem = make_problem(10, 3, 10);
  const Matrix prior = gram(*gaussian(0.3), problem.probes, problem.probes) / kRidge;
  EXPECT_EQ(covariance(jointly(ExactRegression(gaussian(0.3), kRidge), problem.probes)), prior);
  EXPECT_EQ(covariance(jointly(ExactRegression(gaussian(0.3), kRidge, problem.probes), problem.probes)),
            prior);
  for (const Kind& kind : every_kind()) {
    for (const bool arms : {false, true}) {
      const ProjectedRegression projected =
          model_of(kind, gaussian(0.3), kRidge, arms ? std::optional<Matrix>(problem.probes) : std::nullopt);
      EXPECT_EQ(covariance(jointly(projected, problem.probes)), prior) << kind.name;
    }
  }
}

TEST(JointPrediction, ExactCovariancesOfArmsAreThoseOfTheDenseFormula) {
  const KernelPtr kernel = gaussian(0.3);
  for (const Index distinct : {60, 12}) {
    Problem problem = make_problem(60, 5, distinct);
    ExactRegression exact(kernel, kRidge, problem.probes);
    Stream random(1, Purpose::test, 2);
    for (Index i = 0; i < 60; i += 2) problem.states.col(i) = problem.probes.col(random.index(20));
    for (Index i = 0; i < 60; ++i) exact.observe(problem.states.col(i), problem.rewards.segment(i, 1));
    const DenseRegression dense(*kernel, problem.states, problem.rewards, kRidge);
    const JointPrediction arms = jointly(exact, problem.probes);
    EXPECT_LT(error(covariance(arms), dense.covariance(problem.probes)), 1e-8);
    expect_same(arms.at, exact.arm_prediction());
    const Matrix some = problem.probes.rightCols(7);  // not all the arms: as any candidates
    EXPECT_LT(error(covariance(jointly(exact, some)), dense.covariance(some)), 1e-8);
  }
}

TEST(JointPrediction, CovariancesAtAMovedRidgeAreThoseOfTheDenseFormula) {
  for (const KernelPtr& kernel : {gaussian(0.3), matern32(0.4, 2.0)}) {
    Problem problem = make_problem(60, 5, 60);
    const Matrix outside = problem.probes.leftCols(3) * 0.9;
    ArmFeatureRegression features(kernel, 1, problem.probes);
    Stream random(1, Purpose::test, 2);
    for (Index i = 0; i < 60; ++i) {
      problem.states.col(i) = problem.probes.col(random.index(20));
      features.observe(problem.states.col(i), problem.rewards.segment(i, 1));
    }
    features.set_ridge(kRidge);
    const DenseRegression dense(*kernel, problem.states, problem.rewards, kRidge);
    const JointPrediction arms = jointly(features, problem.probes);
    EXPECT_LT(error(covariance(arms), dense.covariance(problem.probes)), 1e-8);
    expect_same(arms.at, predict(features, problem.probes));
    expect_sd_on_the_diagonal(arms);
    EXPECT_LT(error(covariance(jointly(features, outside)), dense.covariance(outside)), 1e-8);
  }
}

TEST(JointPrediction, ProjectedCovariancesAreThoseOfTheDenseFormulaWithEveryDictionary) {
  for (const Kind& kind : every_kind()) {
    for (const bool arms : {false, true}) {
      if (arms && kind.name == "bbkb") continue;  // rewards wait there
      SCOPED_TRACE(kind.name + (arms ? " with arms" : ""));
      const KernelPtr kernel = gaussian(0.3);
      const Problem problem = make_problem(60, 11, 25);
      ProjectedRegression projected =
          model_of(kind, kernel, kRidge, arms ? std::optional<Matrix>(problem.probes) : std::nullopt);
      std::vector<Index> known;
      for (Index i = 0; i < 60; ++i) {
        projected.observe(problem.states.col(i), problem.rewards.segment(i, 1));
        if (kind.arrival_features) known.push_back(projected.anchors().cols());
      }
      const DenseProjected dense(*kernel, projected.anchors(), problem.states, problem.rewards, kRidge,
                                 known);
      const JointPrediction joint = jointly(projected, problem.probes);
      EXPECT_LT(error(covariance(joint), dense.covariance(problem.probes)), 1e-8);
      expect_sd_on_the_diagonal(joint);
      expect_same(joint.at, arms ? projected.arm_prediction() : predict(projected, problem.probes));
    }
  }
}

// The covariances do not need rewards, so they count the choices whose rewards wait.
TEST(JointPrediction, WithinABatchCovariancesShrinkWithEveryChoice) {
  const Problem problem = make_problem(30, 13, 30);
  const KernelPtr kernel = gaussian(0.3);
  ProjectedRegression projected(kernel, kRidge, bbkb_dictionary(2, 50),
                                ProjectedOptions{7, false, {}, problem.probes});
  Workspace workspace;
  Matrix chosen(2, 30);
  for (Index i = 0; i < 30; ++i) {
    chosen.col(i) = problem.probes.col((7 * i) % 20);
    projected.chosen(chosen.col(i), 0);
    if (i < 10) projected.rewarded(chosen.col(i), 0, problem.rewards[i], workspace);
  }
  const DenseProjected dense(*kernel, projected.anchors(), chosen, problem.rewards, kRidge);
  const JointPrediction joint = jointly(projected, problem.probes);
  EXPECT_LT(error(covariance(joint), dense.covariance(problem.probes)), 1e-8);
  EXPECT_EQ(joint.at.mean, projected.arm_prediction().mean);
}

TEST(JointPrediction, ALevelledModelShowsThatOfAllData) {
  const Problem problem = make_problem(20, 17, 20);
  const KernelPtr kernel = gaussian(0.3);
  LevelledRegression levelled(3, [&] { return std::make_unique<ExactRegression>(kernel, kRidge); });
  Workspace workspace;
  for (Index i = 0; i < 20; ++i) {
    levelled.rewarded(problem.states.col(i), 1 + static_cast<int>(i % 3), problem.rewards[i], workspace);
  }
  const DenseRegression dense(*kernel, problem.states, problem.rewards, kRidge);
  const JointPrediction joint = jointly(levelled, problem.probes);
  EXPECT_LT(error(covariance(joint), dense.covariance(problem.probes)), 1e-8);
  expect_same(joint.at, predict(levelled, problem.probes));
}

TEST(JointPrediction, BlocksAreThoseOfTheWholeAlsoWhenStatesMoveOrLeave) {
  const Problem problem = make_problem(30, 19, 30);
  ProjectedRegression projected = model_of(every_kind()[1], gaussian(0.3), kRidge);
  projected.observe(problem.states, problem.rewards);
  JointPrediction joint = jointly(projected, problem.probes);
  const Matrix whole = covariance(joint);
  const Vector mean = joint.at.mean, sd = joint.at.sd;
  Matrix block(5, 3);
  joint.covariance(2, 11, block);
  EXPECT_LT((block - whole.block(2, 11, 5, 3)).cwiseAbs().maxCoeff(), 1e-13);

  const std::vector<Index> kept = {0, 3, 4, 11, 19};
  joint.keep(kept);
  EXPECT_EQ(joint.size(), 5);
  EXPECT_EQ(joint.states, problem.probes(Eigen::all, kept));
  EXPECT_EQ(joint.at.mean, mean(kept));
  EXPECT_EQ(joint.at.sd, sd(kept));
  EXPECT_LT((covariance(joint) - whole(kept, kept)).cwiseAbs().maxCoeff(), 1e-13);

  joint.swap(1, 4);
  const std::vector<Index> swapped = {0, 19, 4, 11, 3};
  EXPECT_EQ(joint.at.sd, sd(swapped));
  EXPECT_LT((covariance(joint) - whole(swapped, swapped)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(JointPrediction, BadStatesAreRefused) {
  const Problem problem = make_problem(10, 23, 10);
  ExactRegression exact(gaussian(0.3), kRidge);
  ProjectedRegression projected = model_of(every_kind()[1], gaussian(0.3), kRidge);
  for (Regression* regression : std::initializer_list<Regression*>{&exact, &projected}) {
    regression->observe(problem.states, problem.rewards);
    const auto refused = [&](const Matrix& states) {
      return message_of<InvalidArgument>([&] { jointly(*regression, states); });
    };
    EXPECT_EQ(refused(Matrix(2, 0)), "states must not be empty");
    EXPECT_EQ(refused(Matrix::Zero(3, 4)), "states must have dimension 2, got 3");
    EXPECT_EQ(refused(Matrix::Constant(2, 4, std::numeric_limits<double>::quiet_NaN())),
              "states must be finite");
    EXPECT_EQ(refused(Matrix::Constant(2, 4, std::numeric_limits<double>::infinity())),
              "states must be finite");
  }
}

}  // namespace
}  // namespace ridgerunner::joint_prediction_test
