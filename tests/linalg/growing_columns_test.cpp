#include "ridgerunner/linalg/growing_columns.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ridgerunner::growing_columns_test {
namespace {

TEST(GrowingColumns, StartEmptyWithTheirNumberOfRows) {
  const GrowingColumns columns(3);
  EXPECT_EQ(columns.rows(), 3);
  EXPECT_EQ(columns.size(), 0);
  EXPECT_EQ(columns.view().rows(), 3);
  EXPECT_EQ(columns.view().cols(), 0);
  EXPECT_EQ(GrowingColumns().rows(), 0);
}

TEST(GrowingColumns, KeepEveryColumnInOrderWhileTheyGrow) {
  GrowingColumns columns(2);
  for (Index i = 0; i < 100; ++i) {
    const double value = static_cast<double>(i);
    columns.append(Vector{{value, -value}});
    ASSERT_EQ(columns.size(), i + 1);
    for (Index j = 0; j <= i; ++j) {
      const double earlier = static_cast<double>(j);
      ASSERT_EQ(columns.col(j), (Vector{{earlier, -earlier}}));
    }
  }
  EXPECT_EQ(columns.view().cols(), 100);
  EXPECT_EQ(columns.view().row(0).sum(), 4950);
}

TEST(GrowingColumns, CopyTheirStorageForEachDoublingOnly) {
  GrowingColumns columns(1);
  const double* before = columns.view().data();
  int moves = 0;
  for (Index i = 0; i < 1024; ++i) {
    columns.append(Vector::Ones(1));
    moves += columns.view().data() != before;
    before = columns.view().data();
  }
  EXPECT_LE(moves, 7);  // at capacities 16, 32, ..., 1024
}

TEST(GrowingColumns, CanBeWritten) {
  GrowingColumns columns(2);
  columns.append(Vector::Zero(2));
  columns.append(Vector::Zero(2));
  columns.writable().col(1).setConstant(7);
  EXPECT_EQ(columns.col(0), Vector::Zero(2));
  EXPECT_EQ(columns.col(1), Vector::Constant(2, 7));
}

TEST(GrowingColumns, ACopyGoesItsOwnWay) {
  GrowingColumns columns(1);
  columns.append(Vector::Ones(1));
  GrowingColumns copy = columns;
  copy.append(Vector::Zero(1));
  copy.writable()(0, 0) = 5;
  EXPECT_EQ(columns.size(), 1);
  EXPECT_EQ(columns.view()(0, 0), 1);
  EXPECT_EQ(copy.view()(0, 0), 5);
  EXPECT_EQ(copy.view()(0, 1), 0);
}

TEST(GrowingColumns, ACopySharesTheNumbersAndTheFirstToGrowKeepsThem) {
  GrowingColumns columns(2);
  for (int i = 0; i < 20; ++i) columns.append(Vector::Constant(2, i));
  const double* numbers = columns.view().data();
  GrowingColumns copy = columns;
  EXPECT_EQ(copy.view().data(), numbers);
  columns.append(Vector::Constant(2, 20));
  EXPECT_EQ(columns.view().data(), numbers);
  copy.append(Vector::Constant(2, -1));
  EXPECT_NE(copy.view().data(), numbers);
  EXPECT_EQ(columns.col(20), Vector::Constant(2, 20));
  EXPECT_EQ(copy.col(20), Vector::Constant(2, -1));
}

TEST(GrowingColumns, ACopyKeepsWhatTheOriginalForgets) {
  GrowingColumns columns(1);
  for (int i = 0; i < 5; ++i) columns.append(Vector::Constant(1, i));
  const GrowingColumns copy = columns;
  columns.truncate(2);
  columns.append(Vector::Constant(1, 9));
  EXPECT_EQ(columns.view(), (Matrix{{0, 1, 9}}));
  EXPECT_EQ(copy.view(), (Matrix{{0, 1, 2, 3, 4}}));
}

TEST(GrowingColumns, WhoeverIsLeftGoesOnInTheSameMemory) {
  GrowingColumns columns(1);
  for (int i = 0; i < 5; ++i) columns.append(Vector::Constant(1, i));
  {
    GrowingColumns copy = columns;
    copy.append(Vector::Constant(1, -1));
  }
  const double* numbers = columns.view().data();
  columns.append(Vector::Constant(1, 5));
  EXPECT_EQ(columns.view().data(), numbers);
  EXPECT_EQ(columns.view(), (Matrix{{0, 1, 2, 3, 4, 5}}));
}

// A tree of copies, each of which grows, forgets and is written: each holds what it alone was told.
TEST(GrowingColumns, CopiesOfCopiesNeverDisturbEachOther) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<int, int>>& steps) {
    std::vector<GrowingColumns> all{GrowingColumns(1)};
    std::vector<std::vector<double>> expected{{}};
    for (const auto& [what, value] : steps) {
      const std::size_t at = static_cast<std::size_t>(std::abs(value % 1000)) % all.size();
      switch (std::abs(what % 5)) {
        case 0: {
          GrowingColumns copy = all[at];
          all.push_back(std::move(copy));
          std::vector<double> numbers = expected[at];
          expected.push_back(std::move(numbers));
          break;
        }
        case 1:
          all[at].truncate(all[at].size() / 2);
          expected[at].resize(expected[at].size() / 2);
          break;
        case 2:
          if (all[at].size() == 0) break;
          all[at].writable()(0, 0) = value;
          expected[at][0] = value;
          break;
        default:
          all[at].append(Vector::Constant(1, value));
          expected[at].push_back(value);
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      RC_ASSERT(all[i].size() == std::ssize(expected[i]));
      for (Index j = 0; j < all[i].size(); ++j)
        RC_ASSERT(all[i].view()(0, j) == expected[i][static_cast<std::size_t>(j)]);
    }
  }));
}

