#include "ridgerunner/regression/exact/exact.h"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kernel/message_of.h"
#include "oracles/dense.h"
#include "oracles/problems.h"
#include "ridgerunner/bounds/abbasi2012_self_normalized.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/joint_prediction.h"
#include "ridgerunner/selection/best_of_mixture.h"
#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner::exact_test {
namespace {

using oracle::normals;
using oracle::uniform_points;

enum class Data { distinct, repeated, nearly_collinear };

struct Problem {
  Matrix states, probes;
  Vector rewards;
};

Problem make_problem(Data data, Index t, std::uint64_t seed) {
  Stream random(seed, Purpose::test);
  Problem problem{uniform_points(random, 3, t), uniform_points(random, 3, 40), Vector()};
  if (data == Data::repeated) {
    for (Index i = t / 8; i < t; ++i) problem.states.col(i) = problem.states.col(random.index(t / 8));
  }
  if (data == Data::nearly_collinear) {
    for (Index i = 1; i < t; i += 2) {
      problem.states.col(i) = problem.states.col(i - 1) + 1e-7 * uniform_points(random, 3, 1);
    }
  }
  problem.probes.leftCols(10) = problem.states.leftCols(10);  // where variances are smallest
  problem.rewards = (problem.states.row(0).array() * 6).sin().matrix().transpose() + normals(random, t, 0.1);
  return problem;
}

double worst(const Vector& got, const oracle::LongVector& expected) {
  const long double scale = expected.cwiseAbs().maxCoeff();
  long double error = 0;
  for (Index i = 0; i < got.size(); ++i) {
    error = std::max(error, std::abs(got[i] - expected[i]) / std::max(std::abs(expected[i]), 0.01L * scale));
  }
  return static_cast<double>(error);
}

double relative(double got, long double expected) {
  return static_cast<double>(std::abs(got - expected) / std::abs(expected));
}

// Observes in pieces of changing size, so that single and block updates both take part.
ExactRegression learnt(const KernelPtr& kernel, double ridge, const Problem& problem, Index most = 9) {
  ExactRegression regression(kernel, ridge);
  const Index t = problem.states.cols();
  for (Index i = 0, piece = 1; i < t; i += piece, piece = piece % most + 1) {
    const Index p = std::min(piece, t - i);
    regression.observe(problem.states.middleCols(i, p), problem.rewards.segment(i, p));
  }
  return regression;
}

struct Case {
  Data data;
  double ridge;
};

class AgainstTextbook : public testing::TestWithParam<Case> {};

TEST_P(AgainstTextbook, MeansSdsLogDeterminantAndRadiusAgree) {
  const auto [data, ridge] = GetParam();
  const std::vector<KernelPtr> kernels = {gaussian(0.3), matern32(0.5), matern52({0.2, 0.5, 1.0}, 2.0)};
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const Index t : {1, 40, k == 1 ? 500 : 130}) {
      const Problem problem = make_problem(data, t < 16 ? 16 : t, 17 + k);
      const Problem used{problem.states.leftCols(t), problem.probes, problem.rewards.head(t)};
      const ExactRegression regression = learnt(kernels[k], ridge, used);
      const oracle::DenseRegression dense(*kernels[k], used.states, used.rewards, ridge);
      // 1e-9 down to a ridge of 1e-3; below, what rounding times the condition number allows.
      const double allowed = ridge >= 1e-3 ? 1e-9 : 1e-15 * static_cast<double>(dense.condition()) + 1e-9;
      const Prediction at = predict(regression, used.probes);
      EXPECT_LT(worst(at.mean, dense.mean(used.probes)), allowed) << "mean, t = " << t;
      EXPECT_LT(worst(at.sd, dense.sd(used.probes)), allowed) << "sd, t = " << t;
      EXPECT_EQ(at.clamped, 0);
      const Evidence evidence = regression.evidence();
      EXPECT_EQ(evidence.rounds, t);
      EXPECT_LT(relative(evidence.log_determinant, dense.log_determinant()), allowed)
          << "log-determinant, t = " << t;
      EXPECT_LT(relative(evidence.quadratic_form, dense.quadratic_form()), allowed)
          << "quadratic form, t = " << t;
      EXPECT_LT(relative(evidence.sum_of_squares, used.rewards.cast<long double>().squaredNorm()), 1e-14);
      const double radius = abbasi2012_radius({0.1, 2, 0.5}, evidence);
      const long double expected = 0.5L * std::sqrt(2 * std::log(10.0L) + dense.log_determinant()) +
                                   std::sqrt(static_cast<long double>(ridge)) * 2;
      EXPECT_LT(relative(radius, expected), allowed) << "radius, t = " << t;
    }
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const char* data[] = {"Distinct", "Repeated", "NearlyCollinear"};
  return data[static_cast<int>(info.param.data)] + std::string("RidgeE") +
         (info.param.ridge < 1 ? "minus" : "") +
         std::to_string(std::abs(std::lround(std::log10(info.param.ridge))));
}

