#include "ridgerunner/regression/projected/projected.h"

#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracles/dense.h"
#include "oracles/problems.h"
#include "regression/dictionaries.h"
#include "regression/drift.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner::projected_test {
namespace {

using oracle::bytes_of;
using oracle::DenseProjected;
using oracle::every_kind;
using oracle::Kind;
using oracle::LongMatrix;
using oracle::LongVector;
using oracle::model_of;
using oracle::normals;
using oracle::relative;
using oracle::uniform_points;
using oracle::worst;

struct Problem {
  Matrix states, probes;
  Vector rewards;
};

Problem make_problem(Index dimension, Index t, std::uint64_t seed, Index distinct = 0, double apart = 0) {
  Stream random(seed, Purpose::test);
  Problem problem{uniform_points(random, dimension, t), uniform_points(random, dimension, 25), Vector()};
  const double least = apart * std::pow(static_cast<double>(t), -1 / static_cast<double>(dimension));
  for (Index i = 1; i < t; ++i) {  // no two closer than that
    while ((problem.states.leftCols(i).colwise() - problem.states.col(i)).colwise().norm().minCoeff() < least)
      problem.states.col(i) = uniform_points(random, dimension, 1);
  }
  for (Index i = distinct; distinct > 0 && i < t; ++i)
    problem.states.col(i) = problem.states.col(random.index(distinct));
  const Index known = std::min<Index>(t, 8);
  problem.probes.leftCols(known) = problem.states.leftCols(known);  // where variances are smallest
  problem.rewards =
      (problem.states.colwise().sum().array() * 4).sin().matrix().transpose() + normals(random, t, 0.1);
  return problem;
}

void observe_one_by_one(Regression& regression, const Problem& problem) {
  for (Index i = 0; i < problem.states.cols(); ++i)
    regression.observe(problem.states.col(i), problem.rewards.segment(i, 1));
}

ProjectedRegression on_anchors(const KernelPtr& kernel, double ridge, const Matrix& anchors,
                               std::optional<Matrix> arms = {}) {
  return {kernel, ridge, empty_dictionary(), ProjectedOptions{7, false, anchors, std::move(arms)}};
}

void expect_textbook(const ProjectedRegression& got, const DenseProjected& expected, const Matrix& probes,
                     double allowed) {
  const Prediction at = predict(got, probes);
  EXPECT_LT(worst(at.mean, expected.mean(probes)), allowed);
  EXPECT_LT(worst(at.sd, expected.sd(probes)), allowed);
  const Evidence evidence = got.evidence();
  EXPECT_LT(relative(evidence.log_determinant, expected.log_determinant()), allowed);
  EXPECT_LT(relative(evidence.quadratic_form, expected.quadratic_form()), allowed);
  EXPECT_LT(relative(evidence.residual_sum, expected.residual_sum()), allowed);
  EXPECT_LT(relative(evidence.variance_sum, expected.variance_sum()), allowed);
  EXPECT_EQ(evidence.anchors, got.anchors().cols());
}

std::vector<KernelPtr> kernels() {
  return {gaussian(0.4),
          matern12(0.5),
          matern32(0.6, 2.0),
          matern52(0.3),
          polynomial(3, 0.5),
          linear(2, 0.3),
          sum({gaussian(0.3), linear()})};
}

TEST(Projected, WithEveryStateInTheDictionaryEqualsTheExactModel) {
  std::uint64_t seed = 0;
  for (const KernelPtr& kernel : kernels()) {
    for (const double ridge : {100.0, 1.0, 0.1}) {
      for (const Index distinct : {0, 9}) {
        const Problem problem = make_problem(1 + static_cast<Index>(seed % 4), 60, seed, distinct);
        ++seed;
        SCOPED_TRACE(seed);
        ExactRegression exact(kernel, ridge);
        ProjectedRegression projected(kernel, ridge, full_dictionary());
        observe_one_by_one(exact, problem);
        observe_one_by_one(projected, problem);
        const Prediction a = predict(exact, problem.probes), b = predict(projected, problem.probes);
        EXPECT_LT(worst(b.mean, a.mean.cast<long double>()), 1e-8);
        EXPECT_LT(worst(b.sd, a.sd.cast<long double>()), 1e-8);
        const Evidence one = exact.evidence(), other = projected.evidence();
        EXPECT_EQ(one.rounds, other.rounds);
        EXPECT_LT(relative(other.log_determinant, one.log_determinant), 1e-8);
        EXPECT_LT(relative(other.quadratic_form, one.quadratic_form), 1e-8);
        EXPECT_LT(relative(other.sum_of_squares, one.sum_of_squares), 1e-14);
        EXPECT_LT(other.residual_sum, 1e-8);
        EXPECT_LT(relative(other.variance_sum, *exact.diagnostics().effective_dimension), 1e-8);
      }
    }
  }
}

TEST(Projected, WithEveryStateInTheDictionaryAnyHistoryEqualsTheExactModel) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1u << 30);
    const Index t = *rc::gen::inRange<Index>(1, 50), d = *rc::gen::inRange<Index>(1, 5);
    const Problem problem =
        make_problem(d, t, seed, *rc::gen::inRange<Index>(0, t + 1), 0.2);  // no two nearly the same
    const double ridge = std::pow(10.0, *rc::gen::inRange(-1, 3));
    const KernelPtr kernel = *rc::gen::element(gaussian(0.5), matern32(0.2), matern52(1.0), polynomial(2));
    ExactRegression exact(kernel, ridge);
    ProjectedRegression projected(kernel, ridge, full_dictionary());
    exact.observe(problem.states, problem.rewards);
    projected.observe(problem.states, problem.rewards);
    const Prediction a = predict(exact, problem.probes), b = predict(projected, problem.probes);
    // Of a direction known from a small residual r only, rounding leaves 1e-16/r.
    double least = 1;
    for (Index i = 0; i < projected.anchors().cols(); ++i) {
      const double prior = diagonal(*kernel, projected.anchors().col(i))[0];
      least = std::min(least, std::pow(projected.memory().basis(i, i), 2) / prior);
    }
    const double tolerance = 1e-8 / std::min(ridge, 1.0) + 1e-14 / least;
    RC_ASSERT(worst(b.mean, a.mean.cast<long double>()) < tolerance);
    RC_ASSERT(worst(b.sd, a.sd.cast<long double>()) < tolerance);
    RC_ASSERT(relative(projected.evidence().log_determinant, exact.evidence().log_determinant) < tolerance);
    RC_ASSERT(relative(projected.evidence().quadratic_form, exact.evidence().quadratic_form) < tolerance);
  }));
}