TEST(GrowingColumns, OneRowIsAVector) {
  GrowingColumns row = GrowingColumns::row_of(Vector{{1, 2, 3}});
  row.append(Vector::Constant(1, 4));
  EXPECT_EQ(row.rows(), 1);
  EXPECT_EQ(row.entries(), (Vector{{1, 2, 3, 4}}));
}

TEST(GrowingVector, HoldsWhatWasAppended) {
  EXPECT_TRUE(rc::check([](const std::vector<int>& values) {
    GrowingVector vector;
    for (const int value : values) vector.append(value);
    RC_ASSERT(vector.size() == std::ssize(values));
    RC_ASSERT(vector.view().size() == std::ssize(values));
    for (std::size_t i = 0; i < values.size(); ++i) RC_ASSERT(vector[static_cast<Index>(i)] == values[i]);
  }));
}

TEST(GrowingVector, KeepsItsBeginningWhenResized) {
  GrowingVector vector;
  for (int i = 0; i < 10; ++i) vector.append(i);
  vector.resize(1000);
  EXPECT_EQ(vector.size(), 1000);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(vector[i], i);
  vector.resize(4);
  EXPECT_EQ(vector.view(), (Vector{{0, 1, 2, 3}}));
  vector.append(9);
  EXPECT_EQ(vector.view(), (Vector{{0, 1, 2, 3, 9}}));
}

TEST(GrowingVector, CanBeWrittenEntryByEntryAndThroughItsView) {
  GrowingVector vector;
  vector.append(1);
  vector.append(2);
  vector[0] = 5;
  vector.view() *= 2;
  EXPECT_EQ(vector[0], 10);
  EXPECT_EQ(vector[1], 4);
}

TEST(GrowingVector, CopiesItsStorageForEachDoublingOnly) {
  GrowingVector vector;
  const double* before = vector.view().data();
  int moves = 0;
  for (int i = 0; i < 1024; ++i) {
    vector.append(i);
    moves += vector.view().data() != before;
    before = vector.view().data();
  }
  EXPECT_LE(moves, 7);
}

TEST(Scratch, HasTheShapeAskedForAndColumnsOnCacheLines) {
  EXPECT_TRUE(rc::check([] {
    Scratch scratch;
    const auto shapes = *rc::gen::container<std::vector<std::pair<Index, Index>>>(
        rc::gen::pair(rc::gen::inRange<Index>(0, 60), rc::gen::inRange<Index>(0, 30)));
    for (const auto& [rows, cols] : shapes) {
      auto block = scratch.get(rows, cols);
      RC_ASSERT(block.rows() == rows);
      RC_ASSERT(block.cols() == cols);
      block.setConstant(3);
      RC_ASSERT(block.sum() == 3.0 * static_cast<double>(rows * cols));
      for (Index j = 0; j < cols && rows > 0; ++j) {
        RC_ASSERT(reinterpret_cast<std::uintptr_t>(block.col(j).data()) % 64 == 0u);
      }
    }
  }));
}

TEST(Scratch, KeepsItsStorageForSmallerRequests) {
  Scratch scratch;
  const double* storage = scratch.get(100, 10).data();
  EXPECT_EQ(scratch.get(1, 10).data(), storage);
  EXPECT_EQ(scratch.get(100, 1).data(), storage);
  EXPECT_EQ(scratch.get(120, 10).data(), storage);  // rows grow by half in advance
}

}  // namespace
}  // namespace ridgerunner::growing_columns_test
