#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracles/growing_mixture.h"
#include "oracles/problems.h"
#include "regression/dictionaries.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/selection/best_of_mixture.h"

// Mixtures on features as they were on arrival.
namespace ridgerunner::projected_mixture_test {
namespace {

using oracle::GrowingMixture;
using oracle::normals;
using oracle::uniform_points;

const std::vector<double> kGrid = {0.1, 0.3, 1, 3, 10};
const MixtureInputs kInputs{0.05, 3, 0.2};
constexpr double kRidge = 0.04;

struct Problem {
  KernelPtr kernel;
  Matrix states, probes;
  Vector rewards;
};

// A function of norm 2.5 with noise 0.2.
Problem make_problem(const KernelPtr& kernel, Index t, std::uint64_t seed) {
  Stream random(seed, Purpose::test);
  Problem problem{kernel, uniform_points(random, 2, t), uniform_points(random, 2, 15), {}};
  const Matrix centres = uniform_points(random, 2, 8);
  Vector weights = normals(random, 8);
  weights *= 2.5 / std::sqrt(weights.dot(gram(*kernel, centres, centres) * weights));
  problem.rewards = gram(*kernel, problem.states, centres) * weights + normals(random, t, 0.2);
  problem.probes.leftCols(std::min<Index>(t, 3)) = problem.states.leftCols(std::min<Index>(t, 3));
  return problem;
}

// Residual budgets from generous to strict: few anchors or nearly all.
ProjectedRegression model_of(const KernelPtr& kernel, double tolerance, std::optional<Matrix> arms = {}) {
  return {kernel, kRidge, residual_budget({tolerance, 1, 40}),
          ProjectedOptions{7, true, {}, std::move(arms)}};
}

std::vector<Index> observe_all(ProjectedRegression& model, const Problem& problem) {
  std::vector<Index> known;
  for (Index i = 0; i < problem.states.cols(); ++i) {
    model.observe(problem.states.col(i), problem.rewards.segment(i, 1));
    known.push_back(model.anchors().cols());
  }
  return known;
}

Mixture dmm(const Regression& model, const std::vector<double>& grid = kGrid) {
  return *dmm_bound(kInputs, grid)->mixture(model.evidence());
}
Mixture cmm(const Regression& model) {
  return *cmm_bound(kInputs)->mixture(model.evidence());
}
Band band_of(const Regression& model, const MatrixIn& states, const Mixture& mixture) {
  Workspace workspace;
  return mixture_band(model, states, mixture, workspace);
}
Band amm_band(const Regression& model, const MatrixIn& states) {
  return radius_band(predict(model, states), flynn2024_amm_radius(kInputs, model.evidence()));
}

double worst(const Band& got, const GrowingMixture::LongBand& expected) {
  return std::max(oracle::worst(got.lower, expected.lower), oracle::worst(got.upper, expected.upper));
}
double worst(const Band& got, const Band& expected) {
  return std::max(oracle::worst(got.lower, expected.lower.cast<long double>()),
                  oracle::worst(got.upper, expected.upper.cast<long double>()));
}

struct Case {
  Problem problem;
  ProjectedRegression model;
  GrowingMixture oracle;
};

Case make_case(const KernelPtr& kernel, double tolerance, Index t, std::uint64_t seed) {
  const Problem problem = make_problem(kernel, t, seed);
  ProjectedRegression model = model_of(kernel, tolerance);
  const std::vector<Index> known = observe_all(model, problem);
  GrowingMixture oracle(*kernel, model.anchors(), problem.states, problem.rewards, known, kRidge, kInputs);
  return {problem, std::move(model), std::move(oracle)};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  std::uint64_t seed = 0;
  for (const KernelPtr& kernel : {gaussian(0.4), matern52(0.6), matern32(0.5, 2.0)})
    for (const double tolerance : {3.0, 0.5}) all.push_back(make_case(kernel, tolerance, 30, ++seed));
  return all;
}

TEST(GrowingMixture, AmmEqualsTheTextbook) {
  for (const Case& one : cases()) {
    const double radius = flynn2024_amm_radius(kInputs, one.model.evidence());
    EXPECT_LT(oracle::relative(radius, one.oracle.radius()), 1e-8);
    EXPECT_LT(worst(amm_band(one.model, one.problem.probes), one.oracle.band(one.problem.probes, kRidge)),
              1e-8);
  }
}

TEST(GrowingMixture, DmmEqualsTheTextbookAboveAndBelow) {
  for (const Case& one : cases()) {
    std::vector<double> ridges;
    for (const double multiple : kGrid) ridges.push_back(multiple * kRidge);
    const Band got = band_of(one.model, one.problem.probes, dmm(one.model));
    EXPECT_LT(worst(got, one.oracle.band(one.problem.probes, ridges)), 1e-8);
  }
}

// Against ever finer grids around the best ridge, state by state.
TEST(GrowingMixture, CmmEqualsTheLeastOverAFineGridOfRidges) {
  const Case one = make_case(gaussian(0.5), 1.0, 25, 3);
  const Matrix probes = one.problem.probes.leftCols(6);
  const Band got = band_of(one.model, probes, cmm(one.model));
  const Vector limit = kInputs.norm_bound * diagonal(*one.problem.kernel, probes).cwiseSqrt();
  for (Index i = 0; i < probes.cols(); ++i) {
    for (const double sign : {1.0, -1.0}) {
      double centre = 0, reach = 9;  // of ln(a/ridge)
      long double best = limit[i];
      for (int level = 0; level < 3; ++level, reach /= 15) {
        const double middle = centre;
        for (int k = -20; k <= 20; ++k) {
          const double x = middle + reach * k / 20;
          const auto at = one.oracle.band(probes.col(i), kRidge * std::exp(x));
          const long double bound = sign > 0 ? at.upper[0] : -at.lower[0];
          if (bound < best) best = bound, centre = x;
        }
      }
      EXPECT_NEAR(sign > 0 ? got.upper[i] : -got.lower[i], static_cast<double>(best), 1e-6 * limit[i]);
    }
  }
}

TEST(GrowingMixture, WithEveryStateAnAnchorAllEqualTheExactOnes) {
  for (const KernelPtr& kernel : {matern32(0.5), gaussian(0.15)}) {
    const Problem problem = make_problem(kernel, 50, 11);
    ProjectedRegression full(kernel, kRidge, full_dictionary(), ProjectedOptions{7, true, {}, {}});
    std::vector<double> further;
    for (const double multiple : kGrid)
      if (multiple != 1) further.push_back(multiple * kRidge);
    ExactRegression exact(kernel, kRidge, std::nullopt, further);
    for (Index i = 0; i < problem.states.cols(); ++i) {
      full.observe(problem.states.col(i), problem.rewards.segment(i, 1));
      exact.observe(problem.states.col(i), problem.rewards.segment(i, 1));
      if (i % 7 != 0) continue;
      SCOPED_TRACE(i);
      EXPECT_EQ(full.evidence().residual_sum, 0);
      EXPECT_LT(worst(amm_band(full, problem.probes), amm_band(exact, problem.probes)), 1e-8);
      const Band a = band_of(full, problem.probes, dmm(full)), b = band_of(exact, problem.probes, dmm(exact));
      EXPECT_LT(worst(a, b), 1e-8);
      const Band c = band_of(full, problem.probes, cmm(full)), d = band_of(exact, problem.probes, cmm(exact));
      EXPECT_LT((c.upper - d.upper).cwiseAbs().maxCoeff(), 1e-6);  // the exact one stops at 1e-7 of the norm
      EXPECT_LT((c.lower - d.lower).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
}

TEST(GrowingMixture, CmmIsInsideDmmAndDmmInsideAmm) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Stream random(seed, Purpose::test, 1);
    const KernelPtr kernel = random.index(2) == 0 ? gaussian(0.4) : matern32(0.6);
    const Problem problem = make_problem(kernel, 1 + random.index(40), seed);
    ProjectedRegression model = model_of(kernel, std::exp(random.uniform(-3, 2)));
    observe_all(model, problem);
    const Band amm = amm_band(model, problem.probes), some = band_of(model, problem.probes, dmm(model)),
               all = band_of(model, problem.probes, cmm(model));
    const double rounding = 1e-9;
    RC_ASSERT((some.upper - amm.upper).maxCoeff() <= rounding);
    RC_ASSERT((all.upper - some.upper).maxCoeff() <= rounding);
    RC_ASSERT((amm.lower - some.lower).maxCoeff() <= rounding);
    RC_ASSERT((some.lower - all.lower).maxCoeff() <= rounding);
    RC_ASSERT((all.upper.array() <= kInputs.norm_bound * (1 + 1e-12)).all());
  }));
}

TEST(GrowingMixture, TheBestCandidateIsThatOfEvaluatingEverybody) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Stream random(seed, Purpose::test, 1);
    const KernelPtr kernel = random.index(2) == 0 ? gaussian(0.4) : matern52(0.6);
    const Problem problem = make_problem(kernel, random.index(50), seed);
    Matrix candidates = uniform_points(random, 2, 1 + random.index(60));
    if (candidates.cols() > 3) candidates.rightCols(2) = candidates.leftCols(2);  // ties
    const bool arms = random.index(2) == 0;
    ProjectedRegression model = model_of(kernel, std::exp(random.uniform(-3, 1)),
                                         arms ? std::optional<Matrix>(candidates) : std::optional<Matrix>());
    observe_all(model, problem);
    for (const Mixture& mixture : {dmm(model), dmm(model, {0.5, 2}), cmm(model)}) {
      Workspace workspace;
      const Band all = band_of(model, candidates, mixture);
      const MixturePick pick = model.best(candidates, mixture, true, workspace);
      const Index i = pick.best.index;
      if (arms) {  // what is carried along for arms has its own rounding
        RC_ASSERT(std::abs(all.upper[i] - all.upper.maxCoeff()) < 1e-9);
        RC_ASSERT(std::abs(pick.at->upper - all.upper[i]) + std::abs(pick.at->lower - all.lower[i]) < 1e-9);
      } else {
        Index first = 0;
        all.upper.maxCoeff(&first);
        RC_ASSERT(i == first);
        RC_ASSERT(pick.at->upper == all.upper[i] && pick.at->lower == all.lower[i]);
      }
      const Prediction own = predict(model, candidates);
      RC_ASSERT(std::abs(pick.best.mean - own.mean[i]) < 1e-9 && std::abs(pick.best.sd - own.sd[i]) < 1e-8);
    }
  }));
}

