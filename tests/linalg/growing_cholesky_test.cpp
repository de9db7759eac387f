#include "ridgerunner/linalg/growing_cholesky.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner::growing_cholesky_test {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix normals(Index rows, Index cols, std::uint64_t seed) {
  Stream stream(seed, Purpose::test);
  return Matrix::NullaryExpr(rows, cols, [&] { return stream.normal(); });
}

// G G^T/n + I: eigenvalues between 1 and about 5.
Matrix positive_definite(Index n, std::uint64_t seed = 1) {
  const Matrix g = normals(n, n, seed);
  return g * g.transpose() / static_cast<double>(std::max<Index>(1, n)) + Matrix::Identity(n, n);
}

void append(GrowingCholesky& factor, const Matrix& whole, Index count) {
  const Index t = factor.size();
  Matrix cross = whole.block(0, t, t, count), corner = whole.block(t, t, count, count);
  factor.append(cross, corner);
}

// Appends `step` rows at a time.
GrowingCholesky grow(const Matrix& whole, Index step = 1) {
  GrowingCholesky factor;
  while (factor.size() < whole.rows()) append(factor, whole, std::min(step, whole.rows() - factor.size()));
  return factor;
}

Matrix dense(const GrowingCholesky& factor) {
  Matrix l = Matrix::Zero(factor.size(), factor.size());
  for (Index i = 0; i < factor.size(); ++i) {
    for (Index j = 0; j <= i; ++j) l(i, j) = factor(i, j);
  }
  return l;
}

Matrix oracle(const Matrix& whole) {
  const Eigen::LLT<LongMatrix> llt(whole.cast<long double>());
  EXPECT_EQ(llt.info(), Eigen::Success);
  return LongMatrix(llt.matrixL()).cast<double>();
}

double difference(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return a.size() == 0 ? 0 : (a - b).cwiseAbs().maxCoeff();
}

bool identical(const GrowingCholesky& a, const GrowingCholesky& b) {
  return a.size() == b.size() && dense(a) == dense(b);
}

void update(GrowingCholesky& factor, Vector x) {
  factor.update(x);
}