TEST(Projected, WithGivenAnchorsEqualsTheTextbook) {
  std::uint64_t seed = 100;
  for (const KernelPtr& kernel : kernels()) {
    for (const double ridge : {10.0, 0.1, 1e-3}) {
      for (const Index m : {1, 4, 15}) {
        ++seed;
        const Problem problem = make_problem(2, 50, seed, seed % 2 == 0 ? 12 : 0);
        SCOPED_TRACE(seed);
        Stream random(seed, Purpose::test, 1);
        const Matrix anchors = uniform_points(random, 2, m);
        ProjectedRegression projected = on_anchors(kernel, ridge, anchors);
        observe_one_by_one(projected, problem);
        expect_textbook(projected, DenseProjected(*kernel, anchors, problem.states, problem.rewards, ridge),
                        problem.probes, 1e-8);
      }
    }
  }
}

TEST(Projected, EqualsProposition4Point2WithItsExplicitInverses) {
  const KernelPtr kernel = matern32(0.5);
  const Problem problem = make_problem(2, 40, 3);
  const Matrix z = problem.states.leftCols(8);
  const double ridge = 0.3;
  ProjectedRegression projected = on_anchors(kernel, ridge, z);
  observe_one_by_one(projected, problem);
  const LongMatrix kzz = gram(*kernel, z, z).cast<long double>(),
                   kzs = gram(*kernel, z, problem.states).cast<long double>(),
                   inner = kzs * kzs.transpose() + ridge * kzz, lambda = inner.inverse();
  const LongMatrix k = gram(*kernel, z, problem.probes).cast<long double>();
  const LongVector mean = k.transpose() * lambda * kzs * problem.rewards.cast<long double>();
  const Prediction at = predict(projected, problem.probes);
  EXPECT_LT(worst(at.mean, mean), 1e-9);
  for (Index i = 0; i < problem.probes.cols(); ++i) {
    const long double variance =
        (1 - k.col(i).dot(kzz.inverse() * k.col(i))) / ridge + k.col(i).dot(lambda * k.col(i));
    EXPECT_LT(relative(at.sd[i], std::sqrt(variance)), 1e-9);
  }
}

TEST(Projected, OneObservationOnOneAnchorByHand) {
  // Linear kernel, anchor e1, ridge 2, reward 6 at (1, 1): z = 1, r = 1, V = 3, b = 6.
  ProjectedRegression projected = on_anchors(linear(), 2, Vector::Unit(2, 0));
  projected.observe(Vector::Ones(2), Vector::Constant(1, 6.0));
  Matrix probes(2, 3);
  probes << 1, 0, 1, 0, 1, -1;
  const Prediction at = predict(projected, probes);
  EXPECT_NEAR(at.mean[0], 2, 1e-15);
  EXPECT_NEAR(at.mean[1], 0, 1e-15);
  EXPECT_NEAR(at.mean[2], 2, 1e-15);
  EXPECT_NEAR(at.sd[0], std::sqrt(1.0 / 3), 1e-15);
  EXPECT_NEAR(at.sd[1], std::sqrt(1.0 / 2), 1e-15);
  // The exact sd, at a state orthogonal to the data, is 1: the projected one may well be smaller.
  EXPECT_NEAR(at.sd[2], std::sqrt(1.0 / 3 + 1.0 / 2), 1e-15);
  const Evidence evidence = projected.evidence();
  EXPECT_NEAR(evidence.log_determinant, std::log(1.5), 1e-15);
  EXPECT_NEAR(evidence.quadratic_form, 12, 1e-14);  // (36 - 36/3)/2
  EXPECT_NEAR(evidence.residual_sum, 1, 1e-15);
  EXPECT_NEAR(evidence.variance_sum, 1.0 / 3 + 0.5, 1e-15);
  EXPECT_EQ(evidence.largest_prior, 2);
}

TEST(Projected, WithoutAnchorsKnowsOnlyThePrior) {
  ProjectedRegression projected(gaussian(0.5, 3.0), 0.25, empty_dictionary());
  for (int i = 0; i < 3; ++i) {
    const Prediction at = predict(projected, Matrix::Random(2, 3));
    EXPECT_EQ(at.mean, Vector::Zero(3));
    for (const double sd : at.sd) EXPECT_DOUBLE_EQ(sd, std::sqrt(12));
    EXPECT_EQ(projected.evidence().log_determinant, 0);
    EXPECT_DOUBLE_EQ(projected.evidence().residual_sum, 3 * i);
    projected.observe(Vector::Random(2), Vector::Ones(1));
  }
}

TEST(Projected, AnchorsThatDependOnOthersChangeNothing) {
  const Problem problem = make_problem(2, 50, 5);
  Stream random(5, Purpose::test, 1);
  Matrix anchors(2, 18);
  anchors.leftCols(6) = uniform_points(random, 2, 6);
  anchors.middleCols(6, 6) = anchors.leftCols(6);
  anchors.rightCols(6) = anchors.leftCols(6);
  for (const KernelPtr& kernel : {gaussian(0.4), matern12(0.3), linear(), polynomial(2)}) {
    ProjectedRegression projected = on_anchors(kernel, 0.1, anchors);
    observe_one_by_one(projected, problem);
    EXPECT_LE(projected.anchors().cols(), 6);
    expect_textbook(projected,
                    DenseProjected(*kernel, anchors.leftCols(6), problem.states, problem.rewards, 0.1),
                    problem.probes, 1e-8);
  }
  EXPECT_EQ(on_anchors(linear(), 0.1, anchors).anchors().cols(), 2);
  EXPECT_EQ(on_anchors(polynomial(2), 0.1, uniform_points(random, 2, 30)).anchors().cols(), 6);
}

// Twins at a distance h: for smooth kernels the second adds the direction of a derivative, r about (h/l)^2,
// and kernel values with errors of 1e-16 know that direction to 1e-16/r.
TEST(Projected, AnchorsThatNearlyDependOnOthersCountAsFarAsTheyAreKnown) {
  // 1e-16/r, times what sums over a dozen anchors make of it; it differs by instruction set.
  const Problem problem = make_problem(2, 60, 6);
  for (const double h : {1e-2, 1e-3, 3e-4, 1e-4, 1e-6, 1e-8}) {
    SCOPED_TRACE(h);
    Stream random(6, Purpose::test, 1);
    Matrix anchors(2, 12);
    anchors.leftCols(6) = uniform_points(random, 2, 6);
    for (Index i = 0; i < 6; ++i) anchors.col(6 + i) = anchors.col(i) + Vector::Constant(2, h / std::sqrt(2));
    const double left = 4 * h * h, allowed = 1e-9 + (left > kDependent ? 1e-13 / left : 0);
    for (const KernelPtr& kernel : {gaussian(0.5), rational_quadratic(0.5)}) {
      ProjectedRegression given = on_anchors(kernel, 1, anchors);
      observe_one_by_one(given, problem);
      EXPECT_EQ(given.anchors().cols(), left > kDependent ? 12 : 6);
      expect_textbook(given, DenseProjected(*kernel, given.anchors(), problem.states, problem.rewards, 1),
                      problem.probes, allowed);
    }
  }
}

