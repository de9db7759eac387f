#pragma once

#include <algorithm>
#include <atomic>
#include <utility>

#include "ridgerunner/linalg/shared.h"
#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// A matrix that grows by columns; capacity doubles, so n appends cost O(n) copies in all.
//
// A copy shares the numbers, and costs a counter. The first of the two that appends goes on in the same
// memory, behind the columns that the other looks at; the second one copies, and so does writable().
class GrowingColumns {
 public:
  explicit GrowingColumns(Index rows = 0) : block_(std::in_place, Matrix(rows, 0)) {}

  // One row with these entries.
  static GrowingColumns row_of(const VectorIn& entries) {
    GrowingColumns row;
    row.block_ = Shared<Block>(std::in_place, Matrix(entries.transpose()));
    row.size_ = entries.size();
    return row;
  }

  static GrowingColumns of(Matrix columns) {
    GrowingColumns out;
    out.size_ = columns.cols();
    out.block_ = Shared<Block>(std::in_place, std::move(columns));
    return out;
  }

  Index rows() const { return block_->numbers.rows(); }
  Index size() const { return size_; }
  auto view() const { return block_->numbers.leftCols(size_); }
  auto writable() {
    if (block_.is_shared()) move_to(block_->numbers.cols());
    return block_.common().numbers.leftCols(size_);
  }
  auto col(Index i) const { return block_->numbers.col(i); }

  // The only row, as a vector.
  auto entries() const { return Eigen::Map<const Vector>(block_->numbers.data(), size_); }

  void append(const VectorIn& column) {
    if (size_ == block_->numbers.cols() || !take_next()) {
      move_to(std::max<Index>(16, 2 * size_));
      take_next();
    }
    block_.common().numbers.col(size_++) = column;
  }

  void truncate(Index size) { size_ = size; }  // forgets all but the first columns

 private:
  struct Block {
    explicit Block(Matrix all) : numbers(std::move(all)), used(numbers.cols()) {}
    Matrix numbers;
    std::atomic<Index> used;  // columns that somebody looks at
  };

  // Whether the next column is ours to write: nobody who shares the block has it.
  bool take_next() {
    std::atomic<Index>& used = block_.common().used;
    if (!block_.is_shared()) {
      used.store(size_ + 1, std::memory_order_relaxed);
      return true;
    }
    Index expected = size_;
    return used.compare_exchange_strong(expected, size_ + 1, std::memory_order_relaxed);
  }

  void move_to(Index capacity) {
    Matrix numbers(rows(), capacity);
    numbers.leftCols(size_) = block_->numbers.leftCols(size_);
    block_ = Shared<Block>(std::in_place, std::move(numbers));
    block_.common().used.store(size_, std::memory_order_relaxed);
  }

  Shared<Block> block_;
  Index size_ = 0;
};

// A vector that grows by entries, with aligned storage.
class GrowingVector {
 public:
  Index size() const { return size_; }
  auto view() const { return storage_.head(size_); }
  auto view() { return storage_.head(size_); }
  double operator[](Index i) const { return storage_[i]; }
  double& operator[](Index i) { return storage_[i]; }

  void append(double value) {
    resize(size_ + 1);
    storage_[size_ - 1] = value;
  }

  void resize(Index size) {  // new entries are not set
    if (size > storage_.size()) storage_.conservativeResize(std::max<Index>({16, size, 2 * size_}));
    size_ = size;
  }

 private:
  Vector storage_;
  Index size_ = 0;
};

// A matrix whose storage is kept from use to use. Columns start on a cache line, so that what is computed in
// it depends on the sizes asked for, and not on those that came before.
class Scratch {
 public:
  Eigen::Block<Matrix> get(Index rows, Index cols) {
    constexpr Index kLine = 8;
    if (rows > storage_.rows() || cols > storage_.cols()) {
      const Index more_rows = rows > storage_.rows() ? rows + rows / 2 : storage_.rows();
      storage_.resize((more_rows + kLine - 1) / kLine * kLine, std::max(cols, storage_.cols()));
    }
    return storage_.topLeftCorner(rows, cols);
  }

 private:
  Matrix storage_;
};

}  // namespace ridgerunner
