// The exact model while the dictionary is full, then the projected one: equal to the projected one
// throughout.
#include "ridgerunner/regression/projected/full_first.h"

#include <gtest/gtest.h>

#include "oracles/counting_kernel.h"
#include "regression/dictionaries.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/joint_prediction.h"
#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner::full_first_test {
namespace {

using oracle::bytes_of, oracle::normals, oracle::uniform_points;

constexpr double kRidge = 10;

// Takes states for sure until they leave less than 5/7 of each other.
std::unique_ptr<Dictionary> dictionary(const KernelPtr& kernel) {
  return kors(kernel, {kRidge, 10 * (1 + 1 / kRidge) * 1.2, 0.5});
}

FullFirstRegression full_first(const KernelPtr& kernel) {
  return {kernel, kRidge, dictionary(kernel), 7};
}

ProjectedRegression projected(const KernelPtr& kernel) {
  return {kernel, kRidge, dictionary(kernel), {7, false, {}, {}, false}};
}

void expect_near(const Vector& a, const Vector& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-9);
}

void expect_equal(const Regression& one, const Regression& other, const Matrix& at) {
  const Prediction a = predict(one, at), b = predict(other, at);
  expect_near(a.mean, b.mean);
  expect_near(a.sd, b.sd);
  const Evidence x = one.evidence(), y = other.evidence();
  EXPECT_EQ(x.rounds, y.rounds);
  EXPECT_EQ(x.anchors, y.anchors);
  EXPECT_NEAR(x.log_determinant, y.log_determinant, 1e-9 * (1 + y.log_determinant));
  EXPECT_NEAR(x.quadratic_form, y.quadratic_form, 1e-9 * (1 + y.quadratic_form));
  EXPECT_NEAR(x.sum_of_squares, y.sum_of_squares, 1e-9 * (1 + y.sum_of_squares));
  EXPECT_NEAR(x.residual_sum, y.residual_sum, 1e-9);
  EXPECT_NEAR(x.variance_sum, y.variance_sum, 1e-9 * (1 + y.variance_sum));
  EXPECT_EQ(x.largest_prior, y.largest_prior);
  EXPECT_EQ(anchors_of(one), anchors_of(other));
  EXPECT_NEAR(diagnostics_of(one).effective_dimension.value(),
              diagnostics_of(other).effective_dimension.value(), 1e-9 * (1 + y.variance_sum));
  Workspace workspace;
  const JointPrediction j = predict_jointly(one, at, workspace), k = predict_jointly(other, at, workspace);
  Matrix left(at.cols(), at.cols()), right(at.cols(), at.cols());
  j.covariance(0, 0, left);
  k.covariance(0, 0, right);
  EXPECT_LT((left - right).cwiseAbs().maxCoeff(), 1e-9);
  const BestUpper best = best_upper(one, at, 0.5, workspace), same = best_upper(other, at, 0.5, workspace);
  EXPECT_EQ(best.index, same.index);
}

TEST(FullFirst, IsTheProjectedModelBeforeAndAfterTheFirstOutsider) {
  Stream random(1, Purpose::test);
  const KernelPtr kernel = gaussian(0.35);
  FullFirstRegression one = full_first(kernel);
  ProjectedRegression other = projected(kernel);
  Index full = 0, after = 0;
  for (Index t = 0; t < 300; ++t) {
    const Matrix state = uniform_points(random, 3, 1);
    const Vector reward = normals(random, 1);
    one.observe(state, reward);
    other.observe(state, reward);
    ++(one.exact() ? full : after);
    if (t % 20 == 0 || after == 1) expect_equal(one, other, uniform_points(random, 3, 30));
  }
  EXPECT_GT(full, 40);
  EXPECT_GT(after, 100);
}

TEST(FullFirst, EndsWithARepeatedState) {
  Stream random(2, Purpose::test);
  const KernelPtr kernel = gaussian(0.05);
  FullFirstRegression one = full_first(kernel);
  ProjectedRegression other = projected(kernel);
  const Matrix states = uniform_points(random, 3, 20), at = uniform_points(random, 3, 20);
  const Vector rewards = normals(random, 20);
  one.observe(states, rewards);
  other.observe(states, rewards);
  ASSERT_TRUE(one.exact());
  expect_equal(one, other, at);
  one.observe(states.col(3), rewards.head(1));
  other.observe(states.col(3), rewards.head(1));
  EXPECT_TRUE(one.projected());
  expect_equal(one, other, at);
}

TEST(FullFirst, AKernelThatThrowsAtAnyCallOfTheSwitchChangesNothing) {
  int calls = 0, fail_at = 0;
  const KernelPtr kernel = callable([&](const VectorIn& x, const VectorIn& y) {
    if (++calls == fail_at) throw std::runtime_error("the kernel's own trouble");
    return std::exp(-200 * (x - y).squaredNorm());
  });
  Stream random(3, Purpose::test);
  const Matrix states = uniform_points(random, 3, 6), at = uniform_points(random, 3, 5);
  FullFirstRegression one = full_first(kernel);
  one.observe(states, normals(random, 6));
  ASSERT_TRUE(one.exact());
  const std::string before = bytes_of(one);
  const Prediction known = predict(one, at);
  int failures = 0;
  for (fail_at = 1;; ++fail_at) {
    calls = 0;
    try {
      one.observe(states.col(2), Vector::Ones(1));
      break;
    } catch (const std::runtime_error&) {
      ++failures;
      const int next = std::exchange(fail_at, 0);
      ASSERT_TRUE(one.exact());
      ASSERT_TRUE(bytes_of(one) == before);
      ASSERT_EQ(predict(one, at).mean, known.mean);
      fail_at = next;
    }
  }
  EXPECT_GT(failures, 6);
  EXPECT_TRUE(one.projected());
}