INSTANTIATE_TEST_SUITE_P(Exact, AgainstTextbook,
                         testing::Values(Case{Data::distinct, 1e3}, Case{Data::distinct, 1},
                                         Case{Data::distinct, 1e-3}, Case{Data::distinct, 1e-6},
                                         Case{Data::repeated, 1e3}, Case{Data::repeated, 1},
                                         Case{Data::repeated, 1e-3}, Case{Data::repeated, 1e-6},
                                         Case{Data::nearly_collinear, 1e3}, Case{Data::nearly_collinear, 1},
                                         Case{Data::nearly_collinear, 1e-3},
                                         Case{Data::nearly_collinear, 1e-6}),
                         case_name);

TEST(Exact, WithoutDataTheMeanIsZeroAndTheVarianceThePrior) {
  const ExactRegression regression(gaussian(0.5, 3.0), 0.25);
  const Prediction at = predict(regression, Matrix::Random(2, 3));
  EXPECT_EQ(at.mean, Vector::Zero(3));
  for (const double sd : at.sd) EXPECT_DOUBLE_EQ(sd, std::sqrt(3.0 / 0.25));
  EXPECT_EQ(regression.evidence().log_determinant, 0);
}

TEST(Exact, OneObservationByHand) {
  ExactRegression regression(gaussian(1.0), 2.0);  // k = 1 at the state, e^-1/2 at distance 1
  regression.observe(Vector::Zero(1), Vector::Constant(1, 6.0));
  Matrix probes(1, 2);
  probes << 0, 1;
  const Prediction at = predict(regression, probes);
  EXPECT_NEAR(at.mean[0], 2.0, 1e-15);  // 6/(1 + 2)
  EXPECT_NEAR(at.mean[1], 2.0 * std::exp(-0.5), 1e-15);
  EXPECT_NEAR(at.sd[0], std::sqrt((1 - 1.0 / 3) / 2), 1e-15);
  EXPECT_NEAR(at.sd[1], std::sqrt((1 - std::exp(-1.0) / 3) / 2), 1e-15);
  EXPECT_NEAR(regression.evidence().log_determinant, std::log(1.5), 1e-15);
  EXPECT_NEAR(regression.evidence().quadratic_form, 12.0, 1e-14);  // 36/3
}

TEST(Exact, RepeatedStatesCollapse) {
  const Problem problem = make_problem(Data::repeated, 400, 3);
  const ExactRegression regression = learnt(matern52(0.5), 0.1, problem);
  EXPECT_EQ(regression.evidence().rounds, 400);
  EXPECT_LE(regression.evidence().anchors, 50);
  EXPECT_EQ(regression.anchors().cols(), regression.evidence().anchors);
}

