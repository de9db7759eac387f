#include "ridgerunner/regression/dictionary/zenati2022_kors.h"

#include <algorithm>
#include <cmath>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/growing_cholesky.h"
#include "ridgerunner/linalg/growing_columns.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {
namespace {

class Kors final : public Dictionary {
 public:
  Kors(KernelPtr kernel, const KorsParameters& parameters)
      : kernel_(std::move(kernel)), parameters_(parameters) {
    require_positive("projection", parameters.projection);
    require_positive("oversampling", parameters.oversampling);
    require_between("accuracy", parameters.accuracy, 0, 1);
  }

  double admission(const Newcomer& newcomer) const override {
    if (states_.size() == 0) return 1;
    const double explained = scaled_solve(newcomer.state).squaredNorm();
    check_variance(newcomer.prior, explained);
    return probability(std::max(newcomer.prior - explained, 0.0));
  }

  // With all probabilities 1, G is the matrix of the exact model whose ridge is μ.
  std::optional<double> admission_if_full(double, double left, double ridge) const override {
    if (ridge != parameters_.projection) return std::nullopt;
    return probability(left);
  }

  void admitted(const Newcomer& newcomer, double probability) override {
    if (states_.size() == 0) states_ = GrowingColumns(newcomer.state.size());
    factor_.append_solved(scaled_solve(newcomer.state) / std::sqrt(probability),
                          newcomer.prior / probability + parameters_.projection);
    states_.append(newcomer.state);
    probabilities_.append(probability);
  }

  void retract() override {
    const Index left = states_.size() - 1;
    factor_.truncate(left);
    states_.truncate(left);
    if (left == 0) states_ = GrowingColumns();  // the dimension is open again
    probabilities_.resize(left);
  }

  Members members() const override { return {states_.view(), probabilities_.view()}; }
  std::unique_ptr<Dictionary> clone() const override { return std::make_unique<Kors>(*this); }

 private:
  double probability(double left) const {
    const double score = (1 + parameters_.accuracy) * left / (left + parameters_.projection);
    return std::min(parameters_.oversampling * score, 1.0);
  }

  // L^-1 b with L L^T = G.
  Vector scaled_solve(const VectorIn& state) const {
    Vector b(states_.size());
    kernel_->gram(states_.view(), state, b);
    b.array() /= probabilities_.view().array().sqrt();
    factor_.solve(b);
    return b;
  }

  KernelPtr kernel_;
  KorsParameters parameters_;
  GrowingColumns states_;
  GrowingVector probabilities_;
  GrowingCholesky factor_;  // of G
};

}  // namespace

std::unique_ptr<Dictionary> kors(KernelPtr kernel, const KorsParameters& parameters) {
  return std::make_unique<Kors>(std::move(kernel), parameters);
}

double zenati2022_oversampling(double horizon, double delta) {
  return 12 * std::log(horizon / delta);
}

}  // namespace ridgerunner
