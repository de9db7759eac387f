#include "ridgerunner/selection/correlated_draws.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "oracles/counting_kernel.h"
#include "oracles/dense.h"
#include "oracles/problems.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::correlated_draws_test {
namespace {

using oracle::DenseRegression;
using oracle::normals;
using oracle::uniform_points;

struct Data {
  Matrix states;
  Vector rewards;
};

Data make_data(Index dimension, Index t) {
  Stream random(1, Purpose::test);
  Matrix states = uniform_points(random, dimension, t);
  return {std::move(states), normals(random, t)};
}

JointPrediction jointly(const Regression& regression, const Matrix& states) {
  Workspace workspace;
  return predict_jointly(regression, states, workspace);
}

JointPrediction exact_jointly(const KernelPtr& kernel, double ridge, const Data& data, const Matrix& states) {
  ExactRegression exact(kernel, ridge);
  exact.observe(data.states, data.rewards);
  return jointly(exact, states);
}

Matrix covariance(const JointPrediction& joint) {
  Matrix out(joint.size(), joint.size());
  joint.covariance(0, 0, out);
  return out;
}

Matrix candidates(Index dimension, Index n) {
  Stream random(2, Purpose::test);
  return uniform_points(random, dimension, n);
}

TEST(CorrelatedDraws, TheFactorIsThatOfTheDenseCovariance) {
  for (const auto& kernel : {gaussian(0.3), matern32(0.3), matern12(0.5), linear(1, 0.2)}) {
    for (const double ridge : {1.0, 1e-4}) {
      const Data data = make_data(2, 40);
      const Matrix states = candidates(2, 300);
      const CorrelatedDraws draws(exact_jointly(kernel, ridge, data, states));
      const auto expected = DenseRegression(*kernel, data.states, data.rewards, ridge).covariance(states);
      const auto largest = static_cast<double>(expected.diagonal().maxCoeff());
      const Matrix product = draws.factor() * draws.factor().transpose();
      EXPECT_LT(static_cast<double>((product.cast<long double>() - expected).cwiseAbs().maxCoeff()),
                1e-8 * largest);
      EXPECT_GE(draws.left().minCoeff(), 0);
      EXPECT_LT(draws.left().maxCoeff(), std::max(1e-12 * largest, 1e-13 * 2 / ridge));
    }
  }
}

TEST(CorrelatedDraws, TheFactorLeavesATrillionthAndVariancesAreExact) {
  for (const auto& kernel : {gaussian(0.3), matern32(0.3)}) {
    const JointPrediction joint = exact_jointly(kernel, 0.1, make_data(2, 20), candidates(2, 500));
    const Matrix expected = covariance(joint);
    const CorrelatedDraws draws(joint);
    Matrix product = draws.factor() * draws.factor().transpose();
    EXPECT_LT((product - expected).cwiseAbs().maxCoeff(), 2e-12 * expected.diagonal().maxCoeff());
    product.diagonal() += draws.left();
    EXPECT_LT((product - expected).diagonal().cwiseAbs().maxCoeff(), 1e-13 * expected.diagonal().maxCoeff());
  }
}

TEST(CorrelatedDraws, AKernelOfFewFeaturesHasAFactorOfAsManyColumns) {
  const Data data = make_data(2, 30);
  const Matrix states = candidates(2, 400);
  EXPECT_EQ(CorrelatedDraws(exact_jointly(linear(), 0.1, data, states)).rank(), 2);
  EXPECT_EQ(CorrelatedDraws(exact_jointly(linear(1, 1), 0.1, data, states)).rank(), 3);
  EXPECT_EQ(CorrelatedDraws(exact_jointly(polynomial(2), 0.1, data, states)).rank(), 6);
}

TEST(CorrelatedDraws, WhereNothingVariesDrawsAreZero) {
  const CorrelatedDraws draws(exact_jointly(linear(), 0.1, make_data(1, 5), Matrix::Zero(1, 4)));
  EXPECT_EQ(draws.rank(), 0);
  Stream random(1, Purpose::test);
  Matrix out = Matrix::Ones(4, 3);
  draws.draw(random, out);
  EXPECT_EQ(out, Matrix::Zero(4, 3));
}

// Far below the prior, where rounding is as large as what is left to draw.
TEST(CorrelatedDraws, VariancesThatAreMostlyRoundingStayVariances) {
  const Data data = make_data(1, 200);
  const Matrix states = candidates(1, 300);
  const JointPrediction joint = exact_jointly(gaussian(0.5), 1e-12, data, states);
  const CorrelatedDraws draws(joint);
  const Vector got = draws.factor().rowwise().squaredNorm() + draws.left();
  const Vector expected = joint.at.sd.cwiseAbs2();
  EXPECT_TRUE(got.allFinite());
  EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), 1e-14 * 10 / 1e-12);  // of k/λ
}