TEST(FullFirst, EndsWhenStatesDependOnOthers) {
  Stream random(3, Purpose::test);
  FullFirstRegression one(linear(), 100, kors(linear(), {100, 1e6, 0.5}), 7);
  ProjectedRegression other(linear(), 100, kors(linear(), {100, 1e6, 0.5}), {7, false, {}, {}, false});
  for (Index t = 0; t < 100; ++t) {
    const Matrix state = uniform_points(random, 3, 1);
    const Vector reward = normals(random, 1);
    one.observe(state, reward);
    other.observe(state, reward);
    EXPECT_EQ(one.exact() != nullptr, t < 64);
  }
  EXPECT_EQ(one.evidence().anchors, 3);
  const Matrix at = uniform_points(random, 3, 20);
  expect_near(predict(one, at).mean, predict(other, at).mean);
  expect_near(predict(one, at).sd, predict(other, at).sd);
}

TEST(FullFirst, CopiesGoTheirOwnWay) {
  Stream random(4, Purpose::test);
  for (const Index before : {10, 200}) {
    FullFirstRegression one = full_first(gaussian(0.35));
    one.observe(uniform_points(random, 3, before), normals(random, before));
    EXPECT_EQ(one.exact() != nullptr, before == 10);
    const std::string bytes = bytes_of(one);
    const auto copy = one.clone();
    copy->observe(uniform_points(random, 3, 150), normals(random, 150));
    EXPECT_TRUE(bytes_of(one) == bytes);
    EXPECT_FALSE(bytes_of(*copy) == bytes);
  }
}

TEST(FullFirst, WhatTheChoiceSolvedIsUsedAndChangesNoBit) {
  Stream random(5, Purpose::test);
  long count = 0;
  const auto kernel = std::make_shared<oracle::CountingKernel>(gaussian(0.35), count);
  FullFirstRegression one = full_first(kernel), other = full_first(kernel);
  for (Index t = 0; t < 150; ++t) {
    const Matrix states = uniform_points(random, 3, 10);
    const double reward = normals(random, 1)[0];
    Workspace workspace;
    const BestUpper best = best_upper(one, states, 0.5, workspace);
    count = 0;
    const Index m = one.evidence().anchors;
    const bool full = one.exact();
    if (best.solved) {
      one.observe_solved(states.col(best.index), reward, workspace);
    } else {
      one.observe(states.col(best.index), Vector::Constant(1, reward));
    }
    const bool looks = m >= 64 && (m & (m - 1)) == 0;  // for states that depend on others
    if (best.solved && full && one.exact() && !looks) {
      EXPECT_EQ(count, 1) << t;
    }
    other.observe(states.col(best.index), Vector::Constant(1, reward));
  }
  EXPECT_TRUE(one.projected());
  EXPECT_TRUE(bytes_of(one) == bytes_of(other));
}

TEST(FullFirst, BadInputLeavesItAsItWas) {
  Stream random(6, Purpose::test);
  for (const Index before : {10, 200}) {
    FullFirstRegression one = full_first(gaussian(0.35));
    one.observe(uniform_points(random, 3, before), normals(random, before));
    const std::string bytes = bytes_of(one);
    Matrix states = uniform_points(random, 3, 300);
    states(0, 299) = std::nan("");
    EXPECT_THROW(one.observe(states, normals(random, 300)), InvalidArgument);
    EXPECT_THROW(one.observe(uniform_points(random, 2, 1), normals(random, 1)), InvalidArgument);
    EXPECT_THROW(one.observe(uniform_points(random, 3, 1), normals(random, 2)), InvalidArgument);
    EXPECT_TRUE(bytes_of(one) == bytes);
  }
  EXPECT_THROW(FullFirstRegression(gaussian(1.0), 1, bkb_dictionary(2), 7), InvalidArgument);
  EXPECT_THROW(FullFirstRegression(gaussian(1.0), 1, nullptr, 7), InvalidArgument);
}

TEST(FullFirst, TheExactModelsSumOfVariancesIsTheEffectiveDimension) {
  Stream random(7, Purpose::test);
  const Matrix pool = uniform_points(random, 2, 80);
  ExactRegression exact(gaussian(0.2), 0.3);
  exact.keep_variance_sum();
  EXPECT_EQ(exact.evidence().variance_sum, 0);
  for (Index t = 0; t < 250; ++t) {  // repeats are collapsed on the way
    const Index count = 1 + t % 2;
    exact.observe(pool(Eigen::all, std::vector<Index>{t % 80, (t * 7) % 80}).leftCols(count),
                  normals(random, count));
    if (t % 10 == 0) {
      EXPECT_NEAR(exact.evidence().variance_sum, exact.diagnostics().effective_dimension.value(), 1e-9) << t;
    }
  }
}

TEST(FullFirst, KorsKnowsItsScoreFromTheExactModel) {
  Stream random(8, Purpose::test);
  const KernelPtr kernel = gaussian(0.3);
  const auto members = kors(kernel, {2, 0.7, 0.5});
  ExactRegression exact(kernel, 2);
  for (int t = 0; t < 20; ++t) {
    const Matrix state = uniform_points(random, 2, 1);
    const double sd = predict(exact, state).sd[0];
    if (t > 0) {
      EXPECT_NEAR(members->admission({state.col(0), 1, 1, t}), *members->admission_if_full(1, 2 * sd * sd, 2),
                  1e-12);
    }
    members->admitted({state.col(0), 1, 1, t}, 1);
    exact.observe(state, normals(random, 1));
  }
  EXPECT_FALSE(members->admission_if_full(1, 0.5, 3));
}

}  // namespace
}  // namespace ridgerunner::full_first_test