TEST(Projected, StatesThatNearlyDependOnOthersSpoilTheLastDigitsOnly) {
  // What a state of r <= 1e-10 is not allowed to add is at most sqrt(1e-10 r(s)) at another.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = make_problem(1, 60, seed);
    for (const KernelPtr& kernel : {gaussian(0.4), matern32(0.6), matern52(0.3)}) {
      ExactRegression exact(kernel, 0.1);
      ProjectedRegression projected(kernel, 0.1, full_dictionary());
      observe_one_by_one(exact, problem);
      observe_one_by_one(projected, problem);
      const Prediction a = predict(exact, problem.probes), b = predict(projected, problem.probes);
      EXPECT_LT(worst(b.mean, a.mean.cast<long double>()), 1e-5);
      EXPECT_LT(worst(b.sd, a.sd.cast<long double>()), 1e-5);
    }
  }
}

TEST(Projected, NearlyCollinearStatesOfALinearKernelAreNoError) {
  // The second direction is known from a small difference only.
  for (const bool arrival : {false, true}) {
    for (int i = 0; i < 200; ++i) {
      const double h = std::pow(10.0, -2 - 0.03 * i);
      ProjectedRegression projected(linear(), 1, full_dictionary(), {7, arrival, {}, {}});
      projected.observe(Vector::Unit(2, 0), Vector::Ones(1));
      projected.observe((Vector(2) << 1.1, h).finished(), Vector::Ones(1));
      const Prediction at = predict(projected, Vector::Unit(2, 1));
      EXPECT_NEAR(at.sd[0], 1, arrival ? 1e-4 : 1e-2) << h;
      projected.observe(Vector::Unit(2, 1), Vector::Ones(1));
      EXPECT_NEAR(predict(projected, Vector::Unit(2, 1)).sd[0], std::sqrt(0.5), arrival ? 1e-4 : 1e-2) << h;
    }
  }
}

TEST(Projected, ManyCloseStatesInOneDimensionKeepTheirDigits) {
  // Hundreds of anchors offered where the kernel has room for a dozen directions.
  for (const bool arrival : {false, true}) {
    const Problem problem = make_problem(1, 300, 8);
    const KernelPtr kernel = gaussian(0.3);
    ProjectedRegression projected(kernel, 0.01, full_dictionary(), {7, arrival, {}, {}});
    ExactRegression exact(kernel, 0.01);
    observe_one_by_one(projected, problem);
    observe_one_by_one(exact, problem);
    EXPECT_LT(projected.anchors().cols(), 25);
    const Prediction a = predict(exact, problem.probes), b = predict(projected, problem.probes);
    // On arrival the first states count with fewer coordinates, so that model is another one.
    EXPECT_LT(worst(b.mean, a.mean.cast<long double>()), arrival ? 1e-2 : 1e-6);
    EXPECT_LT(worst(b.sd, a.sd.cast<long double>()), arrival ? 1e-2 : 1e-6);
    EXPECT_TRUE(b.sd.allFinite());
  }
}

// Lets in the first few states only.
struct FirstOnly final : Dictionary {
  explicit FirstOnly(Index count) : first(count) {}
  double admission(const Newcomer& newcomer) const override { return newcomer.number < first ? 1 : 0; }
  std::unique_ptr<Dictionary> clone() const override { return std::make_unique<FirstOnly>(*this); }
  Index first;
};

TEST(Projected, AStateTurnedAwayGetsTheFeaturesOfTheNewOrder) {
  // The fourth is nearly in the span of the first three: with every state an anchor it comes last and is
  // weak. The fifth takes most of what the second and third have. The sixth, turned away, has all put in
  // order by residual: there the fourth comes before those two, none is weak and all stay.
  Matrix states(5, 6);
  const double half = std::sqrt(0.5);
  states << 1, half, half, 1, 0, 0.3,  //
      0, half, half, 0, 1, 0.2,        //
      0, 0.01, -0.01, 0.012, 0, 0.5,   //
      0, 0, 0, 0, 2e-3, 0.4,           //
      0, 0, 0, 0.012 * 6.5e-4, 0, 0.1;
  const Vector rewards = (Vector(6) << 1, -1, 2, 0.5, 3, -2).finished();
  const KernelPtr kernel = linear();
  ProjectedRegression model(kernel, 0.1, std::make_unique<FirstOnly>(5));
  for (Index i = 0; i < 5; ++i) model.observe(states.col(i), rewards.segment(i, 1));
  const Matrix before = model.anchors();
  model.observe(states.col(5), rewards.segment(5, 1));
  const Matrix after = model.anchors();
  ASSERT_EQ(before.cols(), after.cols());
  ASSERT_NE(before, after);
  const DenseProjected textbook(*kernel, after, states, rewards, 0.1);
  EXPECT_LT(worst(predict(model, states).mean, textbook.mean(states)), 1e-3);
  EXPECT_LT(worst(predict(model, states).sd, textbook.sd(states)), 1e-3);
}

// Every dictionary, whatever it did: the model is the textbook's on the anchors it has.
TEST(Projected, WhateverTheDictionaryDidTheModelIsTheTextbooksOnItsAnchors) {
  std::uint64_t seed = 0;
  for (const Kind& kind : every_kind()) {
    for (const bool arms : {false, true}) {
      for (const KernelPtr& kernel : {gaussian(0.3), matern32(0.5)}) {
        if (arms && kind.name == "bbkb") continue;  // rewards wait there
        SCOPED_TRACE(kind.name + (arms ? " with arms" : ""));
        ++seed;
        const Problem problem = make_problem(2, 60, seed, seed % 2 == 0 ? 20 : 0);
        ProjectedRegression projected = model_of(
            kind, kernel, 0.5, arms ? std::optional<Matrix>(problem.states.leftCols(15)) : std::nullopt);
        std::vector<Index> known;
        for (Index i = 0; i < 60; ++i) {
          projected.observe(problem.states.col(i), problem.rewards.segment(i, 1));
          if (kind.arrival_features) known.push_back(projected.anchors().cols());
        }
        if (kind.name != "full") {
          EXPECT_LT(projected.anchors().cols(), seed % 2 == 0 ? 20 : 60);
        }
        expect_textbook(
            projected,
            DenseProjected(*kernel, projected.anchors(), problem.states, problem.rewards, 0.5, known),
            problem.probes, 1e-8);
      }
    }
  }
}

