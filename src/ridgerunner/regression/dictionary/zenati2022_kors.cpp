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
    Vector local, &solved = newcomer.solved ? *newcomer.solved : local;
    double explained = 0;
    // The first rows alone bound the probability from above: that may do to turn the state away.
    constexpr Index kParts = 4;
    const Index size = states_.size();
    const auto end_of = [&](Index part) {  // whole tiles: then the bits are those of a solve in one go
      return part == kParts ? size : size * part / kParts / kTileRows * kTileRows;
    };
    for (Index part = 0; part < kParts; ++part) {
      const double most = probability(std::max(newcomer.prior - explained, 0.0));
      if (most <= newcomer.draw) return most;
      if (part == 0) solved = scaled_kernel(newcomer.state);
      const Index first = end_of(part), last = end_of(part + 1);
      factor_.solve_rows(solved, first, last);
      explained += solved.segment(first, last - first).squaredNorm();
    }
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
    Vector b = newcomer.solved ? std::move(*newcomer.solved) : scaled_kernel(newcomer.state);
    if (!newcomer.solved) factor_.solve(b);
    factor_.append_solved(b / std::sqrt(probability), newcomer.prior / probability + parameters_.projection);
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

  Vector scaled_kernel(const VectorIn& state) const {  // b
    Vector b(states_.size());
    kernel_->gram(states_.view(), state, b);
    b.array() /= probabilities_.view().array().sqrt();
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
