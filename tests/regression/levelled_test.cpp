#include "ridgerunner/regression/levelled.h"

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "kernel/message_of.h"
#include "oracles/problems.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner::levelled_test {
namespace {

using oracle::uniform_points;

constexpr double kRidge = 0.1;

// Gaussian, but what `spoil` says for some pairs of points.
class Spoilt final : public Kernel {
 public:
  using Spoil = std::function<double(const VectorIn& x, const VectorIn& y, double value)>;
  explicit Spoilt(Spoil spoil) : spoil_(std::move(spoil)) {}

  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    kernel_->gram(x, y, out);
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < x.cols(); ++i) out(i, j) = spoil_(x.col(i), y.col(j), out(i, j));
    }
  }
  void diagonal(const MatrixIn& x, VectorOut out) const override { kernel_->diagonal(x, out); }
  void check_dimension(Index) const override {}

 private:
  KernelPtr kernel_ = gaussian(0.3);
  Spoil spoil_;
};

std::unique_ptr<Regression> exact(const KernelPtr& kernel = gaussian(0.3)) {
  return std::make_unique<ExactRegression>(kernel, kRidge);
}

LevelledRegression levelled(int levels, const KernelPtr& kernel = gaussian(0.3)) {
  return LevelledRegression(levels, [&] { return exact(kernel); });
}

Vector point(double x) {
  return Vector::Constant(1, x);
}

void reward(LevelledRegression& regression, double x, int level, double y = 1) {
  Workspace workspace;
  regression.rewarded(point(x), level, y, workspace);
}

std::vector<Index> rounds(const LevelledRegression& regression) {
  std::vector<Index> result{regression.evidence().rounds};
  for (int i = 1; i <= regression.levels(); ++i) result.push_back(regression.level(i).evidence().rounds);
  return result;
}

// Everything that can be seen of it, to the bit.
std::vector<double> seen(const LevelledRegression& regression) {
  std::vector<double> all;
  const Matrix probes = Eigen::RowVectorXd::LinSpaced(7, -1, 2);
  const auto look = [&](const Regression& model) {
    const Evidence evidence = model.evidence();
    const Prediction at = predict(model, probes);
    all.insert(all.end(), {static_cast<double>(evidence.rounds), evidence.log_determinant,
                           evidence.sum_of_squares, evidence.quadratic_form});
    all.insert(all.end(), at.mean.begin(), at.mean.end());
    all.insert(all.end(), at.sd.begin(), at.sd.end());
  };
  look(regression.all());
  for (int i = 1; i <= regression.levels(); ++i) look(regression.level(i));
  return all;
}

TEST(LevelledRegression, ARewardGoesToTheLevelOfItsChoice) {
  LevelledRegression regression = levelled(3);
  reward(regression, 0.3, kNoLevel);
  EXPECT_EQ(rounds(regression), (std::vector<Index>{1, 0, 0, 0}));
  reward(regression, 0.2, 3);
  EXPECT_EQ(rounds(regression), (std::vector<Index>{2, 0, 0, 1}));
  reward(regression, 0.1, 2);
  EXPECT_EQ(rounds(regression), (std::vector<Index>{3, 0, 1, 1}));
}

TEST(LevelledRegression, ChoicesAndWithdrawalsTeachNothing) {
  LevelledRegression regression = levelled(3);
  reward(regression, 0.2, 3);
  const std::vector<double> before = seen(regression);
  regression.chosen(point(0.4), 2);
  regression.withdrawn(point(0.4), 2);
  EXPECT_EQ(seen(regression), before);
}

TEST(LevelledRegression, DataOfNoChoiceGoToAllLevels) {
  LevelledRegression regression = levelled(2);
  regression.observe(point(0.4), point(1));
  reward(regression, 0.6, 0);
  EXPECT_EQ(rounds(regression), (std::vector<Index>{2, 2, 2}));
}

TEST(LevelledRegression, EveryModelIsTheOneOfItsOwnData) {
  Stream random(3, Purpose::test);
  LevelledRegression regression = levelled(2);
  std::vector<std::unique_ptr<Regression>> expected;
  for (int i = 0; i < 3; ++i) expected.push_back(exact());
  for (int t = 0; t < 60; ++t) {
    const double x = random.uniform(), y = random.normal();
    const int level = static_cast<int>(random.index(4)) - 1;  // -1, 0, 1, 2
    reward(regression, x, level, y);
    expected[0]->observe(point(x), point(y));
    for (int i = 1; i <= 2; ++i) {
      if (level == i || level == 0) expected[static_cast<std::size_t>(i)]->observe(point(x), point(y));
    }
  }
  const Matrix probes = uniform_points(random, 1, 20);
  for (int i = 0; i <= 2; ++i) {
    const Regression& model = i == 0 ? regression.all() : regression.level(i);
    const Prediction got = predict(model, probes);
    const Prediction wanted = predict(*expected[static_cast<std::size_t>(i)], probes);
    EXPECT_EQ(got.mean, wanted.mean) << i;
    EXPECT_EQ(got.sd, wanted.sd) << i;
  }
}

