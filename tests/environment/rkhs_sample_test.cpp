#include "ridgerunner/environment/rkhs_sample.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"

namespace ridgerunner::rkhs_sample_test {
namespace {

Vector values(const RkhsFunction& f, const Matrix& x) {
  Vector out(x.cols());
  f.evaluate(x, out);
  return out;
}

double dense_norm(const RkhsFunction& f) {
  return std::sqrt(f.weights.dot(gram(*f.kernel, f.points, f.points) * f.weights));
}

TEST(RkhsFunction, HasTheValueAndTheNormComputedByHand) {
  // f = 2 k(., 0) - k(., 1), k(0, 1) = e^-1/2: f(0) = 2 - e^-1/2, |f|^2 = 4 + 1 - 4 e^-1/2.
  RkhsFunction f{gaussian(1), Matrix(1, 2), Vector(2)};
  f.points << 0, 1;
  f.weights << 2, -1;
  EXPECT_NEAR(values(f, Matrix::Zero(1, 1))[0], 2 - std::exp(-0.5), 1e-15);
  EXPECT_NEAR(values(f, Matrix::Ones(1, 1))[0], 2 * std::exp(-0.5) - 1, 1e-15);
  EXPECT_NEAR(f.norm(), std::sqrt(5 - 4 * std::exp(-0.5)), 1e-15);
}

TEST(RkhsFunction, AgreesWithTheDenseSumForAnySizes) {
  for (const Index n : {1, 16, 127, 128, 129, 300}) {
    for (const Index m : {1, 15, 16, 17, 40}) {
      const RkhsFunction f{matern32(0.4), Matrix::Random(2, m), Vector::Random(m)};
      const Matrix x = Matrix::Random(2, n);
      const Vector dense = gram(*f.kernel, x, f.points) * f.weights;
      EXPECT_LT((values(f, x) - dense).cwiseAbs().maxCoeff(), 1e-13) << n << " x " << m;
    }
  }
}

TEST(DrawRkhsFunction, HasTheNormAskedForByTheDenseFormula) {
  const std::vector<KernelPtr> kernels = {gaussian(0.5), matern52(0.2), matern12(0.5),
                                          polynomial(3), linear(),      sum({gaussian(0.3), linear(2)})};
  for (const KernelPtr& kernel : kernels) {
    for (const double norm : {0.5, 10.0}) {
      const RkhsFunction f = draw_rkhs_function(kernel, 3, 20, norm, 5);
      EXPECT_NEAR(dense_norm(f), norm, 1e-12 * norm);
      EXPECT_NEAR(f.norm(), norm, 1e-12 * norm);
    }
  }
}

TEST(DrawRkhsFunction, ReproducesItsValuesAsInnerProducts) {
  // <f, k(., s)> = f(s), and with g = f + c k(., s): |g|^2 = |f|^2 + 2 c f(s) + c^2 k(s, s).
  const RkhsFunction f = draw_rkhs_function(matern52(0.5), 3, 20, 10, 5);
  const Vector s = Vector::Constant(3, 0.3);
  const double c = 1.7;
  RkhsFunction g{f.kernel, Matrix(3, 21), Vector(21)};
  g.points << f.points, s;
  g.weights << f.weights, c;
  const double at_s = values(f, s)[0];
  EXPECT_NEAR(dense_norm(g) * dense_norm(g), 100 + 2 * c * at_s + c * c, 1e-10);
  // Cauchy and Schwarz: |f(s)| <= |f| sqrt(k(s, s)).
  EXPECT_LE(std::abs(at_s), 10);
}

TEST(DrawRkhsFunction, DrawsPointsUniformlyAndWeightsEvenly) {
  // Over 100 draws of 20 points in 3 dimensions: 6000 uniform entries, mean 1/2 with sd 0.2887 / sqrt(6000);
  // 2000 weights, each + or - with probability 1/2.
  double sum = 0, squares = 0;
  int positive = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RkhsFunction f = draw_rkhs_function(gaussian(0.5), 3, 20, 1, seed);
    sum += f.points.sum();
    squares += f.points.squaredNorm();
    positive += static_cast<int>((f.weights.array() > 0).count());
  }
  EXPECT_NEAR(sum / 6000, 0.5, 4 * 0.2887 / std::sqrt(6000));
  EXPECT_NEAR(squares / 6000, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / 6000));
  EXPECT_NEAR(positive, 1000, 4 * std::sqrt(500));
}

TEST(DrawRkhsFunction, ScalesTheSameDraw) {
  const RkhsFunction one = draw_rkhs_function(gaussian(0.5), 3, 20, 1, 8);
  const RkhsFunction ten = draw_rkhs_function(gaussian(0.5), 3, 20, 10, 8);
  EXPECT_EQ(one.points, ten.points);
  EXPECT_LT((10 * one.weights - ten.weights).norm(), 1e-12 * ten.weights.norm());
}

TEST(DrawRkhsFunction, RefusesASumThatVanishes) {
  const KernelPtr nothing = callable([](const VectorIn&, const VectorIn&) { return 0.0; });
  EXPECT_THROW(draw_rkhs_function(nothing, 1, 5, 1, 1), NumericalError);
}

TEST(RkhsSample, OffersTheRewardsOfItsFunction) {
  EnvironmentSpec spec = default_environment(EnvironmentType::rkhs_sample);
  const RkhsFunction f = draw_rkhs_function(make_kernel(spec.kernel), 3, 20, 10, 17);
  for (const bool fixed : {false, true}) {
    spec.fixed_arms = fixed;
    Offer out;
    make_environment(spec, 17)->offer(6, out);
    EXPECT_EQ(out.expected, values(f, out.states));
  }
}

TEST(RkhsSample, FreshCandidatesAreUniform) {
  const EnvironmentPtr environment = make_environment(default_environment(EnvironmentType::rkhs_sample), 2);
  Offer out;
  double sum = 0, squares = 0;
  for (std::uint64_t round = 0; round < 100; ++round) {
    environment->offer(round, out);
    sum += out.states.sum();
    squares += out.states.squaredNorm();
  }
  EXPECT_NEAR(sum / 30000, 0.5, 4 * 0.2887 / std::sqrt(30000));
  EXPECT_NEAR(squares / 30000, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / 30000));
}

TEST(RkhsSample, TheUniformPolicyHasTheRegretOfThePaper) {
  // flynn2024, table 1, Random, Matern 5/2 with length-scale 0.5: 4265 over 10 runs of 1000 rounds.
  // One run's regret has an sd of about 1100 from function to function: three standard errors of both means.
  const int seeds = 40, rounds = 50;
  double regret = 0;
  Offer out;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const EnvironmentPtr environment =
        make_environment(default_environment(EnvironmentType::rkhs_sample), seed);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      environment->offer(round, out);
      regret += 1000 * (out.expected.maxCoeff() - out.expected.mean()) / (seeds * rounds);
    }
  }
  EXPECT_NEAR(regret, 4265, 3 * 1100 * std::sqrt(1.0 / 10 + 1.0 / seeds));
}

}  // namespace
}  // namespace ridgerunner::rkhs_sample_test
