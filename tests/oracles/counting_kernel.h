#pragma once

#include "ridgerunner/kernel/kernel.h"

namespace ridgerunner::oracle {

// Another kernel, counting the pairs it is asked for.
class CountingKernel final : public Kernel {
 public:
  CountingKernel(KernelPtr inner, long& count) : inner_(std::move(inner)), count_(count) {}
  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    count_ += x.cols() * y.cols();
    inner_->gram(x, y, out);
  }
  void diagonal(const MatrixIn& x, VectorOut out) const override { inner_->diagonal(x, out); }
  void check_dimension(Index) const override {}

 private:
  KernelPtr inner_;
  long& count_;
};

}  // namespace ridgerunner::oracle