TEST(GrowingMixture, MostCandidatesNeedNotBeEvaluated) {
  const Problem problem = make_problem(gaussian(0.3), 400, 5);
  ProjectedRegression model = model_of(problem.kernel, 0.1);
  observe_all(model, problem);
  Stream random(6, Purpose::test);
  const Matrix candidates = uniform_points(random, 2, 100);
  const Index m = model.anchors().cols();
  for (const Mixture& mixture : {dmm(model), cmm(model)}) {
    Workspace workspace;
    const std::int64_t spent = model.best(candidates, mixture, true, workspace).best.multiply_adds;
    EXPECT_LT(spent - 100 * m * m, 40 * 5 * m * m / 2) << m;
  }
}

TEST(GrowingMixture, BeforeTheFirstRewardTheBandIsThatOfTheNorm) {
  const KernelPtr kernel = matern52(0.5, 4.0);
  Stream random(1, Purpose::test);
  const Matrix probes = uniform_points(random, 2, 5);
  const ProjectedRegression none = model_of(kernel, 1);
  const ProjectedRegression given(kernel, kRidge, empty_dictionary(), ProjectedOptions{7, true, probes, {}});
  for (const ProjectedRegression* model : {&none, &given}) {
    for (const Mixture& mixture : {dmm(*model), cmm(*model)}) {
      const Band band = band_of(*model, probes, mixture);
      EXPECT_TRUE(band.upper.isApproxToConstant(6, 1e-15));
      EXPECT_EQ(band.lower, -band.upper);
      Workspace workspace;
      const MixturePick pick = model->best(probes, mixture, true, workspace);
      EXPECT_EQ(pick.best.index, 0);
      EXPECT_EQ(pick.at->upper, 6);
      EXPECT_EQ(pick.best.mean, 0);
      EXPECT_NEAR(pick.best.sd, 10, 1e-12);  // sqrt(4/0.04)
    }
  }
}