TEST(Projected, ErrorsFallAsTheDictionaryGrows) {
  const KernelPtr kernel = gaussian(0.3);
  const Problem problem = make_problem(2, 200, 11);
  ExactRegression exact(kernel, 0.1);
  observe_one_by_one(exact, problem);
  const Prediction truth = predict(exact, problem.probes);
  double mean_error = 1e9, sd_error = 1e9, residual = 1e9, log_determinant = 0, quadratic = 1e9, missed = 1e9;
  for (const Index m : {2, 5, 10, 20, 40, 80}) {
    ProjectedRegression projected = on_anchors(kernel, 0.1, problem.states.leftCols(m));
    observe_one_by_one(projected, problem);
    const Prediction at = predict(projected, problem.probes);
    const double mean_now = (at.mean - truth.mean).norm(), sd_now = (at.sd - truth.sd).norm();
    EXPECT_LT(mean_now, mean_error) << m;
    EXPECT_LT(sd_now, sd_error) << m;
    // These fall, or rise, whatever the data: spans are nested.
    const Evidence evidence = projected.evidence();
    EXPECT_LT(evidence.residual_sum, residual) << m;
    EXPECT_GT(evidence.log_determinant, log_determinant) << m;
    EXPECT_LT(evidence.quadratic_form, quadratic) << m;
    const double missed_now = *projected.diagnostics().projection_error;
    EXPECT_LT(missed_now, missed) << m;
    mean_error = mean_now, sd_error = sd_now, residual = evidence.residual_sum, missed = missed_now;
    log_determinant = evidence.log_determinant, quadratic = evidence.quadratic_form;
  }
  EXPECT_LT(log_determinant, exact.evidence().log_determinant);
  EXPECT_GT(quadratic, exact.evidence().quadratic_form);
  EXPECT_LT(mean_error, 1e-3);
  EXPECT_LT(sd_error, 1e-3);
}

TEST(Projected, VariancesAreWithinTheFactorThatTheProjectionErrorAllows) {
  // F <= 2 PFP + 2 QFQ and the like with P, Q = I - P exchanged for I: a factor c = max(2, 1 + 2 mu/ridge)
  // both ways, mu = |QFQ| the projection error.
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const KernelPtr kernel = seed % 2 == 0 ? gaussian(0.2) : matern12(0.5);
    const double ridge = seed % 3 == 0 ? 0.1 : 3;
    const Problem problem = make_problem(2, 80, seed);
    ExactRegression exact(kernel, ridge);
    ProjectedRegression projected =
        on_anchors(kernel, ridge, problem.states.leftCols(2 + 3 * static_cast<Index>(seed)));
    observe_one_by_one(exact, problem);
    observe_one_by_one(projected, problem);
    const DenseProjected dense(*kernel, projected.anchors(), problem.states, problem.rewards, ridge);
    const double most = std::max(2.0, 1 + 2 * static_cast<double>(dense.projection_error()) / ridge);
    const Prediction a = predict(exact, problem.probes), b = predict(projected, problem.probes);
    for (Index i = 0; i < problem.probes.cols(); ++i) {
      EXPECT_LE(b.sd[i] * b.sd[i], most * a.sd[i] * a.sd[i] * (1 + 1e-9));
      EXPECT_LE(a.sd[i] * a.sd[i], most * b.sd[i] * b.sd[i] * (1 + 1e-9));
    }
  }
}

// Lets in the states of given numbers.
class Chosen final : public Dictionary {
 public:
  explicit Chosen(std::vector<Index> numbers) : numbers_(std::move(numbers)) {}
  double admission(const Newcomer& newcomer) const override {
    return std::find(numbers_.begin(), numbers_.end(), newcomer.number) != numbers_.end() ? 1 : 0;
  }
  std::unique_ptr<Dictionary> clone() const override { return std::make_unique<Chosen>(*this); }

 private:
  std::vector<Index> numbers_;
};

