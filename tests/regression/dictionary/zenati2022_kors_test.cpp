#include "ridgerunner/regression/dictionary/zenati2022_kors.h"

#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracles/dense.h"
#include "oracles/problems.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::zenati2022_kors_test {
namespace {

using oracle::LongMatrix;
using oracle::LongVector;
using oracle::normals;
using oracle::uniform_points;

// Eq. (41) as it is printed: the newcomer joins the dictionary for the time being, with weight 1;
//   τ = (1 + ε)/μ (k(s,s) - k*^T S (S K* S + μI)^-1 S k*).
long double printed_score(const Kernel& kernel, const Members& members, const Vector& state, double mu,
                          double epsilon) {
  const Index q = members.states.cols();
  Matrix all(state.size(), q + 1);
  LongVector weights(q + 1);
  for (Index i = 0; i < q; ++i) {
    all.col(i) = members.states.col(i);
    weights[i] = 1 / std::sqrt(static_cast<long double>(members.probabilities[i]));
  }
  all.col(q) = state;
  weights[q] = 1;
  const LongMatrix k = gram(kernel, all, all).cast<long double>();
  LongMatrix inner = weights.asDiagonal() * k * weights.asDiagonal();
  inner.diagonal().array() += mu;
  const LongVector b = weights.asDiagonal() * k.col(q);
  return (1 + static_cast<long double>(epsilon)) / mu * (k(q, q) - b.dot(inner.inverse() * b));
}

// What it means: the ridge leverage φ^T (Σ φ_j φ_j^T/p_j + φ φ^T + μI)^-1 φ, where features can be written
// down.
long double leverage(const LongMatrix& features, const Vector& probabilities, const LongVector& own,
                     double mu, double epsilon) {
  LongMatrix sum = own * own.transpose();
  for (Index i = 0; i < features.cols(); ++i)
    sum += features.col(i) * features.col(i).transpose() / static_cast<long double>(probabilities[i]);
  sum.diagonal().array() += mu;
  return (1 + static_cast<long double>(epsilon)) * own.dot(sum.inverse() * own);
}

LongVector quadratic_features(const Vector& x, long double variance, long double offset) {
  const LongVector y = x.cast<long double>();
  LongVector f(6);
  f << y[0] * y[0], y[1] * y[1], std::sqrt(2.0L) * y[0] * y[1], std::sqrt(2 * offset) * y[0],
      std::sqrt(2 * offset) * y[1], offset;
  return std::sqrt(variance) * f;
}

constexpr double kLittle = 1e-6;  // an oversampling at which no probability is cut off at 1

// A dictionary with members of given probabilities, and τ of a state in it.
struct Case {
  KernelPtr kernel;
  double mu, epsilon;
  Members members;
  Vector state;

  double score() const {
    const auto dictionary = kors(kernel, {mu, kLittle, epsilon});
    for (Index i = 0; i < members.states.cols(); ++i) {
      const Vector member = members.states.col(i);
      dictionary->admitted({member, diagonal(*kernel, member)[0], 0, i}, members.probabilities[i]);
    }
    return dictionary->admission({state, diagonal(*kernel, state)[0], 0, members.states.cols()}) / kLittle;
  }
};

Case random_case(std::uint64_t seed, KernelPtr kernel) {
  Stream random(seed, Purpose::test);
  const Index q = 1 + random.index(12);
  Case one{std::move(kernel),
           std::pow(10.0, random.uniform(-2, 2)),
           random.uniform(0.05, 0.95),
           {uniform_points(random, 2, q), Vector(q)},
           uniform_points(random, 2, 1)};
  for (double& p : one.members.probabilities) p = random.uniform(0.05, 1);
  if (q > 3) one.members.states.col(2) = one.members.states.col(1);  // the same state twice
  if (random.uniform() < 0.2) one.state = one.members.states.col(0);
  return one;
}

TEST(Kors, TheScoreIsEquation41) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    for (const KernelPtr& kernel :
         {gaussian(0.4), matern32(0.3, 2.0), linear(2.0, 0.5), polynomial(2, 0.7, 0.4)}) {
      const Case one = random_case(seed, kernel);
      const long double expected = printed_score(*kernel, one.members, one.state, one.mu, one.epsilon);
      RC_ASSERT(std::abs(one.score() - expected) < 1e-10L * std::max(1.0L, expected));
    }
  }));
}

