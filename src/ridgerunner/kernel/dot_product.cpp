#include "ridgerunner/kernel/dot_product.h"

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

class DotProduct final : public Kernel {
 public:
  DotProduct(int degree, double variance, double offset)
      : degree_(degree), variance_(variance), offset_(offset) {
    require_positive("variance", variance);
    require_at_least("offset", offset, 0);
    require_at_least("degree", degree, 1);
  }

  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    out.noalias() = x.transpose().lazyProduct(y);
    finish(out.array());
  }

  void diagonal(const MatrixIn& x, VectorOut out) const override {
    out = x.colwise().squaredNorm();
    finish(out.array());
  }

  void check_dimension(Index) const override {}

 private:
  template <class Array>
  void finish(Array&& dot) const {
    dot += offset_;
    dot = dot.unaryExpr([this](double base) { return variance_ * power(base); });
  }

  double power(double base) const {
    double result = base;
    for (int i = 1; i < degree_; ++i) result *= base;
    return result;
  }

  int degree_;
  double variance_;
  double offset_;
};

}  // namespace

KernelPtr linear(double variance, double offset) {
  return std::make_shared<DotProduct>(1, variance, offset);
}

KernelPtr polynomial(int degree, double variance, double offset) {
  return std::make_shared<DotProduct>(degree, variance, offset);
}

}  // namespace ridgerunner