TEST(CorrelatedDraws, RepeatedCandidatesGetEqualDraws) {
  Matrix states = candidates(2, 200);
  for (Index i = 0; i < 100; ++i) states.col(199 - i) = states.col(i);
  for (const auto& kernel : {gaussian(0.3), matern32(0.3)}) {
    const JointPrediction joint = exact_jointly(kernel, 0.1, make_data(2, 30), states);
    const CorrelatedDraws draws(joint);
    EXPECT_LE(draws.rank(), 100);
    Stream random(1, Purpose::test);
    Matrix out(200, 50);
    draws.draw(random, out);
    const Matrix mirrored = out.bottomRows(100).colwise().reverse();
    EXPECT_LT((out.topRows(100) - mirrored).cwiseAbs().maxCoeff(), 1e-5 * joint.at.sd.maxCoeff());
  }
}

TEST(CorrelatedDraws, MeansAndCovariancesOfManyDrawsAreRight) {
  constexpr Index kDraws = 40000, n = 8;
  const Matrix states = candidates(2, n);
  for (const auto& kernel : {gaussian(0.4), matern12(0.5)}) {
    const JointPrediction joint = exact_jointly(kernel, 0.2, make_data(2, 15), states);
    const Matrix expected = covariance(joint);
    const CorrelatedDraws draws(joint);
    Stream random(3, Purpose::test);
    Matrix sample(n, kDraws);
    draws.draw(random, sample);
    const Vector mean = sample.rowwise().mean();
    const Matrix second = sample * sample.transpose() / static_cast<double>(kDraws);
    for (Index i = 0; i < n; ++i) {
      EXPECT_LT(std::abs(mean[i]), 5 * std::sqrt(expected(i, i) / kDraws));
      for (Index j = 0; j <= i; ++j) {
        const double variance = expected(i, i) * expected(j, j) + expected(i, j) * expected(i, j);
        EXPECT_LT(std::abs(second(i, j) - expected(i, j)), 5 * std::sqrt(variance / kDraws));
      }
    }
  }
}

TEST(CorrelatedDraws, DrawsFollowTheStreamAndNotTheBlocks) {
  const CorrelatedDraws draws(exact_jointly(gaussian(0.3), 0.1, make_data(2, 20), candidates(2, 150)));
  Matrix at_once(150, 12), in_parts(150, 12), again(150, 12);
  Stream one(5, Purpose::test), other(5, Purpose::test), third(5, Purpose::test);
  draws.draw(one, at_once);
  draws.draw(other, in_parts.leftCols(5));
  draws.draw(other, in_parts.rightCols(7));
  draws.draw(third, again);
  EXPECT_EQ(at_once, again);
  EXPECT_LT((at_once - in_parts).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(one.bits(), other.bits());
}

TEST(CorrelatedDraws, ManyCandidatesOfASmoothKernelNeedFewColumns) {
  constexpr Index n = 3000;
  long count = 0;
  const auto kernel = std::make_shared<oracle::CountingKernel>(gaussian(0.3), count);
  JointPrediction joint = exact_jointly(kernel, 0.01, make_data(2, 60), candidates(2, n));
  count = 0;
  const CorrelatedDraws draws(std::move(joint));
  EXPECT_LT(draws.rank(), 300);
  EXPECT_LT(count, 2 * n * draws.rank());
}

TEST(CorrelatedDraws, AProjectedModelWithManyCandidatesIsFactoredToo) {
  const Data data = make_data(2, 80);
  ProjectedRegression projected(gaussian(0.2), 0.01, full_dictionary());
  projected.observe(data.states, data.rewards);
  const JointPrediction joint = jointly(projected, candidates(2, 400));
  const CorrelatedDraws draws(joint);
  const Matrix expected = DenseRegression(*gaussian(0.2), data.states, data.rewards, 0.01)
                              .covariance(joint.states)
                              .cast<double>();
  const Matrix product = draws.factor() * draws.factor().transpose();
  EXPECT_LT((product - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.diagonal().maxCoeff());
}

// Between two candidates only; the model's own data are sound.
class Spoilt final : public Kernel {
 public:
  explicit Spoilt(double value) : value_(value) {}
  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    inner_->gram(x, y, out);
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < x.cols(); ++i) {
        if (x(0, i) > 5 && y(0, j) > 5 && x(0, i) != y(0, j)) out(i, j) = value_;
      }
    }
  }
  void diagonal(const MatrixIn& x, VectorOut out) const override { inner_->diagonal(x, out); }
  void check_dimension(Index) const override {}

 private:
  KernelPtr inner_ = gaussian(0.3);
  double value_;
};

TEST(CorrelatedDraws, AKernelThatIsNoneGivesAnErrorOrSoundVariances) {
  Matrix states(1, 3);
  states << 6, 7, 8;
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    JointPrediction joint = exact_jointly(std::make_shared<Spoilt>(value), 1, make_data(1, 5), states);
    EXPECT_THROW(CorrelatedDraws(std::move(joint)), NumericalError);
  }
  JointPrediction joint = exact_jointly(std::make_shared<Spoilt>(3.0), 1, make_data(1, 5), states);
  const CorrelatedDraws draws(std::move(joint));
  EXPECT_LT((draws.factor().rowwise().squaredNorm() + draws.left() - Vector::Ones(3)).cwiseAbs().maxCoeff(),
            1e-12);
}

}  // namespace
}  // namespace ridgerunner::correlated_draws_test