// Nothing is seen of any state, so that the data say nothing of f.
TEST(GrowingMixture, WithoutAnchorsCmmIsTheBandOfTheNorm) {
  ProjectedRegression model(gaussian(0.5), kRidge, empty_dictionary(), ProjectedOptions{7, true, {}, {}});
  const Problem problem = make_problem(gaussian(0.5), 10, 2);
  observe_all(model, problem);
  ASSERT_EQ(model.anchors().cols(), 0);
  const Band band = band_of(model, problem.probes, cmm(model));
  EXPECT_TRUE(band.upper.isApproxToConstant(3, 1e-15));
  EXPECT_TRUE(band.lower.isApproxToConstant(-3, 1e-15));
  EXPECT_GT(band_of(model, problem.probes, dmm(model)).upper.minCoeff(), 3);
}

TEST(GrowingMixture, OneAnchorIsEnoughToCompute) {
  const Case one = make_case(gaussian(2.0), 5, 6, 4);
  ASSERT_EQ(one.model.anchors().cols(), 1);
  EXPECT_LT(worst(band_of(one.model, one.problem.probes, dmm(one.model, {1, 3})),
                  one.oracle.band(one.problem.probes, std::vector<double>{kRidge, 3 * kRidge})),
            1e-8);
}

TEST(GrowingMixture, AStateWithoutPriorVarianceIsKnown) {
  ProjectedRegression model(linear(), kRidge, full_dictionary(), ProjectedOptions{7, true, {}, {}});
  model.observe(Matrix{{1.0, 0.0}, {0.0, 1.0}}, Vector{{1.0, 2.0}});
  const Band band = band_of(model, Matrix{{0.0, 1.0}, {0.0, 1.0}}, cmm(model));
  EXPECT_EQ(band.upper[0], 0);
  EXPECT_EQ(band.lower[0], 0);
  EXPECT_GT(band.upper[1], 0);
}