TEST(Projected, AnchorsThatComeLateAreAsGoodAsThoseFromTheStart) {
  const std::vector<Index> numbers = {3, 17, 18, 40, 59};
  for (const Index distinct : {0, 61}) {
    for (const KernelPtr& kernel : {gaussian(0.3), matern32(0.4), polynomial(3)}) {
      const Problem problem = make_problem(2, 80, 21, distinct);
      const Matrix arms = problem.states.leftCols(10);
      ProjectedRegression late(kernel, 0.2, std::make_unique<Chosen>(numbers), {7, false, {}, arms});
      ProjectedRegression early = on_anchors(kernel, 0.2, problem.states(Eigen::all, numbers), arms);
      observe_one_by_one(late, problem);
      observe_one_by_one(early, problem);
      ASSERT_EQ(late.anchors(), early.anchors());
      const Prediction a = predict(early, problem.probes), b = predict(late, problem.probes);
      EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((a.sd - b.sd).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((early.arm_prediction().mean - late.arm_prediction().mean).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((early.arm_prediction().sd - late.arm_prediction().sd).cwiseAbs().maxCoeff(), 1e-9);
      const Evidence one = early.evidence(), other = late.evidence();
      EXPECT_NEAR(one.log_determinant, other.log_determinant, 1e-9);
      EXPECT_NEAR(one.residual_sum, other.residual_sum, 1e-9);
      EXPECT_NEAR(one.variance_sum, other.variance_sum, 1e-9);
      EXPECT_NEAR(one.quadratic_form, other.quadratic_form, 1e-8);
      for (Index i = 0; i < 5; ++i) {
        for (Index j = 0; j <= i; ++j)
          EXPECT_NEAR(early.memory().precision(i, j), late.memory().precision(i, j), 1e-9);
      }
    }
  }
}

TEST(Projected, FeaturesOnArrivalAreThoseOfTheAnchorsThereWere) {
  const std::vector<Index> numbers = {0, 3, 17, 18, 40, 59};
  for (const KernelPtr& kernel : {gaussian(0.3), matern32(0.4), polynomial(2)}) {
    for (const bool arms : {false, true}) {
      const Problem problem = make_problem(2, 80, 22);
      ProjectedRegression projected(
          kernel, 0.2, std::make_unique<Chosen>(numbers),
          {7, true, {}, arms ? std::optional<Matrix>(problem.probes) : std::nullopt});
      std::vector<Index> known;
      long double missed = 0;
      for (Index i = 0; i < 80; ++i) {
        const bool joins = std::find(numbers.begin(), numbers.end(), i) != numbers.end();
        const Matrix before = projected.anchors();
        if (!joins) {
          missed += DenseProjected(*kernel, before, problem.states.col(i), Vector::Zero(1), 1).residual_sum();
        }
        projected.observe(problem.states.col(i), problem.rewards.segment(i, 1));
        known.push_back(projected.anchors().cols());
      }
      EXPECT_EQ(projected.memory().points.size(), arms ? 25 : 0);
      EXPECT_TRUE(projected.evidence().arrival_features);
      EXPECT_LT(relative(projected.evidence().residual_sum, missed), 1e-9);
      const DenseProjected dense(*kernel, projected.anchors(), problem.states, problem.rewards, 0.2, known);
      expect_textbook(projected, dense, problem.probes, 1e-8);
      if (!arms) continue;
      EXPECT_LT(worst(projected.arm_prediction().mean, dense.mean(problem.probes)), 1e-8);
      EXPECT_LT(worst(projected.arm_prediction().sd, dense.sd(problem.probes)), 1e-8);
    }
  }
}

TEST(Projected, FeaturesOnArrivalNeedNoMemoryOfTheRounds) {
  for (const Kind& kind : every_kind()) {
    if (!kind.arrival_features) continue;
    ProjectedRegression projected = model_of(kind, gaussian(0.5), 1);
    Stream random(3, Purpose::test);
    std::size_t size = 0;
    Index anchors = -1;
    for (int t = 0; t < 600; ++t) {
      projected.observe(uniform_points(random, 2, 1), normals(random, 1));
      if (t >= 300 && projected.anchors().cols() == anchors) {
        EXPECT_EQ(bytes_of(projected).size(), size);
      }
      size = bytes_of(projected).size();
      anchors = projected.anchors().cols();
    }
    EXPECT_LT(anchors, 100);
  }
}

TEST(Projected, ArmsCarriedAlongAgreeWithPredictions) {
  for (const Kind& kind : every_kind()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(kind.name);
      Stream random(seed, Purpose::test);
      const Matrix arms = uniform_points(random, 2, 40);
      ProjectedRegression projected =
          model_of(kind, gaussian(seed == 0 ? 0.2 : 0.6), seed == 1 ? 0.01 : 1, arms, seed);
      Workspace workspace;
      for (int t = 0; t < 400; ++t) {
        const Matrix state = t % 7 == 3 ? uniform_points(random, 2, 1) : Matrix(arms.col(random.index(20)));
        const bool told = t % 3 == 0;
        if (told) projected.chosen(state.col(0), 0);
        if (t % 15 == 12) projected.withdrawn(state.col(0), 0);
        const double reward = normals(random, 1)[0];
        const bool comes = t % 5 != 4 && t % 15 != 12;
        if (comes && told) projected.rewarded(state.col(0), 0, reward, workspace);
        if (comes && !told) projected.observe(state, Vector::Constant(1, reward));
        if (t % 20 != 19) continue;
        const Prediction expected = predict(projected, arms), got = projected.arm_prediction();
        ASSERT_LT((got.mean - expected.mean).cwiseAbs().maxCoeff(),
                  1e-9 * (1 + expected.mean.cwiseAbs().maxCoeff()))
            << t;
        ASSERT_LT(((got.sd - expected.sd).array() / expected.sd.array()).abs().maxCoeff(), 1e-9) << t;
        ASSERT_EQ(got.prior, expected.prior);
        for (const double radius : {0.0, 0.3, 3.0}) {
          const BestUpper best = projected.best_arm(radius), plain = best_of(expected, radius);
          const double upper = plain.mean + radius * plain.sd;
          ASSERT_GE(expected.mean[best.index] + radius * expected.sd[best.index],
                    upper - 1e-8 * (1 + std::abs(upper)));
          ASSERT_EQ(best.mean, got.mean[best.index]);
          ASSERT_EQ(best.sd, got.sd[best.index]);
        }
      }
    }
  }
  const ProjectedRegression without(gaussian(0.3), 1, full_dictionary());
  EXPECT_EQ(capability<KeepsArms>(without), nullptr);
  EXPECT_THROW(without.best_arm(1), InvalidArgument);
}

TEST(Projected, ArmsThatAreEqualHaveEqualPredictions) {
  for (const Kind& kind : every_kind()) {
    SCOPED_TRACE(kind.name);
    Stream random(6, Purpose::test);
    Matrix arms = uniform_points(random, 2, 21);
    arms.col(20) = arms.col(0);
    ProjectedRegression projected = model_of(kind, gaussian(0.3), 0.1, arms);
    for (int t = 0; t < 100; ++t) {
      projected.observe(arms.col(random.index(21)), normals(random, 1));
      const Prediction at = projected.arm_prediction();
      ASSERT_NEAR(at.mean[0], at.mean[20], 1e-12);
      ASSERT_NEAR(at.sd[0], at.sd[20], 1e-12);
    }
  }
}

TEST(Projected, TheBestOfCandidatesIsTheBestOfTheirPredictions) {
  EXPECT_TRUE(rc::check([] {
    Stream random(*rc::gen::inRange<std::uint64_t>(0, 1u << 30), Purpose::test);
    const Kind kind = *rc::gen::elementOf(every_kind());
    const KernelPtr kernel = *rc::gen::element(gaussian(0.4), matern32(0.2), polynomial(2));
    ProjectedRegression projected = model_of(kind, kernel, std::pow(10.0, *rc::gen::inRange(-2, 3)));
    const Index rounds = *rc::gen::inRange<Index>(0, 200);
    for (Index t = 0; t < rounds; ++t) projected.observe(uniform_points(random, 2, 1), normals(random, 1));
    Workspace workspace;
    Matrix candidates = uniform_points(random, 2, *rc::gen::inRange<Index>(1, 60));
    if (rounds > 0) candidates.col(0) = projected.anchors().col(0);
    const double radius = *rc::gen::element(0.0, 0.1, 2.0);
    const BestUpper best = projected.best_upper(candidates, radius, workspace);
    const BestUpper expected = best_of(predict(projected, candidates), radius);
    RC_ASSERT(best.index == expected.index);
    RC_ASSERT(best.mean == expected.mean);
    RC_ASSERT(best.sd == expected.sd);
  }));
}

TEST(Projected, AStateIsPredictedTheSameAloneAndInCompany) {
  for (const Kind& kind : every_kind()) {
    ProjectedRegression projected = model_of(kind, gaussian(0.2), 0.1);
    const Problem problem = make_problem(2, 100, 9);
    observe_one_by_one(projected, problem);
    const Prediction all = predict(projected, problem.probes);
    for (Index i = 0; i < problem.probes.cols(); ++i) {
      const Prediction alone = predict(projected, problem.probes.col(i));
      EXPECT_EQ(alone.mean[0], all.mean[i]);
      EXPECT_EQ(alone.sd[0], all.sd[i]);
    }
  }
}

TEST(Projected, TheSameSeedGivesTheSameModelAndAnotherSeedAnother) {
  for (const Kind& kind : every_kind()) {
    for (const bool arms : {false, true}) {
      SCOPED_TRACE(kind.name);
      const Problem problem = make_problem(2, 80, 12);
      const auto run = [&](std::uint64_t seed) {
        ProjectedRegression projected = model_of(
            kind, gaussian(0.3), 0.5, arms ? std::optional<Matrix>(problem.probes) : std::nullopt, seed);
        observe_one_by_one(projected, problem);
        return bytes_of(projected);
      };
      EXPECT_TRUE(run(1) == run(1));
      const bool by_chance = kind.name.find("kors") == 0 || kind.name.find("bkb") != std::string::npos;
      EXPECT_EQ(run(1) == run(2), !by_chance);
    }
  }
}

TEST(Projected, ObservingAllAtOnceIsObservingOneByOne) {
  for (const Kind& kind : every_kind()) {
    SCOPED_TRACE(kind.name);
    const Problem problem = make_problem(2, 60, 13, 30);
    ProjectedRegression one = model_of(kind, gaussian(0.3), 0.5), all = one;
    observe_one_by_one(one, problem);
    all.observe(problem.states, problem.rewards);
    EXPECT_TRUE(bytes_of(one) == bytes_of(all));
  }
}

TEST(Projected, LookingChangesNothingAndACopyGoesItsOwnWay) {
  for (const Kind& kind : every_kind()) {
    for (const bool arms : {false, true}) {
      SCOPED_TRACE(kind.name);
      const Problem problem = make_problem(2, 60, 14);
      ProjectedRegression looked =
          model_of(kind, gaussian(0.3), 0.5, arms ? std::optional<Matrix>(problem.probes) : std::nullopt);
      ProjectedRegression untouched = looked;
      Workspace workspace;
      for (Index i = 0; i < 60; ++i) {
        looked.observe(problem.states.col(i), problem.rewards.segment(i, 1));
        untouched.observe(problem.states.col(i), problem.rewards.segment(i, 1));
        predict(looked, problem.probes.leftCols(3));
        looked.best_upper(problem.probes, 1, workspace);
        looked.diagnostics();
        looked.evidence();
        const auto copy = looked.clone();
        const std::string before = bytes_of(looked);
        ASSERT_TRUE(bytes_of(*copy) == before);
        copy->observe(problem.probes.col(0), Vector::Constant(1, 5));
        ASSERT_TRUE(bytes_of(looked) == before);
      }
      EXPECT_TRUE(bytes_of(looked) == bytes_of(untouched));
    }
  }
}

struct Setting {
  Kind kind;
  bool arms;
};

std::vector<Setting> every_setting() {
  std::vector<Setting> settings;
  for (const Kind& kind : every_kind()) {
    for (const bool arms : {false, true}) settings.push_back({kind, arms});
  }
  return settings;
}

TEST(Projected, BadInputLeavesEverythingAsItWas) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const Setting& setting : every_setting()) {
    SCOPED_TRACE(setting.kind.name);
    const Problem problem = make_problem(2, 40, 15);
    ProjectedRegression projected =
        model_of(setting.kind, gaussian(0.3), 0.5,
                 setting.arms ? std::optional<Matrix>(problem.probes) : std::nullopt);
    observe_one_by_one(projected, problem);
    const std::string before = bytes_of(projected);
    const auto refused = [&](const MatrixIn& states, const VectorIn& rewards) {
      EXPECT_THROW(projected.observe(states, rewards), InvalidArgument);
      EXPECT_TRUE(bytes_of(projected) == before);
    };
    refused(Matrix(2, 0), Vector(0));
    refused(Matrix(0, 1), Vector::Zero(1));
    refused(Matrix::Zero(2, 2), Vector::Zero(3));
    refused(Matrix::Zero(3, 1), Vector::Zero(1));
    refused(Matrix::Constant(2, 1, nan), Vector::Zero(1));
    refused(Matrix::Constant(2, 1, infinity), Vector::Zero(1));
    refused(Matrix::Zero(2, 1), Vector::Constant(1, nan));
    refused(Matrix::Zero(2, 1), Vector::Constant(1, -infinity));
    refused(Matrix::Zero(2, 1), Vector::Constant(1, 1e200));
    Matrix several = problem.probes.leftCols(3);
    refused(several, (Vector(3) << 1, 2, infinity).finished());
    several(0, 2) = nan;
    refused(several, Vector::Ones(3));
    EXPECT_THROW(predict(projected, Matrix::Zero(3, 1)), InvalidArgument);
    EXPECT_THROW(predict(projected, Matrix(2, 0)), InvalidArgument);
    EXPECT_THROW(predict(projected, Matrix::Constant(2, 1, nan)), InvalidArgument);
    EXPECT_THROW(projected.check(Matrix::Zero(1, 1)), InvalidArgument);
    Workspace workspace;
    EXPECT_THROW(projected.best_upper(Matrix::Zero(3, 2), 1, workspace), InvalidArgument);
    if (setting.arms && setting.kind.name == "bbkb") {
      EXPECT_THROW(projected.chosen(Vector::Zero(3), 0), InvalidArgument);
      EXPECT_THROW(projected.chosen(Vector::Constant(2, nan), 0), InvalidArgument);
      EXPECT_THROW(projected.rewarded(Vector::Zero(2), 0, nan, workspace), InvalidArgument);
      EXPECT_THROW(projected.withdrawn(Vector::Zero(3), 0), InvalidArgument);
      EXPECT_THROW(projected.withdrawn(Vector::Constant(2, 17), 0), InvalidArgument) << "never chosen";
    }
    EXPECT_TRUE(bytes_of(projected) == before);
  }
}