// What `action` does must fail and leave `factor` as it was; returns the message.
template <class Action>
std::string failure(GrowingCholesky& factor, Action&& action) {
  const GrowingCholesky before = factor;
  std::string message = "nothing was thrown";
  try {
    action();
  } catch (const NumericalError& error) {
    message = error.what();
  }
  EXPECT_TRUE(identical(factor, before)) << "the factor has changed: " << message;
  return message;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class SizesAcrossTiles : public testing::TestWithParam<Index> {};

TEST_P(SizesAcrossTiles, AppendingRowsOneByOneGivesTheFactor) {
  const Matrix whole = positive_definite(GetParam());
  EXPECT_LT(difference(dense(grow(whole)), oracle(whole)), 1e-13);
}

TEST_P(SizesAcrossTiles, AppendingAllRowsAtOnceGivesTheFactor) {
  const Matrix whole = positive_definite(GetParam());
  EXPECT_LT(difference(dense(grow(whole, whole.rows())), oracle(whole)), 1e-13);
}

TEST_P(SizesAcrossTiles, AppendingBatchesAndSinglesGivesTheFactor) {
  const Matrix whole = positive_definite(GetParam());
  GrowingCholesky factor;
  for (Index step = 1; factor.size() < whole.rows(); step = step % 50 + 16) {
    append(factor, whole, std::min(step, whole.rows() - factor.size()));
    if (factor.size() < whole.rows()) append(factor, whole, 1);
  }
  EXPECT_LT(difference(dense(factor), oracle(whole)), 1e-13);
}

TEST_P(SizesAcrossTiles, SolvesForAnyNumberOfRightHandSides) {
  const Matrix whole = positive_definite(GetParam());
  const GrowingCholesky factor = grow(whole, 64);
  const LongMatrix l = oracle(whole).cast<long double>();
  const Matrix all = normals(whole.rows(), 100, 2);
  const Matrix forward =
                   LongMatrix(l.triangularView<Eigen::Lower>().solve(all.cast<long double>())).cast<double>(),
               backward =
                   LongMatrix(l.transpose().triangularView<Eigen::Upper>().solve(all.cast<long double>()))
                       .cast<double>();
  std::vector<Index> counts = {100};
  for (Index n = 1; n <= 20; ++n) counts.push_back(n);
  for (const Index n : counts) {
    Matrix x = all.leftCols(n);
    factor.solve(x);
    EXPECT_LT(difference(x, forward.leftCols(n)), 1e-12) << n << " columns";
    x = all.leftCols(n);
    factor.solve_transposed(x);
    EXPECT_LT(difference(x, backward.leftCols(n)), 1e-12) << n << " columns, transposed";
  }
}

TEST_P(SizesAcrossTiles, SolvesInsideALargerMatrixAndLeavesTheRestAlone) {
  const Matrix whole = positive_definite(GetParam());
  const GrowingCholesky factor = grow(whole, 64);
  const Index t = factor.size();
  for (const Index n : {1, 7, 16, 17}) {
    const Matrix around = normals(t + 3, n + 2, 3);
    Matrix expected = around.block(1, 1, t, n), x = around;
    factor.solve(expected);
    factor.solve(x.block(1, 1, t, n));
    EXPECT_LT(difference(x.block(1, 1, t, n), expected), 1e-13);
    x.block(1, 1, t, n) = around.block(1, 1, t, n);
    EXPECT_EQ(x, around);
  }
}

TEST_P(SizesAcrossTiles, SolvingFromARowOnTakesEarlierRowsAsSolved) {
  const Matrix whole = positive_definite(GetParam());
  const GrowingCholesky factor = grow(whole, 64);
  const Index t = factor.size();
  for (const Index n : {1, 5, 16, 17, 40}) {
    const Matrix right = normals(t, n, 4);
    Matrix solved = right;
    factor.solve(solved);
    for (const Index first : {Index{0}, Index{1}, Index{31}, Index{32}, Index{127}, Index{128}, Index{129},
                              Index{256}, t - 1, t}) {
      if (first > t) continue;
      Matrix x = right;
      x.topRows(first) = solved.topRows(first);
      factor.solve_rows(x, first, t);
      EXPECT_LT(difference(x, solved), 1e-12) << "from row " << first << ", " << n << " columns";
      EXPECT_EQ(x.topRows(first), solved.topRows(first)) << "from row " << first;
    }
  }
}

TEST_P(SizesAcrossTiles, SolvingInStepsOfAnySizeIsSolving) {
  const GrowingCholesky factor = grow(positive_definite(GetParam()), 64);
  const Index t = factor.size();
  for (const Index n : {1, 2, 3, 4, 7, 8, 15, 20}) {
    const Matrix right = normals(t, n, 5);
    Matrix expected = right;
    factor.solve(expected);
    for (const Index step : {1, 13, 32, 64, 100}) {
      Matrix x = right;
      for (Index done = 0; done < t; done += step) {
        const Index next = std::min(t, done + step);
        factor.solve_rows(x, done, next);
        ASSERT_EQ(x.bottomRows(t - next), right.bottomRows(t - next)) << "steps of " << step;
      }
      EXPECT_LT(difference(x, expected), 1e-12) << "steps of " << step << ", " << n << " columns";
      if (step % kTileRows == 0) {
        EXPECT_EQ(x, expected) << "steps of " << step << ", " << n << " columns";
      }
    }
    Matrix x = right;
    factor.solve_rows(x, t / 2, t / 2);
    EXPECT_EQ(x, right);
  }
}

TEST_P(SizesAcrossTiles, AColumnIsSolvedToTheSameBitsAloneAndAmongOthers) {
  const GrowingCholesky factor = grow(positive_definite(GetParam()), 64);
  const Matrix right = normals(factor.size(), 23, 15);
  Matrix alone = right;
  for (Index j = 0; j < 23; ++j) factor.solve(alone.col(j));
  for (Index n = 1; n <= 23; ++n) {
    Matrix x = right.leftCols(n);
    factor.solve(x);
    EXPECT_EQ(x, alone.leftCols(n)) << n << " columns";
  }
}

TEST_P(SizesAcrossTiles, LogDeterminantIsThatOfTheMatrix) {
  const Matrix whole = positive_definite(GetParam());
  const Vector diagonal = oracle(whole).diagonal();
  EXPECT_NEAR(grow(whole, 64).log_determinant(), 2 * diagonal.array().log().sum(), 1e-11);
}

TEST_P(SizesAcrossTiles, UpdatesEqualRefactoring) {
  const Index t = GetParam();
  Matrix whole = positive_definite(t);
  GrowingCholesky factor = grow(whole, 64);
  for (const std::uint64_t seed : {6, 7, 8}) {
    const Vector x = normals(t, 1, seed);
    update(factor, x);
    whole += x * x.transpose();
    EXPECT_LT(difference(dense(factor), oracle(whole)), 1e-12);
  }
}

TEST_P(SizesAcrossTiles, RowsThatWereReadCanBeAppendedAgain) {
  const GrowingCholesky factor = grow(positive_definite(GetParam()), 64);
  GrowingCholesky again;
  for (Index i = 0; i < factor.size(); ++i) {
    ASSERT_EQ(factor.row(i).size(), i + 1);
    again.append_row(factor.row(i).transpose());
  }
  EXPECT_TRUE(identical(factor, again));
}

TEST_P(SizesAcrossTiles, ACopyGoesItsOwnWay) {
  const Index t = GetParam();
  const Matrix whole = positive_definite(t + 1);
  const GrowingCholesky original = grow(whole.topLeftCorner(t, t), 64);
  const Matrix before = dense(original);
  GrowingCholesky copy = original;
  append(copy, whole, 1);
  update(copy, Vector::Ones(t + 1));
  EXPECT_EQ(copy.size(), t + 1);
  EXPECT_EQ(original.size(), t);
  EXPECT_EQ(dense(original), before);
}

INSTANTIATE_TEST_SUITE_P(GrowingCholesky, SizesAcrossTiles, testing::Values(31, 32, 33, 127, 128, 129, 300),
                         testing::PrintToStringParamName());

TEST(GrowingCholesky, AppendingManyRowsEqualsAppendingThemOneByOne) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const auto steps = *rc::gen::container<std::vector<Index>>(rc::gen::inRange<Index>(1, 40));
    Index t = 0;
    for (const Index step : steps) t += step;
    RC_PRE(t < 300);
    const Matrix whole = positive_definite(t, seed);
    GrowingCholesky factor;
    for (const Index step : steps) append(factor, whole, step);
    RC_ASSERT(difference(dense(factor), dense(grow(whole))) < 1e-13);
  }));
}