TEST(Kors, TheScoreIsALeverageWhereFeaturesCanBeWrittenDown) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Case line = random_case(seed, linear());
    EXPECT_NEAR(
        line.score(),
        static_cast<double>(leverage(line.members.states.cast<long double>(), line.members.probabilities,
                                     line.state.cast<long double>(), line.mu, line.epsilon)),
        1e-10);
    const Case square = random_case(seed, polynomial(2, 0.7, 0.4));
    LongMatrix features(6, square.members.states.cols());
    for (Index i = 0; i < features.cols(); ++i)
      features.col(i) = quadratic_features(square.members.states.col(i), 0.7L, 0.4L);
    EXPECT_NEAR(square.score(),
                static_cast<double>(leverage(features, square.members.probabilities,
                                             quadratic_features(square.state, 0.7L, 0.4L), square.mu,
                                             square.epsilon)),
                1e-10);
  }
}

TEST(Kors, TheScoreByHand) {
  // Orthogonal to the one member: 1.5 * 1/(1 + 2). The member itself, which came in with p = 1/4: 5 times in
  // all.
  Case one{linear(), 2, 0.5, {Vector::Unit(2, 0), Vector::Constant(1, 0.25)}, Vector::Unit(2, 1)};
  EXPECT_NEAR(one.score(), 0.5, 1e-12);
  one.state = Vector::Unit(2, 0);
  EXPECT_NEAR(one.score(), 1.5 / 7, 1e-12);
}

TEST(Kors, TheScoreIsSmallWhereTheMembersExplainAState) {
  Case one{gaussian(0.2), 0.1, 0.5, {Matrix::Constant(1, 1, 0.5), Vector::Ones(1)}, Vector::Constant(1, 0.5)};
  double before = one.score();
  for (const double x : {0.55, 0.6, 0.8, 1.5}) {
    one.state[0] = x;
    EXPECT_GT(one.score(), before);
    before = one.score();
  }
}

TEST(Kors, TheFirstStateAlwaysComesIn) {
  for (const double oversampling : {1e-9, 1.0, 100.0}) {
    const auto dictionary = kors(gaussian(0.3), {1, oversampling, 0.5});
    EXPECT_EQ(dictionary->admission({Vector::Zero(2), 1, 1, 0}), 1);
    ProjectedRegression regression(gaussian(0.3), 1, kors(gaussian(0.3), {1, oversampling, 0.5}));
    regression.observe(Vector::Zero(2), Vector::Ones(1));
    EXPECT_EQ(regression.anchors().cols(), 1);
  }
}

TEST(Kors, ProbabilitiesAreCutOffAtOne) {
  const auto dictionary = kors(gaussian(0.3), {1, 50, 0.5});
  dictionary->admitted({Vector::Zero(1), 1, 1, 0}, 1);
  EXPECT_EQ(dictionary->admission({Vector::Ones(1), 1, 1, 1}), 1);
}

TEST(Kors, StatesComeInWithTheirProbabilityAndMembersRememberIt) {
  // The same eight states, four thousand seeds. Given the past, a state comes in with γτ: the sum of
  // (came in) - γτ over seeds has the variance Σ p (1 - p).
  const KernelPtr kernel = gaussian(0.4);
  const double mu = 0.7, gamma = 0.9, epsilon = 0.5, ridge = 1;
  Stream random(1, Purpose::test);
  Matrix states = uniform_points(random, 1, 8);
  states.col(5) = states.col(2);  // a repeat is a state like any other
  Vector surplus = Vector::Zero(8), variance = Vector::Zero(8);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    ProjectedRegression regression(kernel, ridge, kors(kernel, {mu, gamma, epsilon}), {seed, false, {}, {}});
    for (Index i = 0; i < 8; ++i) {
      const Members before = regression.dictionary().members();
      const Vector state = states.col(i);
      const double p =
          i == 0 ? 1
                 : std::min(1.0,
                            gamma * static_cast<double>(printed_score(*kernel, before, state, mu, epsilon)));
      regression.observe(state, Vector::Ones(1));
      const Members after = regression.dictionary().members();
      const bool came = after.states.cols() > before.states.cols();
      if (came) {
        ASSERT_EQ(after.states.col(after.states.cols() - 1), state);
        ASSERT_NEAR(after.probabilities[after.states.cols() - 1], p, 1e-10);
      }
      surplus[i] += (came ? 1 : 0) - p;
      variance[i] += p * (1 - p);
    }
  }
  EXPECT_EQ(surplus[0], 0);
  for (Index i = 1; i < 8; ++i) {
    EXPECT_GT(variance[i], 100) << i;
    EXPECT_LT(std::abs(surplus[i]), 4.5 * std::sqrt(variance[i])) << i;
  }
}

