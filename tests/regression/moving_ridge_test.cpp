// Models whose ridge moves are the models that always had the ridge.
#include <cmath>

#include <gtest/gtest.h>

#include "oracles/dense.h"
#include "oracles/problems.h"
#include "regression/dictionaries.h"
#include "ridgerunner/archive/engine_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/levelled.h"
#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner::moving_ridge_test {
namespace {

using namespace oracle;

// States of which two in three come back.
struct Data {
  Matrix states{2, 70};
  Vector rewards{70};
  std::vector<double> ridges;

  Data() {
    Stream random(5, Purpose::test);
    const Matrix pool = uniform_points(random, 2, 12);
    for (Index i = 0; i < states.cols(); ++i) {
      states.col(i) = i % 3 == 0 ? Vector(uniform_points(random, 2, 1)) : Vector(pool.col(random.index(12)));
      rewards[i] = std::cos(4 * states.col(i).sum()) + 0.1 * random.normal();
      ridges.push_back(std::exp(-3 + 2 * random.normal()));
    }
  }
};

double squared_error_of(const Vector& rewards, const LongVector& means) {
  return (rewards.cast<long double>() - means).cast<double>().squaredNorm();
}

TEST(MovingRidge, OfAnExactModelIsExact) {
  const Data data;
  const KernelPtr kernel = matern52(0.5);
  const Matrix grid = data.states.leftCols(20);
  for (const bool arms : {false, true}) {
    ExactRegression regression(kernel, 1, arms ? std::optional<Matrix>(grid) : std::nullopt);
    Workspace workspace;
    for (Index t = 1; t <= data.states.cols(); ++t) {
      const double ridge = data.ridges[static_cast<std::size_t>(t - 1)];
      if (arms) {
        regression.best_arm(1);
      } else {
        best_upper(regression, grid, 1, workspace);  // leaves a solve at the ridge of before
      }
      if (t % 2 == 0) regression.set_ridge(ridge);
      regression.observe(data.states.col(t - 1), data.rewards.segment(t - 1, 1), workspace);
      regression.set_ridge(ridge);
      if (t % 5 != 1) continue;
      const DenseRegression dense(*kernel, data.states.leftCols(t), data.rewards.head(t), ridge);
      const DenseRegression other(*kernel, data.states.leftCols(t), data.rewards.head(t), 0.02);
      const Prediction at = arms ? regression.arm_prediction() : predict(regression, grid);
      EXPECT_LE(worst(at.mean, dense.mean(grid)), 1e-9);
      EXPECT_LE(worst(at.sd, dense.sd(grid)), 1e-9);
      EXPECT_NEAR(regression.evidence().log_determinant, static_cast<double>(dense.log_determinant()), 1e-9);
      EXPECT_NEAR(regression.log_determinant(0.02), static_cast<double>(other.log_determinant()), 1e-9);
      EXPECT_LE(relative(regression.evidence().quadratic_form, dense.quadratic_form()), 1e-9);
      EXPECT_LE(relative(regression.squared_error(),
                         squared_error_of(data.rewards.head(t), dense.mean(data.states.leftCols(t)))),
                1e-9);
      EXPECT_EQ(regression.evidence().largest_prior, 1);
    }
  }
}

TEST(MovingRidge, OfAnEmptyModelIsItsPrior) {
  Data data;
  for (const bool arms : {false, true}) {
    ExactRegression regression(gaussian(0.5), 1, arms ? std::optional<Matrix>(data.states) : std::nullopt);
    regression.set_ridge(0.25);
    EXPECT_EQ(regression.evidence().ridge, 0.25);
    EXPECT_EQ(regression.squared_error(), 0);
    EXPECT_EQ(regression.log_determinant(3), 0);
    EXPECT_DOUBLE_EQ(predict(regression, data.states).sd[0], 2);
    if (arms) {
      EXPECT_DOUBLE_EQ(regression.arm_prediction().sd[0], 2);
    }
  }
}

// A projected model that moved there, and one that was always there: growing dictionaries do not look at
// the ridge.
TEST(MovingRidge, OfAProjectedModelIsThatOfOneThatAlwaysHadIt) {
  const Data data;
  const KernelPtr kernel = gaussian(0.5);
  const Matrix grid = data.states.leftCols(20);
  for (const Kind& kind : every_kind()) {
    if (kind.make(kernel)->resampling()) continue;
    for (const bool arms : {false, true}) {
      SCOPED_TRACE(kind.name + (arms ? " with arms" : ""));
      ProjectedOptions options{7, kind.arrival_features, {}, {}, true};
      if (arms) options.arms = grid;
      ProjectedRegression moving(kernel, 3, kind.make(kernel), options);
      ProjectedRegression still(kernel, 0.07, kind.make(kernel), options);
      for (Index t = 0; t < data.states.cols(); ++t) {
        moving.observe(data.states.col(t), data.rewards.segment(t, 1));
        still.observe(data.states.col(t), data.rewards.segment(t, 1));
        moving.set_ridge(data.ridges[static_cast<std::size_t>(t)]);
      }
      EXPECT_LE(relative(moving.log_determinant(0.07), still.evidence().log_determinant), 1e-9);
      EXPECT_LE(relative(still.log_determinant(0.07), still.evidence().log_determinant), 1e-14);
      moving.set_ridge(0.07);
      const Evidence a = moving.evidence(), b = still.evidence();
      EXPECT_EQ(a.ridge, 0.07);
      EXPECT_LE(relative(a.log_determinant, b.log_determinant), 1e-9);
      EXPECT_LE(relative(a.quadratic_form, b.quadratic_form), 1e-9);
      EXPECT_LE(relative(a.variance_sum, b.variance_sum), 1e-9);
      EXPECT_LE(relative(moving.squared_error(), still.squared_error()), 1e-9);
      const Prediction at = predict(moving, grid), as = predict(still, grid);
      EXPECT_TRUE(at.mean.isApprox(as.mean, 1e-9));
      EXPECT_TRUE(at.sd.isApprox(as.sd, 1e-9));
      if (arms) {
        EXPECT_TRUE(moving.arm_prediction().mean.isApprox(as.mean, 1e-9));
        EXPECT_TRUE(moving.arm_prediction().sd.isApprox(as.sd, 1e-9));
      }
    }
  }
}

TEST(MovingRidge, SquaredErrorsOfAProjectedModelAreThoseOfItsMeans) {
  const Data data;
  const KernelPtr kernel = gaussian(0.5);
  ProjectedRegression regression(kernel, 0.1, residual_budget({1, 1, 20}), {7, false, {}, {}, true});
  regression.observe(data.states, data.rewards);
  const Vector means = predict(regression, data.states).mean;
  EXPECT_NEAR(regression.squared_error(), (data.rewards - means).squaredNorm(), 1e-10);
  // Features of then: the dense model on arrival.
  ProjectedRegression arrival(kernel, 0.1, residual_budget({1, 1, 20}), {7, true, {}, {}, true});
  std::vector<Index> known;
  for (Index t = 0; t < data.states.cols(); ++t) {
    arrival.observe(data.states.col(t), data.rewards.segment(t, 1));
    known.push_back(arrival.anchors().cols());
  }
  const DenseProjected dense(*kernel, arrival.anchors(), data.states, data.rewards, 0.1, known);
  // |λ (Kp + λI)^-1 y|^2 by a difference: -λ^2 d/dλ of y^T (Kp + λI)^-1 y.
  const double step = 1e-5;
  const auto form = [&](double ridge) {
    return DenseProjected(*kernel, arrival.anchors(), data.states, data.rewards, ridge, known)
        .quadratic_form();
  };
  const auto slope = static_cast<double>((form(0.1 + step) - form(0.1 - step)) / (2 * step));
  EXPECT_NEAR(arrival.squared_error(), -0.01 * slope, 1e-6);
}

TEST(MovingRidge, AProjectedModelIsWrittenAndReadWithWhatItNeeds) {
  const Data data;
  const KernelPtr kernel = gaussian(0.5);
  const ProjectedOptions options{7, false, {}, {}, true};
  ProjectedRegression regression(kernel, 0.1, kors(kernel, {0.5, 0.8, 0.5}), options);
  regression.observe(data.states, data.rewards);
  const std::string bytes = bytes_of(regression);
  ProjectedRegression again(kernel, 0.1, kors(kernel, {0.5, 0.8, 0.5}), options);
  ByteReader in(bytes);
  read_engine(in, again, 0);
  in.finish();
  regression.set_ridge(0.3);
  again.set_ridge(0.3);
  EXPECT_TRUE(bytes_of(again) == bytes_of(regression));
}

TEST(MovingRidge, IsRefusedWhereTheModelCannot) {
  const KernelPtr kernel = gaussian(0.5);
  ProjectedRegression still(kernel, 1, full_dictionary());
  EXPECT_THROW(still.set_ridge(2), InvalidArgument);
  EXPECT_THROW(still.log_determinant(2), InvalidArgument);
  EXPECT_THROW(ProjectedRegression(kernel, 1, bkb_dictionary(2), {7, false, {}, {}, true}), InvalidArgument);
  LevelledRegression levels(2, [&] { return std::make_unique<ExactRegression>(kernel, 1); });
  for (Regression* model : std::initializer_list<Regression*>{&still, &levels}) {
    EXPECT_EQ(capability<MovesRidge>(*model), nullptr);
    EXPECT_THROW(set_ridge(*model, 2), InvalidArgument);
  }
  ExactRegression exact(kernel, 1);
  for (const double ridge : {0.0, -1.0, std::nan("")}) {
    EXPECT_THROW(exact.set_ridge(ridge), InvalidArgument);
    EXPECT_THROW(exact.log_determinant(ridge), InvalidArgument);
  }
}

// Nearly equal states, and a ridge that rounding cannot see: no factor, and nothing has changed.
TEST(MovingRidge, FailingArithmeticChangesNothing) {
  const KernelPtr kernel = gaussian(0.5);
  Matrix states(1, 40);
  for (Index i = 0; i < 40; ++i) states(0, i) = 0.01 * static_cast<double>(i);
  const Vector rewards = Vector::LinSpaced(40, -1, 1);
  ExactRegression exact(kernel, 0.1);
  exact.observe(states, rewards);
  const std::string before = bytes_of(exact);
  EXPECT_THROW(exact.set_ridge(1e-20), NumericalError);
  EXPECT_TRUE(bytes_of(exact) == before);
  EXPECT_EQ(exact.evidence().ridge, 0.1);
  ProjectedRegression projected(kernel, 0.1, empty_dictionary(), {7, false, states, {}, true});
  for (int i = 0; i < 30; ++i) projected.observe(states.leftCols(3), rewards.head(3));
  const std::string kept = bytes_of(projected);
  EXPECT_THROW(projected.set_ridge(1e-30), NumericalError);
  EXPECT_TRUE(bytes_of(projected) == kept);
}

}  // namespace
}  // namespace ridgerunner::moving_ridge_test