TEST(GrowingCholesky, MultipliesBackToTheMatrix) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const Index t = *rc::gen::inRange<Index>(1, 200), step = *rc::gen::inRange<Index>(1, 30);
    const Matrix whole = positive_definite(t, seed), l = dense(grow(whole, step));
    RC_ASSERT(difference(l * l.transpose(), whole) < 1e-13);
  }));
}

TEST(GrowingCholesky, ByHand) {
  // [4 2; 2 10] = L L^T with L = [2 0; 1 3].
  Matrix whole(2, 2);
  whole << 4, 2, 2, 10;
  const GrowingCholesky factor = grow(whole);
  EXPECT_EQ(factor(0, 0), 2);
  EXPECT_EQ(factor(1, 0), 1);
  EXPECT_EQ(factor(1, 1), 3);
  EXPECT_DOUBLE_EQ(factor.log_determinant(), std::log(36.0));
}

TEST(GrowingCholesky, AnEmptyFactorHasNoRowsAndDeterminantOne) {
  const GrowingCholesky factor;
  EXPECT_EQ(factor.size(), 0);
  EXPECT_EQ(factor.log_determinant(), 0);
  Matrix x(0, 3);
  factor.solve(x);
  factor.solve_transposed(x);
}

TEST(GrowingCholesky, SolvesForNoRightHandSides) {
  const GrowingCholesky factor = grow(positive_definite(40), 8);
  Matrix x(40, 0);
  factor.solve(x);
  factor.solve_transposed(x);
  EXPECT_EQ(x.cols(), 0);
}

TEST(GrowingCholesky, AppendingNothingChangesNothing) {
  GrowingCholesky factor = grow(positive_definite(5)), before = factor;
  Matrix cross(5, 0), corner(0, 0);
  factor.append(cross, corner);
  EXPECT_TRUE(identical(factor, before));
}

TEST(GrowingCholesky, AppendingHandsBackTheNewRows) {
  const Matrix whole = positive_definite(140), l = oracle(whole);
  for (const Index count : {1, 12}) {
    GrowingCholesky factor = grow(whole.topLeftCorner(128, 128), 64);
    Matrix cross = whole.block(0, 128, 128, count), corner = whole.block(128, 128, count, count);
    factor.append(cross, corner);
    EXPECT_LT(difference(cross.transpose(), l.block(128, 0, count, 128)), 1e-13);
    EXPECT_EQ(factor.size(), 128 + count);
    if (count == 1) continue;  // a single row's pivot is in the factor alone
    const Matrix lower = corner.triangularView<Eigen::Lower>();
    EXPECT_LT(difference(lower, l.block(128, 128, count, count)), 1e-13);
  }
}