TEST(Exact, ThousandsOfRepeatsDoNotDrift) {
  Stream random(5, Purpose::test);
  const Matrix arms = uniform_points(random, 2, 30);
  const KernelPtr kernel = gaussian(0.4);
  ExactRegression regression(kernel, 1e-2, arms);
  Matrix states(2, 6000);
  Vector rewards(6000);
  for (Index t = 0; t < 6000; ++t) {
    states.col(t) = arms.col(random.index(30));
    rewards[t] = std::sin(5 * states(0, t)) + 0.1 * random.normal();
    regression.observe(states.col(t), rewards.segment(t, 1));
  }
  // The oracle on collapsed data would share our algebra; on 6000 raw ones it is too slow. So: counts by
  // hand.
  Matrix gram_raised = gram(*kernel, arms, arms);
  Vector average = Vector::Zero(30), count = Vector::Zero(30);
  for (Index t = 0; t < 6000; ++t) {
    for (Index a = 0; a < 30; ++a) {
      if (arms.col(a) == states.col(t)) average[a] += rewards[t], count[a] += 1;
    }
  }
  average.array() /= count.array();
  gram_raised.diagonal() += 1e-2 * count.cwiseInverse();
  const oracle::LongMatrix raised = gram_raised.cast<long double>();
  const Eigen::LLT<oracle::LongMatrix> factor(raised);
  const oracle::LongMatrix k = gram(*kernel, arms, arms).cast<long double>();
  const oracle::LongVector mean = k * factor.solve(average.cast<long double>());
  const oracle::LongMatrix solved = factor.solve(k);
  const Prediction& at = regression.arm_prediction();
  EXPECT_LT(worst(at.mean, mean), 1e-9);
  for (Index a = 0; a < 30; ++a) {
    const long double variance = (1 - k.col(a).dot(solved.col(a))) / 1e-2L;
    EXPECT_NEAR(at.sd[a] / static_cast<double>(std::sqrt(variance)), 1, 1e-9);
  }
}

TEST(Exact, KernelsOfEveryFamilyAgreeWithTheTextbook) {
  const Problem problem = make_problem(Data::distinct, 60, 11);
  const std::vector<KernelPtr> kernels = {
      matern12(0.5),
      rational_quadratic(0.4, 1.5),
      linear(2.0, 0.5),
      polynomial(3, 0.5, 1.0),
      sum({gaussian(0.3), linear()}),
      product({gaussian(0.5), matern32(0.7)}),
      scaled(2.5, matern52(0.6)),
      block_product(1, gaussian(0.5), matern32(0.4)),
      callable([](const VectorIn& x, const VectorIn& y) { return std::exp(-(x - y).lpNorm<1>()); })};
  for (const KernelPtr& kernel : kernels) {
    const ExactRegression regression = learnt(kernel, 0.1, problem);
    const oracle::DenseRegression dense(*kernel, problem.states, problem.rewards, 0.1);
    const Prediction at = predict(regression, problem.probes);
    EXPECT_LT(worst(at.mean, dense.mean(problem.probes)), 1e-9);
    EXPECT_LT(worst(at.sd, dense.sd(problem.probes)), 1e-9);
  }
}

TEST(Exact, APrecomputedGramServesArmsThatAreNotVectors) {
  Stream random(2, Purpose::test);
  const Matrix factor = uniform_points(random, 12, 12);
  const Matrix table = factor * factor.transpose();
  ExactRegression regression(precomputed(table), 0.5, Eigen::RowVectorXd::LinSpaced(12, 0, 11));
  const oracle::LongVector y = normals(random, 3).cast<long double>();
  const std::vector<Index> pulled = {4, 7, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    regression.observe(Vector::Constant(1, static_cast<double>(pulled[i])),
                       Vector::Constant(1, static_cast<double>(y[static_cast<Index>(i)])));
  }
  oracle::LongMatrix raised = table(pulled, pulled).cast<long double>();
  raised.diagonal().array() += 0.5L;
  const oracle::LongVector mean = table(Eigen::all, pulled).cast<long double>() * raised.llt().solve(y);
  EXPECT_LT(worst(regression.arm_prediction().mean, mean), 1e-12);
}