TEST(Projected, BadOptionsAreRefused) {
  const auto make = [](const ProjectedOptions& options, double ridge = 1) {
    return ProjectedRegression(gaussian(1.0), ridge, full_dictionary(), options);
  };
  EXPECT_THROW(make({}, 0), InvalidArgument);
  EXPECT_THROW(make({}, std::nan("")), InvalidArgument);
  EXPECT_THROW(ProjectedRegression(nullptr, 1, full_dictionary()), InvalidArgument);
  EXPECT_THROW(ProjectedRegression(gaussian(1.0), 1, nullptr), InvalidArgument);
  EXPECT_THROW(make({7, false, {}, Matrix(2, 0)}), InvalidArgument);
  EXPECT_THROW(make({7, false, {}, Matrix::Constant(2, 1, std::nan(""))}), InvalidArgument);
  EXPECT_THROW(make({7, false, Matrix(2, 0), {}}), InvalidArgument);
  EXPECT_THROW(make({7, false, Matrix::Zero(3, 1), Matrix::Zero(2, 1)}), InvalidArgument);
  EXPECT_THROW(ProjectedRegression(gaussian(1.0), 1, bkb_dictionary(2), {7, true, {}, {}}), InvalidArgument);
  EXPECT_THROW(ProjectedRegression(gaussian(std::vector<double>{1, 2}), 1, full_dictionary(),
                                   {7, false, {}, Matrix::Zero(3, 1)}),
               InvalidArgument);
}

