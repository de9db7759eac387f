#include "ridgerunner/selection/best_of_mixture.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracles/cone.h"
#include "oracles/dense.h"
#include "oracles/problems.h"
#include "regression/dictionaries.h"
#include "ridgerunner/bounds/flynn2024_mixtures.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner::best_of_mixture_test {
namespace {

using oracle::bytes_of;
using oracle::DenseRegression;
using oracle::normals;
using oracle::uniform_points;

const std::vector<double> kGrid = {0.1, 0.3, 1, 3, 10};

struct Problem {
  KernelPtr kernel;
  MixtureInputs inputs{0.05, 3, 0.2};
  double ridge = 0.04;
  Matrix states, probes;
  Vector rewards;
};

// A function of norm 2 with noise 0.2, at t states of which some repeat.
Problem make_problem(const KernelPtr& kernel, Index dimension, Index t, std::uint64_t seed,
                     Index distinct = 0) {
  Stream random(seed, Purpose::test);
  Problem problem{kernel, {}, 0, uniform_points(random, dimension, t), uniform_points(random, dimension, 12),
                  {}};
  problem.inputs = {0.05, 3, 0.2};
  problem.ridge = 0.04;
  for (Index i = distinct; distinct > 0 && i < t; ++i)
    problem.states.col(i) = problem.states.col(random.index(distinct));
  const Matrix centres = uniform_points(random, dimension, 8);
  Vector weights = normals(random, 8);
  weights *= 2 / std::sqrt(weights.dot(gram(*kernel, centres, centres) * weights));
  problem.rewards = gram(*kernel, problem.states, centres) * weights + normals(random, t, 0.2);
  if (t > 0) problem.probes.col(0) = problem.states.col(0);
  return problem;
}

ExactRegression model_of(const Problem& problem) {
  std::vector<double> further;
  for (const double multiple : kGrid)
    if (multiple != 1) further.push_back(multiple * problem.ridge);
  ExactRegression model(problem.kernel, problem.ridge, std::nullopt, further);
  for (Index i = 0; i < problem.states.cols(); ++i)
    model.observe(problem.states.col(i), problem.rewards.segment(i, 1));
  return model;
}

Mixture grid_of(const Problem& problem, const ExactRegression& model) {
  return *dmm_bound(problem.inputs, kGrid)->mixture(model.evidence());
}
Mixture all_of(const Problem& problem, const ExactRegression& model) {
  return *cmm_bound(problem.inputs)->mixture(model.evidence());
}

std::vector<KernelPtr> kernels() {
  return {gaussian(0.5), gaussian(0.2), matern52(0.3), matern32(0.5), matern12(0.4)};
}

TEST(BestOfMixture, AGridIsTheBestOfTheTextbooksBounds) {
  for (const KernelPtr& kernel : kernels()) {
    for (const Index distinct : {0, 7}) {
      const Problem problem = make_problem(kernel, 2, 60, 3, distinct);
      const ExactRegression model = model_of(problem);
      const MixtureInputs& in = problem.inputs;
      const DenseRegression own(*kernel, problem.states, problem.rewards, problem.ridge);
      const long double square = in.noise_bound * in.noise_bound;
      const long double radius_squared =
          problem.ridge * own.quadratic_form() +
          square * (own.log_determinant() - 2 * std::log(static_cast<long double>(in.delta)));
      oracle::LongVector upper = oracle::LongVector::Constant(problem.probes.cols(), 1e9), lower = -upper;
      for (const double multiple : kGrid) {
        const double ridge = multiple * problem.ridge;
        const DenseRegression at(*kernel, problem.states, problem.rewards, ridge);
        const long double slack =
            radius_squared + ridge * (in.norm_bound * in.norm_bound - at.quadratic_form());
        const oracle::LongVector width = std::sqrt(slack) * at.sd(problem.probes);
        upper = upper.cwiseMin(at.mean(problem.probes) + width);
        lower = lower.cwiseMax(at.mean(problem.probes) - width);
      }
      Workspace workspace;
      const Band band = mixture_band(model, problem.probes, grid_of(problem, model), workspace);
      EXPECT_LT(oracle::worst(band.upper, upper), 1e-8);
      EXPECT_LT(oracle::worst(band.lower, lower), 1e-8);
    }
  }
}

TEST(BestOfMixture, AllRidgesAreTheConeProgram) {
  Workspace workspace;
  for (const KernelPtr& kernel : kernels()) {
    for (const Index t : {1, 2, 5, 12, 25}) {
      const Problem problem = make_problem(kernel, 2, t, 4 + static_cast<std::uint64_t>(t), t > 10 ? 8 : 0);
      const ExactRegression model = model_of(problem);
      const Mixture mixture = all_of(problem, model);
      const Band band = mixture_band(model, problem.probes, mixture, workspace);
      for (Index i = 0; i < problem.probes.cols(); ++i) {
        const auto program = [&](double sign) {
          return sign * oracle::cone_program(*kernel, problem.states, sign * problem.rewards,
                                             mixture.radius_squared, mixture.norm_bound,
                                             problem.probes.col(i));
        };
        EXPECT_NEAR(band.upper[i], program(1), 1e-6) << t;
        EXPECT_NEAR(band.lower[i], program(-1), 1e-6) << t;
      }
    }
  }
}

TEST(BestOfMixture, AllRidgesAreTheLeastOverAFineGridWithMoreData) {
  Workspace workspace;
  for (const KernelPtr& kernel : kernels()) {
    const Problem problem = make_problem(kernel, 3, 70, 9);
    const ExactRegression model = model_of(problem);
    const Mixture mixture = all_of(problem, model);
    const Band band = mixture_band(model, problem.probes, mixture, workspace);
    Vector upper = Vector::Constant(problem.probes.cols(), 1e9), lower = -upper;
    for (double x = -16; x < 16; x += 0.1) {
      const double ridge = problem.ridge * std::exp(x);
      const DenseRegression at(*kernel, problem.states, problem.rewards, ridge);
      const double slack = mixture.radius_squared + ridge * (mixture.norm_bound * mixture.norm_bound -
                                                             static_cast<double>(at.quadratic_form()));
      const Vector mean = at.mean(problem.probes).cast<double>();
      const Vector width = std::sqrt(slack) * at.sd(problem.probes).cast<double>();
      upper = upper.cwiseMin(mean + width);
      lower = lower.cwiseMax(mean - width);
    }
    // Ours is at most that, and the grid's best is at most half a step away.
    EXPECT_TRUE((band.upper.array() < upper.array() + 1e-6).all());
    EXPECT_TRUE((band.upper.array() > upper.array() - 5e-3).all()) << (band.upper - upper).transpose();
    EXPECT_TRUE((band.lower.array() > lower.array() - 1e-6).all());
    EXPECT_TRUE((band.lower.array() < lower.array() + 5e-3).all()) << (band.lower - lower).transpose();
  }
}

TEST(BestOfMixture, TheBestIsTheBestOfTheBand) {
  Workspace workspace;  // one for all: what it remembers must not matter
  int many = 0;
  for (const KernelPtr& kernel : kernels()) {
    for (const Index t : {1, 3, 20, 90, 260}) {
      const Problem problem = make_problem(kernel, 3, t, 11 + static_cast<std::uint64_t>(t));
      const ExactRegression model = model_of(problem);
      Stream random(5, Purpose::test, static_cast<std::uint64_t>(t));
      Matrix candidates = uniform_points(random, 3, 60);
      candidates.col(50) = candidates.col(7);  // equal ones tie
      for (const Mixture& mixture : {grid_of(problem, model), all_of(problem, model)}) {
        const MixturePick pick = best_of_mixture(model, candidates, mixture, false, workspace);
        const Band band = mixture_band(model, candidates, mixture, workspace);
        Index expected = 0;
        const double highest = band.upper.maxCoeff(&expected);
        EXPECT_NEAR(band.upper[pick.best.index], highest, 1e-6 * mixture.norm_bound);
        if ((band.upper.array() > highest - 1e-5).count() == 1) {
          EXPECT_EQ(pick.best.index, expected);
          ++many;
        }
        EXPECT_NE(pick.best.index, 50);
        EXPECT_EQ(pick.at.has_value(), !mixture.grid.empty());
        if (pick.at) {
          EXPECT_EQ(pick.at->upper, band.upper[pick.best.index]);
          EXPECT_EQ(pick.at->lower, band.lower[pick.best.index]);
        }
        const MixturePick banded = best_of_mixture(model, candidates, mixture, true, workspace);
        EXPECT_EQ(banded.best.index, pick.best.index);
        EXPECT_NEAR(banded.at->upper, band.upper[pick.best.index], 2e-7 * mixture.norm_bound);
        EXPECT_NEAR(banded.at->lower, band.lower[pick.best.index], 2e-7 * mixture.norm_bound);
        const Prediction own = predict(model, candidates.col(pick.best.index));
        EXPECT_NEAR(pick.best.mean, own.mean[0], 1e-10);
        EXPECT_NEAR(pick.best.sd, own.sd[0], 1e-10);
      }
    }
  }
  EXPECT_GT(many, 30);
}

TEST(BestOfMixture, MoreRidgesAreNeverWider) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Stream random(seed, Purpose::test, 1);
    const auto all = kernels();
    const KernelPtr kernel = all[static_cast<std::size_t>(random.index(std::ssize(all)))];
    const Index t = 1 + random.index(40);
    const Problem problem = make_problem(kernel, 2, t, seed, random.index(2) * 6);
    const ExactRegression model = model_of(problem);
    Workspace workspace;
    const Prediction own = predict(model, problem.probes);
    const Band amm = radius_band(own, *amm_bound(problem.inputs)->radius(model.evidence()));
    const Band dmm = mixture_band(model, problem.probes, grid_of(problem, model), workspace);
    const Band cmm = mixture_band(model, problem.probes, all_of(problem, model), workspace);
    const double slack = 1e-6;
    RC_ASSERT((dmm.upper.array() <= amm.upper.array() + slack).all());
    RC_ASSERT((cmm.upper.array() <= dmm.upper.array() + slack).all());
    RC_ASSERT((dmm.lower.array() >= amm.lower.array() - slack).all());
    RC_ASSERT((cmm.lower.array() >= dmm.lower.array() - slack).all());
    RC_ASSERT((cmm.lower.array() <= cmm.upper.array() + slack).all());
  }));
}