TEST(LevelledRegression, ShowsTheModelOfAllData) {
  LevelledRegression regression = levelled(2);
  reward(regression, 0.5, 1, 2);
  const Prediction at = predict(regression, point(0.5)), all = predict(regression.all(), point(0.5));
  EXPECT_EQ(at.mean, all.mean);
  EXPECT_EQ(at.sd, all.sd);
  EXPECT_EQ(regression.evidence().log_determinant, regression.all().evidence().log_determinant);
  EXPECT_EQ(regression.anchors().cols(), 1);
  Workspace workspace;
  EXPECT_EQ(best_upper(regression, Matrix{{0.5, 5}}, 0, workspace).index, 0);
}

TEST(LevelledRegression, ABatchIsTheSameAsOneByOne) {
  Stream random(4, Purpose::test);
  LevelledRegression together = levelled(2), apart = levelled(2);
  Matrix states = uniform_points(random, 1, 12);
  states.col(7) = states.col(2);
  const Vector rewards = oracle::normals(random, 12);
  together.observe(states, rewards);
  for (Index i = 0; i < states.cols(); ++i) apart.observe(states.col(i), rewards.segment(i, 1));
  EXPECT_EQ(rounds(together), (std::vector<Index>{12, 12, 12}));
  EXPECT_EQ(seen(together), seen(apart));
}

TEST(LevelledRegression, BadInputChangesNothing) {
  LevelledRegression regression = levelled(2);
  reward(regression, 0.1, 1);
  const std::vector<double> before = seen(regression);
  const double nan = std::nan("");
  const Matrix none(1, 0), two{{0.2, 0.3}}, spoilt{{0.2, nan}}, tall = Matrix::Zero(2, 1);
  EXPECT_THROW(regression.observe(none, Vector()), InvalidArgument);
  EXPECT_THROW(regression.observe(two, point(1)), InvalidArgument);
  EXPECT_THROW(regression.observe(point(0.2), (Vector{{1, 2}})), InvalidArgument);
  EXPECT_THROW(regression.observe(two, (Vector{{1, nan}})), InvalidArgument);
  EXPECT_THROW(regression.observe(spoilt, (Vector{{1, 1}})), InvalidArgument);
  EXPECT_THROW(regression.observe(tall, point(1)), InvalidArgument);
  EXPECT_THROW(regression.observe(point(0.2), point(nan)), InvalidArgument);
  EXPECT_THROW(regression.chosen(point(nan), 1), InvalidArgument);
  EXPECT_THROW(reward(regression, 0.2, 1, nan), InvalidArgument);
  EXPECT_EQ(message_of<InvalidArgument>([&] { regression.chosen(point(0.2), 3); }),
            "level must be between 1 and 2, or -1 for none, got 3");
  EXPECT_EQ(message_of<InvalidArgument>([&] { reward(regression, 0.2, 3); }),
            "level must be between 1 and 2, or -1 for none, got 3");
  EXPECT_EQ(message_of<InvalidArgument>([&] { regression.withdrawn(point(0.2), -2); }),
            "level must be between 1 and 2, or -1 for none, got -2");
  EXPECT_EQ(seen(regression), before);
}

// A kernel that throws, or is not a number, where 0.7 meets another point.
TEST(LevelledRegression, AFailingKernelChangesNothingWhereverItFails) {
  const auto meets = [](const VectorIn& x, const VectorIn& y) { return (x[0] == 0.7) != (y[0] == 0.7); };
  const KernelPtr not_a_number = std::make_shared<Spoilt>(
      [&](const VectorIn& x, const VectorIn& y, double value) { return meets(x, y) ? std::nan("") : value; });
  const KernelPtr throws =
      std::make_shared<Spoilt>([&](const VectorIn& x, const VectorIn& y, double value) -> double {
        if (meets(x, y)) throw InvalidArgument("0.7 meets nobody");
        return value;
      });
  for (const KernelPtr& kernel : {not_a_number, throws}) {
    LevelledRegression regression = levelled(2, kernel);
    for (const double x : {0.1, 0.2}) reward(regression, x, 1, x);
    const std::vector<double> before = seen(regression);
    EXPECT_ANY_THROW(reward(regression, 0.7, 1));
    EXPECT_EQ(seen(regression), before);
    EXPECT_ANY_THROW(regression.observe(point(0.7), point(1)));
    EXPECT_EQ(seen(regression), before);
    EXPECT_ANY_THROW(regression.observe(Matrix{{0.4, 0.5, 0.7, 0.6}}, (Vector{{1, 2, 3, 4}})));
    EXPECT_EQ(seen(regression), before);
    reward(regression, 0.4, 2);
    EXPECT_EQ(rounds(regression), (std::vector<Index>{3, 2, 1}));
  }
}