TEST(GrowingMixture, OnlyFeaturesOnArrivalHaveIt) {
  const ProjectedRegression growing(gaussian(0.5), kRidge, full_dictionary(), {});
  EXPECT_EQ(capability<AnyRidge>(growing), nullptr);
  const ProjectedRegression any = model_of(gaussian(0.5), 1);
  EXPECT_NE(capability<AnyRidge>(any), nullptr);
}

TEST(GrowingMixture, ASlackBelowZeroShowsAssumptionsThatCannotBe) {
  const Case one = make_case(matern52(0.6), 0.1, 40, 8);
  const Mixture honest = cmm(one.model);
  EXPECT_GT(one.model.least_slack(honest), 0);
  const Mixture wrong = *cmm_bound({0.05, 0.02, 0.01})->mixture(one.model.evidence());
  EXPECT_LT(one.model.least_slack(wrong), 0);
  const Band band = band_of(one.model, one.problem.probes, wrong);
  EXPECT_TRUE(band.upper.allFinite() && band.lower.allFinite());
}

TEST(GrowingMixture, TheSignOfTheSlackIsThatOfTheTextbook) {
  int empty = 0;
  for (const double tolerance : {3.0, 0.3}) {
    for (const double scale : {1.0, 0.7, 0.5, 0.35, 0.25, 0.1, 0.01}) {
      const Problem problem = make_problem(matern52(0.6), 30, 8);
      ProjectedRegression model = model_of(problem.kernel, tolerance);
      const std::vector<Index> known = observe_all(model, problem);
      const MixtureInputs inputs{0.05, scale * kInputs.norm_bound, scale * kInputs.noise_bound};
      const GrowingMixture oracle(*problem.kernel, model.anchors(), problem.states, problem.rewards, known,
                                  kRidge, inputs);
      long double least = std::numeric_limits<long double>::infinity();
      for (const double multiple : {1, 3, 10}) least = std::min(least, oracle.slack(multiple * kRidge));
      const Mixture mixture = *cmm_bound(inputs)->mixture(model.evidence());
      EXPECT_EQ(model.least_slack(mixture) < 0, least < 0) << scale;
      empty += least < 0;
    }
  }
  EXPECT_GT(empty, 2);
  EXPECT_LT(empty, 12);
}

TEST(GrowingMixture, BadStatesAreRefused) {
  Case one = make_case(gaussian(0.5), 1, 10, 9);
  const Mixture mixture = cmm(one.model);
  Workspace workspace;
  EXPECT_THROW(one.model.band(Matrix::Zero(3, 2), mixture, workspace), InvalidArgument);
  EXPECT_THROW(one.model.best(Matrix::Constant(2, 2, std::nan("")), mixture, true, workspace),
               InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::projected_mixture_test
