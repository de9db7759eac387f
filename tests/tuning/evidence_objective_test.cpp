#include "ridgerunner/tuning/evidence_objective.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "places.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/tuning/columns.h"

namespace ridgerunner::evidence_objective_test {
namespace {

using nlohmann::json;

Vector vector(const json& numbers) {
  const auto values = numbers.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

// Arms are columns of their own, so far apart that the kernel between two is 0.
FitData data_of(const json& example) {
  const auto points = example["points"].get<std::vector<std::vector<double>>>();
  const bool arms = !example["arm"].is_null();
  const Index n = std::ssize(points), d = std::ssize(points[0]);
  FitData data;
  data.points = Matrix::Zero(d + (arms ? 1 : 0), n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j)
      data.points(j, i) = points[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    if (arms) data.points(d, i) = example["arm"][static_cast<std::size_t>(i)].get<double>() / kArmLengthscale;
  }
  for (int j = 0; j < d; ++j) data.group.push_back(j);
  if (arms) data.group.push_back(-1);
  data.groups = static_cast<int>(d);
  data.rewards = vector(example["rewards"]);
  data.offset_is_0 = example["offset_is_0"];
  return data;
}

TEST(EvidenceObjective, IsTheTextbooks) {
  std::ifstream file(RIDGERUNNER_GOLDEN "/evidence.json");
  const json cases = json::parse(file);
  ASSERT_EQ(cases.size(), 8u);
  for (const json& example : cases) {
    const FitData data = data_of(example);
    const EvidenceObjective objective(data, example["each"] ? Scales::each : Scales::one);
    const Vector at = vector(example["at"]), expected = vector(example["gradient"]);
    ASSERT_EQ(objective.parameters(), at.size());
    Vector gradient(at.size());
    EXPECT_NEAR(objective.value(at, gradient), example["value"].get<double>(), 1e-10);
    EXPECT_NEAR(objective.value(at), example["value"].get<double>(), 1e-10);
    for (Index j = 0; j < at.size(); ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-7);
    const auto eliminated = objective.eliminated(at);
    EXPECT_NEAR(eliminated.offset, example["offset"].get<double>(), 1e-11);
    EXPECT_NEAR(eliminated.signal_variance, example["signal_variance"].get<double>(), 1e-11);
  }
}

FitData random_data(Index d, Index n) {
  Stream random(3, Purpose::test, 77);
  FitData data;
  data.points = Matrix::NullaryExpr(d, n, [&] { return random.normal(); });
  data.rewards = Vector::NullaryExpr(n, [&] { return random.normal(); });
  for (int j = 0; j < d; ++j) data.group.push_back(j);
  data.groups = static_cast<int>(d);
  return data;
}

// Above the sizes at which inverse and squares are taken by blocks.
TEST(EvidenceObjective, HasTheGradientOfItsValueAtAnySize) {
  for (const Index n : {31, 33, 64, 65, 130, 256}) {
    const FitData data = random_data(3, n);
    for (const Scales scales : {Scales::one, Scales::each}) {
      const EvidenceObjective objective(data, scales);
      Vector at = Vector::LinSpaced(objective.parameters(), -0.3, 0.9);
      at[at.size() - 1] = -1.5;
      Vector gradient(at.size());
      objective.value(at, gradient);
      for (Index j = 0; j < at.size(); ++j) {
        constexpr double kStep = 1e-4;
        Vector up = at, down = at;
        up[j] += kStep;
        down[j] -= kStep;
        EXPECT_NEAR(gradient[j], (objective.value(up) - objective.value(down)) / (2 * kStep), 2e-5) << n;
      }
    }
  }
}

TEST(EvidenceObjective, GroupsShareALengthscale) {
  FitData apart = random_data(3, 20);
  FitData together = apart;
  together.group = {0, 1, 1};
  together.groups = 2;
  const EvidenceObjective one(apart, Scales::each), two(together, Scales::each);
  EXPECT_EQ(two.lengthscales(), 2);
  Vector at3(4), at2(3), gradient(3);
  at3 << 0.2, 0.7, 0.7, -2;
  at2 << 0.2, 0.7, -2;
  EXPECT_EQ(one.eliminated(at3).signal_variance, two.eliminated(at2).signal_variance);
  two.value(at2, gradient);
  Vector up = at2, down = at2;
  up[1] += 1e-4;
  down[1] -= 1e-4;
  EXPECT_NEAR(gradient[1], (two.value(up) - two.value(down)) / 2e-4, 1e-5);
}

TEST(EvidenceObjective, FitsOnlyTheRidgeOfAGivenKernel) {
  const FitData data = random_data(2, 15);
  const EvidenceObjective given(data, Scales::one, gaussian(std::vector<double>{std::exp(0.4)}));
  const EvidenceObjective fitted(data, Scales::one);
  EXPECT_EQ(given.parameters(), 1);
  Vector at(1), both(2), gradient(1), gradient_both(2);
  at << -1;
  both << 0.4, -1;
  given.value(at, gradient);
  fitted.value(both, gradient_both);
  EXPECT_NEAR(gradient[0], gradient_both[1], 1e-12);
  EXPECT_NEAR(given.eliminated(at).offset, fitted.eliminated(both).offset, 1e-13);
}

TEST(PredictPlainly, AgreesWithTheExactEngine) {
  const FitData data = random_data(2, 25);
  const KernelPtr kernel = gaussian(0.8);
  const double offset = 0.37;
  ExactRegression engine(kernel, 0.2);
  engine.observe(data.points, data.rewards.array() - offset);
  const Matrix states = random_data(2, 40).points.rightCols(10);
  const Prediction expected = predict(engine, states);
  const PlainPrediction plain = predict_plainly({kernel, 0.2, offset}, data.points, data.rewards, states);
  for (Index i = 0; i < states.cols(); ++i) {
    EXPECT_NEAR(plain.mean[i], expected.mean[i] + offset, 1e-12);
    EXPECT_NEAR(plain.sd[i], expected.sd[i], 1e-10);
  }
}

}  // namespace
}  // namespace ridgerunner::evidence_objective_test