TEST(Exact, TheFixedArmPathAgreesWithThePlainOne) {
  EXPECT_TRUE(rc::check("arms carried along = arms solved afresh", [] {
    Stream random(*rc::gen::inRange<std::uint64_t>(0, 1u << 30), Purpose::test);
    const Index arms = *rc::gen::inRange<Index>(1, 60), rounds = *rc::gen::inRange<Index>(1, 200);
    const double ridge = std::pow(10.0, *rc::gen::inRange(-3, 3));
    const Matrix points = uniform_points(random, 2, arms);
    const KernelPtr kernel = *rc::gen::element(gaussian(0.4), matern32(0.2), matern12(1.0));
    ExactRegression tracked(kernel, ridge, points), plain(kernel, ridge);
    for (Index t = 0; t < rounds; ++t) {
      // Mostly arms, some states that are not.
      const Matrix state =
          random.uniform() < 0.9 ? Matrix(points.col(random.index(arms))) : uniform_points(random, 2, 1);
      const Vector reward = normals(random, 1);
      tracked.observe(state, reward);
      plain.observe(state, reward);
    }
    const Prediction expected = predict(plain, points);
    const Prediction& got = tracked.arm_prediction();
    RC_ASSERT((got.mean - expected.mean).cwiseAbs().maxCoeff() <
              1e-9 * (1 + expected.mean.cwiseAbs().maxCoeff()));
    RC_ASSERT(((got.sd - expected.sd).array() / expected.sd.array()).abs().maxCoeff() < 1e-9);
    RC_ASSERT(std::abs(tracked.evidence().log_determinant - plain.evidence().log_determinant) <
              1e-9 * (1 + plain.evidence().log_determinant));
    const Prediction elsewhere = predict(tracked, Matrix::Constant(2, 1, 0.3));
    RC_ASSERT(std::abs(elsewhere.mean[0] - predict(plain, Matrix::Constant(2, 1, 0.3)).mean[0]) < 1e-8);
    // The same choice, but for ties within 1e-12.
    const double radius = random.uniform();
    const Index chosen = tracked.best_arm(radius).index;
    const BestUpper best = best_of(expected, radius);
    const double upper = best.mean + radius * best.sd;
    RC_ASSERT(expected.mean[chosen] + radius * expected.sd[chosen] >=
              upper - 1e-12 * std::max(1.0, std::abs(upper)));
  }));
}

TEST(Exact, AStateIsPredictedTheSameAloneAndInCompany) {
  const Problem problem = make_problem(Data::distinct, 150, 9);
  for (const KernelPtr& kernel : {gaussian(0.3), polynomial(2), sum({matern32(0.4), linear()})}) {
    const ExactRegression regression = learnt(kernel, 0.01, problem);
    const Prediction all = predict(regression, problem.probes);
    for (Index i = 0; i < problem.probes.cols(); ++i) {
      const Prediction alone = predict(regression, problem.probes.col(i));
      EXPECT_EQ(alone.mean[0], all.mean[i]);
      EXPECT_EQ(alone.sd[0], all.sd[i]);
    }
  }
}

TEST(Exact, EqualArmsHaveEqualPredictions) {
  Stream random(6, Purpose::test);
  Matrix arms = uniform_points(random, 2, 21);
  arms.col(20) = arms.col(0);
  ExactRegression regression(gaussian(0.3), 0.1, arms);
  for (int t = 0; t < 200; ++t) {  // through several collapses
    regression.observe(arms.col(random.index(20)), normals(random, 1));
    EXPECT_EQ(regression.arm_prediction().mean[0], regression.arm_prediction().mean[20]);
    EXPECT_EQ(regression.arm_prediction().sd[0], regression.arm_prediction().sd[20]);
  }
}