TEST(BestOfMixture, WithoutDataTheBandIsTheNormBound) {
  const ExactRegression model(gaussian(0.5, 4), 0.04, std::nullopt, {0.4});
  Workspace workspace;
  Mixture mixture;
  mixture.norm_bound = 3;
  const Band band = mixture_band(model, Matrix::Zero(2, 3), mixture, workspace);
  EXPECT_TRUE(band.upper.isConstant(6));
  EXPECT_TRUE(band.lower.isConstant(-6));
  const MixturePick pick = best_of_mixture(model, Matrix::Random(2, 5), mixture, true, workspace);
  EXPECT_EQ(pick.best.index, 0);
  EXPECT_EQ(pick.at->upper, 6);
}

TEST(BestOfMixture, FarFromTheDataTheBandIsTheNormBoundAndTiesGoToTheLowestIndex) {
  Problem problem = make_problem(gaussian(0.2), 2, 30, 2);
  problem.rewards *= 0.1;  // so that no part of the norm is needed to explain them
  const ExactRegression model = model_of(problem);
  Matrix candidates = problem.states.leftCols(6);
  candidates.col(3).setConstant(40);
  candidates.col(5).setConstant(-40);
  Workspace workspace;
  const MixturePick pick = best_of_mixture(model, candidates, all_of(problem, model), true, workspace);
  EXPECT_EQ(pick.best.index, 3);
  const Band at = mixture_band(model, candidates.col(pick.best.index), all_of(problem, model), workspace);
  EXPECT_NEAR(at.upper[0], 3, 1e-6);
  EXPECT_NEAR(at.lower[0], -3, 1e-6);
}

