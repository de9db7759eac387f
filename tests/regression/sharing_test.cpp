// Models share what they have in common with their copies: publishing one costs what is new in it.
#include <algorithm>
#include <thread>

#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "oracles/problems.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/dictionary/dictionary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::sharing_test {
namespace {

// A model of `rows` states far from each other, restored rather than learnt: K is I, so the factor is a
// multiple.
ExactRegression far_apart(Index rows) {
  constexpr double kRidge = 0.5;
  ExactRegression model(gaussian(0.01), kRidge);
  ExactRegression::Memory memory;
  memory.rounds = rows;
  memory.largest_diagonal = 1 + kRidge;
  memory.collapse_at = 2 * rows;
  memory.anchors = memory.row_states =
      Matrix::NullaryExpr(2, rows, [](Index i, Index j) { return static_cast<double>(i == 0 ? j : 1); });
  memory.anchor_counts = memory.row_counts = Vector::Ones(rows);
  memory.anchor_rewards = memory.forward = memory.weights = Vector::Zero(rows);
  GrowingCholesky factor;
  Vector row = Vector::Zero(rows);
  for (Index i = 0; i < rows; ++i) {
    row[i] = std::sqrt(1 + kRidge);
    factor.append_row(row.head(i + 1));
    row[i] = 0;
  }
  model.restore(memory, std::move(factor));
  return model;
}

Index shared_rows(const ExactRegression& a, const ExactRegression& b) {
  const Index rows = std::min(a.factor().size(), b.factor().size());
  Index shared = 0;
  for (Index i = 0; i < rows; ++i) shared += a.factor().row(i).data() == b.factor().row(i).data();
  return shared;
}

void observe_more(ExactRegression& model, Index rounds) {
  const Index before = model.factor().size();
  for (Index i = 0; i < rounds; ++i)
    model.observe(Vector{{static_cast<double>(before + i), 2}}, Vector::Ones(1));
}

TEST(Sharing, ACopyOfAnExactModelCopiesOnlyTheTileThatGrows) {
  constexpr Index t = 5000, more = 10;
  ExactRegression model = far_apart(t);
  const ExactRegression first = model;
  EXPECT_EQ(shared_rows(model, first), t);
  EXPECT_EQ(model.anchors().data(), first.anchors().data());
  observe_more(model, more);
  const ExactRegression second = model;
  EXPECT_EQ(shared_rows(model, second), t + more);
  EXPECT_EQ(shared_rows(first, second), t / kTileRows * kTileRows);
  EXPECT_EQ(first.anchors().data(), second.anchors().data());
  EXPECT_EQ(first.factor().size(), t);
  EXPECT_EQ(second.factor().size(), t + more);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Sharing, ACopyOfAnExactModelTakesAFewNumbersAState) {
  const auto allocated = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
  };
  constexpr Index t = 5000, more = 10;
  ExactRegression model = far_apart(t);
  std::vector<ExactRegression> published{model};
  published.reserve(2);
  observe_more(model, more);
  const double before = allocated();
  published.push_back(model);
  const double numbers = (allocated() - before) / sizeof(double);
  EXPECT_LT(numbers, 40 * t);  // the factor alone has t/2 numbers a state
}
#endif

TEST(Sharing, ACopyPredictsAsTheModelDidWhateverItLearnsLater) {
  Stream random(3, Purpose::test);
  const Matrix states = oracle::uniform_points(random, 3, 150), at = oracle::uniform_points(random, 3, 20);
  const Vector rewards = oracle::normals(random, 150);
  const auto unmoved = [&](auto& model) {
    for (Index i = 0; i < 100; ++i) model.observe(states.col(i), rewards.segment<1>(i));
    const auto copy = model;
    const Prediction before = predict(model, at);
    for (Index i = 100; i < 150; ++i) model.observe(states.col(i), rewards.segment<1>(i));
    const Prediction after = predict(copy, at);
    EXPECT_EQ(before.mean, after.mean);
    EXPECT_EQ(before.sd, after.sd);
    EXPECT_NE(before.mean, predict(model, at).mean);
  };
  ExactRegression exact(matern52(0.5), 0.1), arms(matern52(0.5), 0.1, Matrix(states.leftCols(120)));
  ProjectedRegression projected(gaussian(0.5), 0.1, full_dictionary());
  unmoved(exact);
  unmoved(arms);
  unmoved(projected);
}

TEST(Sharing, ACopyIsReadWhileTheModelGrows) {
  Stream random(4, Purpose::test);
  const Matrix states = oracle::uniform_points(random, 3, 120), at = oracle::uniform_points(random, 3, 10);
  const Vector rewards = oracle::normals(random, 120);
  const auto read_while_growing = [&](auto model) {
    model.observe(states.leftCols(60), rewards.head(60));
    for (Index i = 60; i < 120; i += 10) {
      const auto copy = model;
      const Prediction before = predict(copy, at);
      Prediction meanwhile;
      std::thread reader([&] {
        const auto own = copy;  // copies may be made and dropped on any thread
        meanwhile = predict(own, at);
      });
      for (Index j = i; j < i + 10; ++j) model.observe(states.col(j), rewards.segment<1>(j));
      reader.join();
      EXPECT_EQ(before.mean, meanwhile.mean);
      EXPECT_EQ(before.sd, meanwhile.sd);
    }
  };
  read_while_growing(ExactRegression(matern52(0.5), 0.1));
  read_while_growing(ExactRegression(matern52(0.5), 0.1, Matrix(states.leftCols(100))));
  read_while_growing(ExactRegression(matern52(0.5), 0.1, std::nullopt, {0.3, 1}));
  read_while_growing(ProjectedRegression(gaussian(0.5), 0.1, full_dictionary()));
}

}  // namespace
}  // namespace ridgerunner::sharing_test