TEST(Exact, AKernelThatFailsWhileCollapsingChangesNothing) {
  int calls = 0, fail_from = 1 << 30;
  const KernelPtr kernel = callable([&](const VectorIn& x, const VectorIn& y) {
    if (++calls >= fail_from) throw std::runtime_error("the kernel's own trouble");
    return std::exp(-(x - y).squaredNorm());
  });
  for (const bool batch : {false, true}) {
    fail_from = 1 << 30;
    ExactRegression regression(kernel, 0.1), untroubled(kernel, 0.1);
    const auto observe = [&](ExactRegression& model, Index n) {
      model.observe(Matrix::Zero(1, n), Vector::Ones(n));
    };
    for (int t = 0; t < 33; ++t) {
      for (ExactRegression* model : {&regression, &untroubled})
        model->observe(Vector::Constant(1, t % 2), Vector::Ones(1));
    }
    const Index more = batch ? 2 : 1;
    observe(untroubled, more);
    const double before = predict(regression, Vector::Zero(1)).mean[0];
    fail_from = calls + 33 + 2;  // the row itself works, the collapse that it sets off does not
    EXPECT_THROW(observe(regression, more), std::runtime_error);
    fail_from = 1 << 30;
    EXPECT_EQ(regression.evidence().rounds, 33);
    EXPECT_EQ(predict(regression, Vector::Zero(1)).mean[0], before);
    observe(regression, more);
    EXPECT_EQ(regression.evidence().rounds, 33 + more);
    EXPECT_EQ(regression.factor().size(), 2) << "collapsed after all";
    EXPECT_EQ(predict(regression, Vector::Zero(1)).mean[0], predict(untroubled, Vector::Zero(1)).mean[0]);
  }
}

// A failing factor at a further ridge leaves those before it as they were.
TEST(Exact, AFurtherRidgeThatFailsChangesNothing) {
  const KernelPtr kernel = callable([](const VectorIn& x, const VectorIn& y) {
    return x == y ? (x[0] > 1 ? 4.0 : 1.0) : x[0] > 1 || y[0] > 1 ? 2.4 : 0.0;
  });
  ExactRegression regression(kernel, 10, std::nullopt, {5, 0.1});
  regression.observe(Vector::Zero(1), Vector::Ones(1));
  const double before = regression.further()[0].largest_diagonal;
  EXPECT_THROW(regression.observe(Vector::Constant(1, 2), Vector::Ones(1)), NumericalError);
  EXPECT_EQ(regression.further()[0].largest_diagonal, before);
  EXPECT_EQ(regression.further()[0].factor.size(), 1);
  EXPECT_EQ(regression.factor().size(), 1);
}

TEST(Exact, AStateWhosePriorIsNoNumberIsRefusedOnEveryPath) {
  const std::string message = "k(s, s) must be finite, got inf for state 1 (from 0)";
  const Matrix states{{1.0, 1e200}};
  for (const bool data : {false, true}) {
    ExactRegression regression(linear(), 1.0, std::nullopt, {2.0});
    if (data) regression.observe(Vector::Ones(1), Vector::Ones(1));
    Workspace workspace;
    const Mixture mixture{1, 1, {}};
    EXPECT_EQ(message_of<InvalidArgument>([&] { regression.check(states); }), message);
    EXPECT_EQ(message_of<InvalidArgument>([&] { predict(regression, states); }), message);
    EXPECT_EQ(message_of<InvalidArgument>([&] { regression.predict_jointly(states, workspace); }), message);
    EXPECT_EQ(message_of<InvalidArgument>([&] { best_upper(regression, states, 1, workspace); }), message);
    EXPECT_EQ(
        message_of<InvalidArgument>([&] { best_of_mixture(regression, states, mixture, true, workspace); }),
        message);
    EXPECT_EQ(message_of<InvalidArgument>([&] { mixture_band(regression, states, mixture, workspace); }),
              message);
    EXPECT_EQ(message_of<InvalidArgument>([&] { regression.observe(states, Vector::Ones(2)); }), message);
    EXPECT_EQ(regression.evidence().rounds, data ? 1 : 0);
  }
  EXPECT_EQ(message_of<InvalidArgument>([&] { ExactRegression(linear(), 1.0, states); }), message);
}