TEST(BestOfMixture, DataThatNoSuchFunctionExplainsEmptyTheSet) {
  Problem problem = make_problem(gaussian(0.3), 2, 80, 6);
  const ExactRegression honest = model_of(problem);
  EXPECT_GT(*least_slack(honest, all_of(problem, honest)), 0);
  problem.rewards *= 20;  // far beyond the norm bound
  const ExactRegression wild = model_of(problem);
  const Mixture mixture = all_of(problem, wild);
  EXPECT_LT(*least_slack(wild, mixture), 0);
  Workspace workspace;
  const Band band = mixture_band(wild, problem.probes, mixture, workspace);
  EXPECT_TRUE(band.upper.allFinite() && band.lower.allFinite());
  EXPECT_GE(best_of_mixture(wild, problem.probes, mixture, true, workspace).best.index, 0);
}

TEST(BestOfMixture, TheWorkspaceDoesNotMatterToTheBit) {
  const Problem problem = make_problem(matern32(0.3), 3, 230, 8);
  const ExactRegression model = model_of(problem);
  Stream random(5, Purpose::test);
  Workspace used;
  for (int round = 0; round < 10; ++round) {
    const Matrix candidates = uniform_points(random, 3, 40);
    for (const Mixture& mixture : {grid_of(problem, model), all_of(problem, model)}) {
      Workspace fresh;
      const MixturePick a = best_of_mixture(model, candidates, mixture, false, used),
                        b = best_of_mixture(model, candidates, mixture, false, fresh);
      EXPECT_EQ(a.best.index, b.best.index);
      if (a.at) {
        EXPECT_EQ(a.at->upper, b.at->upper);
        EXPECT_EQ(a.at->lower, b.at->lower);
      }
      EXPECT_EQ(a.best.mean, b.best.mean);
      EXPECT_EQ(a.best.sd, b.best.sd);
    }
    used.elimination_ridge = problem.ridge * kGrid[static_cast<std::size_t>(round % 5)];
  }
}