TEST(Projected, AKernelThatThrowsAtAnyCallChangesNothing) {
  int calls = 0, fail_at = 0;
  const KernelPtr kernel = callable([&](const VectorIn& x, const VectorIn& y) {
    if (++calls == fail_at) throw std::runtime_error("the kernel's own trouble");
    return std::exp(-8 * (x - y).squaredNorm());
  });
  for (const Setting& setting : every_setting()) {
    SCOPED_TRACE(setting.kind.name + (setting.arms ? " with arms" : ""));
    fail_at = 0;
    Problem problem = make_problem(2, 24, 16);
    problem.states.col(7) = problem.states.col(3);
    for (const Index i : {10, 14}) problem.states.col(i) = problem.states.col(2) + Vector::Constant(2, 1e-4);
    problem.states.col(18) = problem.states.col(4) + Vector::Constant(2, 2e-4);  // sets off another order
    ProjectedRegression projected =
        model_of(setting.kind, kernel, 0.5,
                 setting.arms ? std::optional<Matrix>(problem.probes.rightCols(4)) : std::nullopt);
    Workspace workspace;
    for (Index i = 0; i < 24; ++i) {
      const bool anticipated = i % 3 == 1;
      const std::string before = bytes_of(projected);
      if (anticipated) {
        for (int n = 1;; ++n) {
          ProjectedRegression tried = projected;
          calls = 0, fail_at = n;
          try {
            tried.chosen(problem.states.col(i), 0);
            break;
          } catch (const std::runtime_error&) {
            ASSERT_TRUE(bytes_of(tried) == before) << "anticipation " << i << ", call " << n;
          }
        }
        fail_at = 0;
        projected.chosen(problem.states.col(i), 0);
      }
      const std::string now = bytes_of(projected);
      for (int n = 1; anticipated; ++n) {
        ProjectedRegression tried = projected;
        calls = 0, fail_at = n;
        try {
          tried.rewarded(problem.states.col(i), 0, problem.rewards[i], workspace);
          fail_at = 0;
          if (setting.arms && setting.kind.name == "bbkb") projected.withdrawn(problem.states.col(i), 0);
          break;
        } catch (const std::runtime_error&) {
          ASSERT_TRUE(bytes_of(tried) == now) << "reward of " << i << ", call " << n;
        }
      }
      fail_at = 0;
      const std::string data = bytes_of(projected);
      for (const Index several : {1, 2}) {
        if (i + several > 24) continue;
        for (int n = 1;; n += several == 1 ? 1 : 5) {
          ProjectedRegression tried = projected;
          calls = 0, fail_at = n;
          try {
            tried.observe(problem.states.middleCols(i, several), problem.rewards.segment(i, several));
            break;
          } catch (const std::runtime_error&) {
            ASSERT_TRUE(bytes_of(tried) == data) << several << " from " << i << ", call " << n;
            fail_at = 0;
            ASSERT_EQ(predict(tried, problem.probes).mean, predict(projected, problem.probes).mean);
            ASSERT_EQ(predict(tried, problem.probes).sd, predict(projected, problem.probes).sd);
          }
        }
      }
      fail_at = 0;
      projected.observe(problem.states.col(i), problem.rewards.segment(i, 1));
    }
  }
}

TEST(Projected, AnObservationThatFailedLeavesNoTraceInWhatComesAfter) {
  bool fails = false;
  const KernelPtr kernel = callable([&](const VectorIn& x, const VectorIn& y) {
    if (fails) throw std::runtime_error("the kernel's own trouble");
    return std::exp(-8 * (x - y).squaredNorm());
  });
  for (const Setting& setting : every_setting()) {
    SCOPED_TRACE(setting.kind.name);
    const Problem problem = make_problem(2, 40, 17);
    const std::optional<Matrix> arms = setting.arms ? std::optional<Matrix>(problem.probes) : std::nullopt;
    ProjectedRegression disturbed = model_of(setting.kind, kernel, 0.5, arms), quiet = disturbed;
    for (Index i = 0; i < 40; ++i) {
      fails = true;
      EXPECT_THROW(disturbed.observe(problem.probes.col(i % 25), Vector::Ones(1)), std::runtime_error);
      fails = false;
      disturbed.observe(problem.states.col(i), problem.rewards.segment(i, 1));
      quiet.observe(problem.states.col(i), problem.rewards.segment(i, 1));
    }
    EXPECT_TRUE(bytes_of(disturbed) == bytes_of(quiet));
  }
}

TEST(Projected, AKernelThatIsNotPositiveDefiniteIsReportedAndChangesNothing) {
  const KernelPtr kernel = callable([](const VectorIn& x, const VectorIn& y) { return x == y ? 1.0 : 2.0; });
  for (const Setting& setting : every_setting()) {
    SCOPED_TRACE(setting.kind.name + (setting.arms ? " with arms" : ""));
    Matrix two(1, 2);
    two << 0, 1;
    ProjectedRegression projected =
        model_of(setting.kind, kernel, 0.1, setting.arms ? std::optional<Matrix>(two) : std::nullopt);
    if (!setting.arms) projected.observe(Vector::Zero(1), Vector::Ones(1));
    const std::string before = bytes_of(projected);
    EXPECT_THROW(projected.observe(two, Vector::Ones(2)), NumericalError);
    EXPECT_TRUE(bytes_of(projected) == before);
  }
}