TEST(LevelledRegression, ALevelWhoseArithmeticFailsGoesWithoutTheObservation) {
  const KernelPtr spoilt = std::make_shared<Spoilt>([](const VectorIn& x, const VectorIn& y, double value) {
    return (x[0] == 0.7) != (y[0] == 0.7) ? std::nan("") : value;
  });
  int made = 0;
  LevelledRegression regression(3, [&] { return exact(made++ == 2 ? spoilt : gaussian(0.3)); });
  regression.observe(point(0.1), point(1));
  regression.observe(point(0.7), point(1));  // to all; the second level cannot
  EXPECT_EQ(rounds(regression), (std::vector<Index>{2, 2, 1, 2}));
  reward(regression, 0.7, 2);
  EXPECT_EQ(rounds(regression), (std::vector<Index>{3, 2, 1, 2}));
}

// An exception that is none of ours, at the last level: those before it, and all data, are as they were.
TEST(LevelledRegression, AnyOtherFailureAtALevelChangesNothing) {
  bool fails = false;
  const KernelPtr troubled =
      std::make_shared<Spoilt>([&](const VectorIn&, const VectorIn&, double value) -> double {
        if (fails) throw std::runtime_error("the kernel's own trouble");
        return value;
      });
  int made = 0;
  LevelledRegression regression(2, [&] { return exact(made++ == 2 ? troubled : gaussian(0.3)); });
  regression.observe(point(0.1), point(1));
  const std::vector<double> before = seen(regression);
  fails = true;
  EXPECT_THROW(regression.observe(point(0.7), point(1)), std::runtime_error);
  EXPECT_THROW(reward(regression, 0.7, 2), std::runtime_error);
  fails = false;
  EXPECT_EQ(seen(regression), before);
}

TEST(LevelledRegression, ACloneGoesItsOwnWay) {
  LevelledRegression regression = levelled(2);
  regression.observe(point(0.3), point(1));
  const std::unique_ptr<Regression> copy = regression.clone();
  const std::vector<double> before = seen(regression);
  EXPECT_EQ(seen(dynamic_cast<const LevelledRegression&>(*copy)), before);
  reward(dynamic_cast<LevelledRegression&>(*copy), 0.5, 2);
  EXPECT_EQ(seen(regression), before);
  EXPECT_EQ(rounds(dynamic_cast<const LevelledRegression&>(*copy)), (std::vector<Index>{2, 1, 2}));
}

TEST(LevelledRegression, IsRestoredFromItsParts) {
  LevelledRegression regression = levelled(2), other = levelled(2);
  regression.observe(point(0.3), point(1));
  std::vector<std::unique_ptr<Regression>> levels;
  for (int i = 1; i <= 2; ++i) levels.push_back(regression.level(i).clone());
  other.restore(regression.all().clone(), std::move(levels));
  EXPECT_EQ(seen(other), seen(regression));
  reward(other, 0.5, 2);
  EXPECT_EQ(rounds(other), (std::vector<Index>{2, 1, 2}));
}

TEST(LevelledRegression, RefusesPartsThatDoNotFitAndNoLevels) {
  LevelledRegression regression = levelled(2);
  const auto models = [](int count) {
    std::vector<std::unique_ptr<Regression>> result;
    for (int i = 0; i < count; ++i) result.push_back(exact());
    return result;
  };
  EXPECT_EQ(message_of<InvalidArgument>([&] { regression.restore(exact(), models(3)); }),
            "levels must be 2, got 3");
  EXPECT_EQ(message_of<InvalidArgument>([&] { regression.restore(nullptr, models(2)); }),
            "every level must have a model");
  EXPECT_EQ(message_of<InvalidArgument>([] { levelled(0); }), "levels must be >= 1, got 0");
}

}  // namespace
}  // namespace ridgerunner::levelled_test