// The first arm was seen; all others claim to be a little more like it than it is itself.
TEST(Exact, TheClampedVarianceOfAChoiceIsCountedTheSameOnEveryPath) {
  const KernelPtr kernel =
      callable([](const VectorIn& x, const VectorIn& y) { return x == y ? 1.0 : 1 + 1e-9; });
  const Matrix arms{{0, 1, 2, 3}};
  ExactRegression with_arms(kernel, 1e-12, arms), without(kernel, 1e-12);
  for (ExactRegression* model : {&with_arms, &without}) model->observe(arms.col(0), Vector::Ones(1));
  EXPECT_EQ(with_arms.arm_prediction().clamped, 3);
  Workspace workspace;
  for (const double radius : {0.0, 1.0}) {
    const BestUpper arm = with_arms.best_arm(radius);
    const BestUpper candidate = best_upper(without, arms, radius, workspace);
    EXPECT_EQ(arm.index, radius == 0 ? 1 : 0);
    EXPECT_EQ(candidate.index, arm.index);
    EXPECT_EQ(arm.clamped, radius == 0 ? 1 : 0);
    EXPECT_EQ(candidate.clamped, arm.clamped);
  }
}

class Refuses : public testing::Test {
 protected:
  void SetUp() override {
    regression_.observe(Matrix::Random(2, 5), Vector::Random(5));
    before_ = predict(regression_, probes_);
  }
  void expect_refused(const MatrixIn& states, const VectorIn& rewards, const std::string& message) {
    try {
      regression_.observe(states, rewards);
      ADD_FAILURE() << "accepted, but expected: " << message;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.what(), message);
    }
    const Prediction after = predict(regression_, probes_);
    EXPECT_EQ(after.mean, before_.mean);
    EXPECT_EQ(after.sd, before_.sd);
    EXPECT_EQ(regression_.evidence().rounds, 5);
  }
  ExactRegression regression_{gaussian(0.5), 0.1};
  Matrix probes_ = Matrix::Random(2, 4);
  Prediction before_;
};

TEST_F(Refuses, BadInputAndStaysAsItWas) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  expect_refused(Matrix(2, 0), Vector(0), "states must not be empty");
  expect_refused(Matrix::Zero(2, 2), Vector::Zero(3), "states and rewards must be equally many, got 2 and 3");
  expect_refused(Matrix::Zero(3, 1), Vector::Zero(1), "states must have dimension 2, got 3");
  expect_refused(Matrix::Constant(2, 1, nan), Vector::Zero(1), "states must be finite");
  expect_refused(Matrix::Zero(2, 1), Vector::Constant(1, inf), "rewards must be finite");
  EXPECT_THROW(predict(regression_, Matrix::Zero(3, 1)), InvalidArgument);
  EXPECT_THROW(ExactRegression(gaussian(1.0), 0), InvalidArgument);
  EXPECT_THROW(ExactRegression(nullptr, 1), InvalidArgument);
}

TEST(Exact, AKernelThatIsNotPositiveDefiniteIsReportedAndChangesNothing) {
  ExactRegression regression(
      callable([](const VectorIn& x, const VectorIn& y) { return x == y ? 1.0 : 2.0; }), 0.1);
  regression.observe(Vector::Zero(1), Vector::Ones(1));
  Matrix two(1, 2);
  two << 0, 1;  // a repeat, which works, and a new state, which does not
  EXPECT_THROW(regression.observe(two, Vector::Ones(2)), NumericalError);
  EXPECT_EQ(regression.evidence().rounds, 1);
  EXPECT_EQ(regression.anchors().cols(), 1);
  EXPECT_NEAR(predict(regression, Vector::Zero(1)).mean[0], 1 / 1.1, 1e-15);
}

}  // namespace
}  // namespace ridgerunner::exact_test