TEST(Projected, AVarianceThatIsNoNumberIsAnError) {
  const auto bad = [](double value) {
    return callable([value](const VectorIn&, const VectorIn&) { return value; });
  };
  for (const double value : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    ProjectedRegression projected(bad(value), 1, full_dictionary());
    EXPECT_THROW(predict(projected, Vector::Zero(1)), NumericalError) << value;
    EXPECT_THROW(projected.observe(Vector::Zero(1), Vector::Zero(1)), NumericalError) << value;
    EXPECT_THROW(ProjectedRegression(bad(value), 1, full_dictionary(), {7, false, {}, Matrix::Zero(1, 1)}),
                 NumericalError)
        << value;
  }
  ProjectedRegression lines(linear(), 1.0, full_dictionary());
  EXPECT_THROW(predict(lines, Vector::Constant(1, 1e200)), InvalidArgument);
  lines.observe(Vector::Ones(1), Vector::Ones(1));
  EXPECT_THROW(predict(lines, Vector::Constant(1, 1e200)), InvalidArgument);
  EXPECT_THROW(lines.observe(Vector::Constant(1, 1e200), Vector::Ones(1)), InvalidArgument);
  EXPECT_EQ(lines.evidence().rounds, 1);
}

TEST(Projected, NoRewardThatIsTakenMakesPredictionsInfinite) {
  for (const Setting& setting : every_setting()) {
    ProjectedRegression projected =
        model_of(setting.kind, gaussian(0.3), 1e-6,
                 setting.arms ? std::optional<Matrix>(Matrix::Ones(1, 2)) : std::nullopt);
    for (int t = 0; t < 20; ++t)
      projected.observe(Vector::Constant(1, 0.2 * (t % 7)), Vector::Constant(1, t % 2 == 0 ? 1e100 : -1e100));
    const Prediction at = predict(projected, Matrix::Random(1, 5));
    EXPECT_TRUE(at.mean.allFinite());
    EXPECT_TRUE(std::isfinite(projected.evidence().quadratic_form));
    EXPECT_TRUE(std::isfinite(projected.evidence().sum_of_squares));
  }
}

TEST(Projected, FiveThousandRoundsDoNotDrift) {
  for (const bool arms : {false, true}) {
    const KernelPtr kernel = gaussian(0.15);
    const double ridge = 0.1;
    Stream random(1, Purpose::test);
    const Matrix points = uniform_points(random, 2, 300);
    ProjectedRegression projected(kernel, ridge, kors(kernel, {1, 0.5, 0.5}),
                                  {7, false, {}, arms ? std::optional<Matrix>(points) : std::nullopt});
    Workspace workspace;
    for (int t = 0; t < 5000; ++t) {
      const Matrix offered = arms ? points : uniform_points(random, 2, 5);
      const Index chosen =
          arms ? projected.best_arm(0.5).index : projected.best_upper(offered, 0.5, workspace).index;
      const Vector reward = Vector::Constant(1, std::sin(9 * offered(0, chosen)) + 0.1 * random.normal());
      projected.observe(offered.col(chosen), reward, workspace);
    }
    EXPECT_GT(projected.anchors().cols(), 20);
    EXPECT_LT(projected.anchors().cols(), 250);
    oracle::expect_no_drift(projected, *kernel, ridge, 1e-6);
    if (!arms) continue;
    const Prediction expected = predict(projected, points), got = projected.arm_prediction();
    EXPECT_LT((got.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT(((got.sd - expected.sd).array() / expected.sd.array()).abs().maxCoeff(), 1e-8);
  }
}

TEST(Projected, DiagnosticsKnowTheProjectionErrorAndTheEffectiveDimension) {
  std::uint64_t seed = 0;
  for (const KernelPtr& kernel : {gaussian(0.1), gaussian(0.3), matern12(0.5), matern32(0.3), linear()}) {
    for (const Index distinct : {0, 40}) {
      for (const Index m : {1, 10}) {
        SCOPED_TRACE(++seed);
        const Problem problem = make_problem(3, 150, seed, distinct);
        ProjectedRegression projected = on_anchors(kernel, 0.5, problem.states.leftCols(m));
        observe_one_by_one(projected, problem);
        const DenseProjected dense(*kernel, projected.anchors(), problem.states, problem.rewards, 0.5);
        const Diagnostics known = projected.diagnostics();
        EXPECT_NEAR(*known.projection_error, static_cast<double>(dense.projection_error()),
                    0.01 * static_cast<double>(dense.projection_error()) + 1e-12);
        const double most = std::min(static_cast<double>(dense.variance_sum()), 150.0);
        EXPECT_LT(relative(*known.effective_dimension, most), 1e-8);
      }
    }
  }
}

TEST(Projected, TheProjectionErrorOfSymmetricDataIsFound) {
  // Only the direction e2 is missed, with both signs: a vector of ones does not see it.
  ProjectedRegression projected = on_anchors(linear(), 1, Vector::Unit(2, 0));
  for (const double sign : {1.0, -1.0}) projected.observe(sign * Vector::Unit(2, 1), Vector::Ones(1));
  EXPECT_NEAR(*projected.diagnostics().projection_error, 2, 1e-6);
}

TEST(Projected, TheProjectionErrorOfManyStatesIsEstimatedFromSome) {
  for (const KernelPtr& kernel : {gaussian(0.2), matern32(0.3)}) {
    const Problem problem = make_problem(2, 1300, 31, 0);
    ProjectedRegression projected = on_anchors(kernel, 0.5, problem.states.leftCols(10));
    observe_one_by_one(projected, problem);
    const Matrix z = projected.anchors();
    const Matrix cross = gram(*kernel, z, problem.states);
    const Matrix missed = gram(*kernel, problem.states, problem.states) -
                          cross.transpose() * Eigen::LLT<Matrix>(gram(*kernel, z, z)).solve(cross);
    Vector x = Vector::LinSpaced(1300, -1, 2);
    for (int i = 0; i < 100; ++i) x = (missed * x).normalized();
    const double expected = x.dot(missed * x);
    EXPECT_NEAR(*projected.diagnostics().projection_error, expected, 0.3 * expected);
  }
}

TEST(Projected, DiagnosticsOfAnEmptyModelAndOfOneWithoutHistory) {
  ProjectedRegression empty(gaussian(0.3), 1, full_dictionary());
  EXPECT_EQ(empty.diagnostics().projection_error, 0);
  EXPECT_EQ(empty.diagnostics().effective_dimension, 0);
  ProjectedRegression arrival(gaussian(0.3), 1, full_dictionary(), {7, true, {}, {}});
  arrival.observe(Vector::Ones(1), Vector::Ones(1));
  EXPECT_FALSE(arrival.diagnostics().projection_error);
  EXPECT_NEAR(*arrival.diagnostics().effective_dimension, 0.5, 1e-15);
}

}  // namespace
}  // namespace ridgerunner::projected_test
