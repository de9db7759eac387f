#pragma once

#include <algorithm>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// A matrix that grows by columns; capacity doubles, so n appends cost O(n) copies in all.
class GrowingColumns {
 public:
  explicit GrowingColumns(Index rows = 0) : storage_(rows, 0) {}

  Index rows() const { return storage_.rows(); }
  Index size() const { return size_; }
  auto view() const { return storage_.leftCols(size_); }
  auto view() { return storage_.leftCols(size_); }
  auto col(Index i) const { return storage_.col(i); }

  void append(const VectorIn& column) {
    if (size_ == storage_.cols())
      storage_.conservativeResize(Eigen::NoChange, std::max<Index>(16, 2 * size_));
    storage_.col(size_++) = column;
  }

  void truncate(Index size) { size_ = size; }  // forgets all but the first columns

 private:
  Matrix storage_;
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