TEST(GrowingCholesky, AppendingOneRowHandsBackItsPivot) {
  GrowingCholesky factor;
  Matrix cross(0, 1), corner = Matrix::Constant(1, 1, 9);
  factor.append(cross, corner);
  EXPECT_EQ(corner(0, 0), 3);
}

TEST(GrowingCholesky, ReadsTheLowerTriangleOfTheCornerOnly) {
  const Matrix whole = positive_definite(20);
  GrowingCholesky factor = grow(whole.topLeftCorner(8, 8));
  Matrix cross = whole.block(0, 8, 8, 12), corner = whole.block(8, 8, 12, 12);
  corner.triangularView<Eigen::StrictlyUpper>().setConstant(kNaN);
  factor.append(cross, corner);
  EXPECT_LT(difference(dense(factor), oracle(whole)), 1e-13);
}

TEST(GrowingCholesky, AppendingASolvedRowEqualsAppendingIt) {
  const Matrix whole = positive_definite(150);
  GrowingCholesky factor;
  for (Index t = 0; t < 150; ++t) {
    Matrix v = whole.block(0, t, t, 1);
    factor.solve(v);
    factor.append_solved(v.col(0), whole(t, t));
  }
  EXPECT_TRUE(identical(factor, grow(whole)));
}

TEST(GrowingCholesky, ZeroChangesNothing) {
  GrowingCholesky factor = grow(positive_definite(140), 64), before = factor;
  update(factor, Vector::Zero(140));
  EXPECT_TRUE(identical(factor, before));
}

TEST(GrowingCholesky, RefusesARowThatDependsOnTheOthers) {
  for (const Index t : {3, 128}) {
    GrowingCholesky factor = grow(positive_definite(t), 64);
    Matrix l = dense(factor);
    const Matrix cross_of_first = (l * l.transpose()).col(0);
    const std::string message = failure(factor, [&] {
      Matrix cross = cross_of_first, corner = Matrix::Constant(1, 1, cross_of_first(0, 0) - 1e-6);
      factor.append(cross, corner);
    });
    EXPECT_TRUE(mentions(message, "the pivot of row " + std::to_string(t) + " is -")) << message;
    EXPECT_TRUE(mentions(message,
                         ", not positive: the kernel matrix is not positive definite to working precision (a "
                         "larger ridge helps if the kernel is right)"))
        << message;
  }
}

TEST(GrowingCholesky, RefusesAPivotThatIsNotPositiveOrNotFinite) {
  GrowingCholesky factor = grow(positive_definite(3));
  for (const double corner : {0.0, -1.0, kNaN, kInfinity, -kInfinity}) {
    EXPECT_TRUE(mentions(failure(factor, [&] { factor.append_solved(Vector::Zero(3), corner); }), "row 3"));
    EXPECT_TRUE(mentions(failure(factor,
                                 [&] {
                                   Matrix cross = Matrix::Zero(3, 1), one = Matrix::Constant(1, 1, corner);
                                   factor.append(cross, one);
                                 }),
                         "row 3"));
  }
  EXPECT_EQ(failure(factor, [&] { factor.append_solved(Vector::Zero(3), -2); }).substr(0, 42),
            "the pivot of row 3 is -2, not positive: th");
}

TEST(GrowingCholesky, RefusesABatchWithABadRowInItsMiddleAsAWhole) {
  const Matrix good = positive_definite(140);
  for (const Index bad : {120, 125, 128, 133, 139}) {
    GrowingCholesky factor = grow(good.topLeftCorner(120, 120), 64);
    for (const double pivot : {-1.0, 0.0, kNaN, kInfinity}) {
      Matrix whole = good;
      whole(bad, bad) = pivot;
      const std::string message = failure(factor, [&] { append(factor, whole, 20); });
      EXPECT_TRUE(mentions(message, "the pivot of row " + std::to_string(bad))) << message;
    }
    append(factor, good, 20);
    EXPECT_LT(difference(dense(factor), oracle(good)), 1e-13) << "after the failures";
  }
}