bool identical(const GrowingCholesky& a, const GrowingCholesky& b) {
  if (a.size() != b.size()) return false;
  for (Index i = 0; i < a.size(); ++i)
    if (a.row(i) != b.row(i)) return false;
  return true;
}

// What was solved for the choice saves solves, and changes nothing.
TEST(BestOfMixture, ObservingTheChoiceIsObservingItAfreshToTheBit) {
  const Problem problem = make_problem(gaussian(0.3), 3, 240, 9, 30);
  Stream random(6, Purpose::test);
  for (const bool all : {false, true}) {
    ExactRegression one = model_of(problem), other = one;
    Workspace used;
    for (int round = 0; round < 12; ++round) {
      const Matrix candidates = uniform_points(random, 3, 40);
      const Mixture mixture = all ? all_of(problem, one) : grid_of(problem, one);
      const BestUpper best = best_of_mixture(one, candidates, mixture, round % 2 == 0, used).best;
      ASSERT_TRUE(best.solved);
      one.observe_solved(candidates.col(best.index), 0.5, used);
      other.observe(candidates.col(best.index), Vector::Constant(1, 0.5));
    }
    EXPECT_TRUE(identical(one.factor(), other.factor()));
    for (std::size_t i = 0; i < one.further().size(); ++i) {
      EXPECT_TRUE(identical(one.further()[i].factor, other.further()[i].factor)) << i;
      EXPECT_EQ(Vector(one.further()[i].forward.view()), Vector(other.further()[i].forward.view()));
    }
  }
}