TEST(Kors, ADependentStateCountsAsAMemberButAddsNoAnchor) {
  ProjectedRegression regression(linear(), 1, kors(linear(), {1e-3, 1e6, 0.5}));
  for (const double x : {1.0, 2.0, -3.0, 2.0}) regression.observe(Vector::Constant(1, x), Vector::Ones(1));
  EXPECT_EQ(regression.anchors().cols(), 1);
  EXPECT_EQ(regression.dictionary().members().states.cols(), 4);
}

struct Theory {
  KernelPtr kernel;
  double mu;
  Index dimension;
};

TEST(Kors, MeetsProposition4Point1InTheSettingOfTheTheory) {
  const double delta = 0.1;
  const Index horizon = 600;
  Index fewest = horizon;
  for (const Theory& theory : {Theory{gaussian(0.5), 60, 1}, Theory{gaussian(0.2), 3, 2},
                               Theory{matern32(0.3), 30, 2}, Theory{linear(1, 1), 60, 3}}) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      ProjectedRegression regression(
          theory.kernel, 1,
          kors(theory.kernel, {theory.mu, zenati2022_oversampling(static_cast<double>(horizon), delta), 0.5}),
          {seed, false, {}, {}});
      Stream random(seed, Purpose::test);
      const Matrix states = uniform_points(random, theory.dimension, horizon);
      const Matrix k = gram(*theory.kernel, states, states);
      for (Index t = 1; t <= horizon; ++t) {
        regression.observe(states.col(t - 1), Vector::Zero(1));
        if (t % 100 != 0) continue;
        const Matrix z = regression.anchors(), cross = gram(*theory.kernel, z, states.leftCols(t));
        Matrix kzz = gram(*theory.kernel, z, z);
        kzz.diagonal().array() += 1e-12;
        Matrix missed = k.topLeftCorner(t, t) - cross.transpose() * Eigen::LLT<Matrix>(kzz).solve(cross);
        missed.diagonal().array() -= theory.mu + 1e-8;
        // -missed is positive definite: no eigenvalue beyond μ.
        EXPECT_EQ(Eigen::LLT<Matrix>(-missed).info(), Eigen::Success) << "t = " << t;
      }
      Matrix raised = k;
      raised.diagonal().array() += theory.mu;
      const double dimension = Eigen::LLT<Matrix>(raised).solve(k).trace();
      const double log = std::log(2 * static_cast<double>(horizon) / delta);
      EXPECT_LE(static_cast<double>(regression.dictionary().members().states.cols()),
                9 * dimension * log * log);
      fewest = std::min(fewest, regression.dictionary().members().states.cols());
    }
  }
  EXPECT_LT(fewest, 500);  // at least somewhere the guarantee says something
}

TEST(Kors, TheOversamplingOfTheTheory) {
  EXPECT_NEAR(zenati2022_oversampling(1000, 0.1), 110.52408446371419, 1e-12);  // 12 ln 10^4
}

TEST(Kors, RefusesParametersOutOfRange) {
  EXPECT_THROW(kors(gaussian(1.0), {0, 1, 0.5}), InvalidArgument);
  EXPECT_THROW(kors(gaussian(1.0), {1, 0, 0.5}), InvalidArgument);
  EXPECT_THROW(kors(gaussian(1.0), {1, 1, 0}), InvalidArgument);
  EXPECT_THROW(kors(gaussian(1.0), {1, 1, 1}), InvalidArgument);
  EXPECT_THROW(kors(gaussian(1.0), {std::nan(""), 1, 0.5}), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::zenati2022_kors_test