TEST(GrowingCholesky, RefusesWhatIsNotANumberAnywhereInANewRow) {
  const Matrix good = positive_definite(140);
  GrowingCholesky factor = grow(good.topLeftCorner(130, 130), 64);
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    for (const Index column : {0, 64, 127, 128, 129, 130, 134}) {
      for (const Index count : {1, 10}) {
        const Index row = 130 + count / 2;
        if (column >= row) continue;
        Matrix whole = good;
        whole(row, column) = whole(column, row) = bad;
        EXPECT_TRUE(mentions(failure(factor, [&] { append(factor, whole, count); }), "the pivot of row"))
            << bad << " in column " << column;
      }
    }
    Vector v = Vector::Zero(130);
    v[64] = bad;
    EXPECT_TRUE(mentions(failure(factor, [&] { factor.append_solved(v, 1); }), "the pivot of row 130"));
  }
}

TEST(GrowingCholesky, RefusesStoredRowsThatCannotBelongToAFactor) {
  GrowingCholesky factor = grow(positive_definite(3));
  for (const double pivot : {0.0, -1.0, kNaN, kInfinity}) {
    Vector row = Vector::Ones(4);
    row[3] = pivot;
    EXPECT_TRUE(mentions(failure(factor, [&] { factor.append_row(row); }), "the pivot of row 3"));
  }
  for (const double entry : {kNaN, kInfinity}) {
    Vector row = Vector::Ones(4);
    row[1] = entry;
    EXPECT_TRUE(mentions(failure(factor, [&] { factor.append_row(row); }), "the pivot of row 3"));
  }
}

TEST(GrowingCholesky, RefusesAnUpdateByWhatIsNotANumber) {
  for (const double bad : {kNaN, kInfinity}) {
    for (const Index entry : {0, 135, 139}) {
      GrowingCholesky factor = grow(positive_definite(140), 64);
      Vector x = Vector::Constant(140, 0.01);
      x[entry] = bad;
      EXPECT_TRUE(
          mentions(failure(factor, [&] { update(factor, x); }), "an update must be finite and below 1e150"))
          << bad << " in entry " << entry << " was taken";
    }
  }
}

// How many rows lie in the same memory.
Index shared_rows(const GrowingCholesky& a, const GrowingCholesky& b) {
  Index shared = 0;
  for (Index i = 0; i < std::min(a.size(), b.size()); ++i) shared += a.row(i).data() == b.row(i).data();
  return shared;
}

TEST(GrowingCholesky, ACopySharesEveryTileAndGrowingCopiesTheLastOnly) {
  constexpr Index t = 5 * kTileRows + 7;
  const Matrix whole = positive_definite(t + 70);
  GrowingCholesky factor = grow(whole.topLeftCorner(t, t), 64);
  const GrowingCholesky copy = factor, before = grow(whole.topLeftCorner(t, t), 64);
  EXPECT_EQ(shared_rows(factor, copy), t);
  append(factor, whole, 70);
  EXPECT_EQ(shared_rows(factor, copy), 5 * kTileRows);
  EXPECT_TRUE(identical(copy, before));
  EXPECT_LT(difference(dense(factor), oracle(whole)), 1e-13);
}

TEST(GrowingCholesky, ACopyKeepsItsRowsWhateverTheOriginalDoes) {
  constexpr Index t = 3 * kTileRows;
  const Matrix whole = positive_definite(t);
  const GrowingCholesky before = grow(whole, 64);
  GrowingCholesky truncated = before, updated = before, copy = before;
  truncated.truncate(kTileRows + 5);
  truncated.append_row(Vector::Ones(kTileRows + 6));
  EXPECT_EQ(shared_rows(truncated, copy), kTileRows);
  update(updated, Vector::Constant(t, 0.5));
  EXPECT_EQ(shared_rows(updated, copy), 0);
  EXPECT_TRUE(identical(copy, grow(whole, 64)));
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(GrowingCholesky, StoresAboutHalfOfTheSquare) {
  const auto allocated = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
  };
  constexpr Index t = 2000;
  const Vector ones = Vector::Ones(t);
  const double before = allocated();
  GrowingCholesky factor;
  for (Index i = 0; i < t; ++i) factor.append_row(ones.head(i + 1));
  const double numbers = (allocated() - before) / sizeof(double), triangle = t * (t + 1) / 2.0;
  EXPECT_GE(numbers, triangle);
  EXPECT_LT(numbers, 1.15 * triangle);  // the tiles' diagonal blocks are squares: t kTileRows/2 numbers more
}
#endif

}  // namespace
}  // namespace ridgerunner::growing_cholesky_test