TEST(BestOfMixture, RepeatedStatesCollapseAtEveryRidge) {
  const Problem problem = make_problem(matern52(0.4), 2, 200, 12, 9);
  const ExactRegression model = model_of(problem);
  EXPECT_LT(model.factor().size(), 60);
  for (const ExactRegression::FurtherRidge& at : model.further())
    EXPECT_EQ(at.factor.size(), model.factor().size());
}

// A grid of the model's own ridge alone needs no further factors, and is AMM.
TEST(BestOfMixture, AGridOfOneRidgeIsItsBound) {
  const Problem problem = make_problem(gaussian(0.4), 2, 60, 15);
  ExactRegression model(problem.kernel, problem.ridge);
  model.observe(problem.states, problem.rewards);
  const Mixture mixture = *dmm_bound(problem.inputs, {1})->mixture(model.evidence());
  const double radius = flynn2024_amm_radius(problem.inputs, model.evidence());
  const Band amm = radius_band(predict(model, problem.probes), radius);
  Workspace workspace;
  const Band band = mixture_band(model, problem.probes, mixture, workspace);
  EXPECT_LT((band.upper - amm.upper).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((band.lower - amm.lower).cwiseAbs().maxCoeff(), 1e-9);
  const MixturePick pick = best_of_mixture(model, problem.probes, mixture, true, workspace);
  Index best = 0;
  amm.upper.maxCoeff(&best);
  EXPECT_EQ(pick.best.index, best);
}

TEST(BestOfMixture, OneByOneIsAllAtOnce) {
  const Problem problem = make_problem(gaussian(0.4), 2, 50, 13, 20);
  const ExactRegression one_by_one = model_of(problem);
  ExactRegression at_once(problem.kernel, problem.ridge, std::nullopt,
                          {0.1 * problem.ridge, 0.3 * problem.ridge, 3 * problem.ridge, 10 * problem.ridge});
  at_once.observe(problem.states, problem.rewards);
  Workspace workspace;
  const Mixture mixture = all_of(problem, one_by_one);
  const Band a = mixture_band(one_by_one, problem.probes, mixture, workspace);
  const Band b = mixture_band(at_once, problem.probes, mixture, workspace);
  EXPECT_LT((a.upper - b.upper).cwiseAbs().maxCoeff(), 2e-6);
  EXPECT_LT((a.lower - b.lower).cwiseAbs().maxCoeff(), 2e-6);
}

TEST(BestOfMixture, BadInputChangesNothing) {
  const Problem problem = make_problem(gaussian(0.4), 2, 20, 14);
  ExactRegression model = model_of(problem);
  const std::string before = bytes_of(model);
  Workspace workspace;
  const Mixture mixture = all_of(problem, model);
  EXPECT_THROW(mixture_band(model, Matrix::Zero(3, 2), mixture, workspace), InvalidArgument);
  EXPECT_THROW(best_of_mixture(model, Matrix::Constant(2, 2, NAN), mixture, true, workspace),
               InvalidArgument);
  EXPECT_THROW(model.observe(Vector::Zero(3), Vector::Ones(1)), InvalidArgument);
  EXPECT_THROW(model.observe(Vector::Zero(2), Vector::Constant(1, NAN)), InvalidArgument);
  Mixture elsewhere = mixture;
  for (const std::vector<double>& grid : {std::vector{123.0}, std::vector{problem.ridge, 123.0}}) {
    elsewhere.grid = grid;  // none of it, or a part of it, is kept by the model
    EXPECT_THROW(mixture_band(model, problem.probes, elsewhere, workspace), InvalidArgument);
  }
  const ExactRegression plain(gaussian(0.4), problem.ridge);
  EXPECT_THROW(mixture_band(plain, problem.probes, mixture, workspace), InvalidArgument);
  EXPECT_THROW(ExactRegression(gaussian(0.4), 1, std::nullopt, {-1}), InvalidArgument);
  EXPECT_EQ(bytes_of(model), before);
}

}  // namespace
}  // namespace ridgerunner::best_of_mixture_test
