#include "ridgerunner/selection/correlated_draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/pivoted_cholesky.h"

namespace ridgerunner {
namespace {

constexpr Index kPool = 128;     // states among which a block's pivots are sought
constexpr Index kBlock = 64;     // pivots of a block
constexpr double kShare = 0.25;  // of the largest variance left, for a pivot

void check_finite(const Matrix& covariance) {
  if (!covariance.allFinite()) throw NumericalError("a covariance of candidates is not finite");
}

// The lower Cholesky factor, in place; above the diagonal 0.
void factorise(Eigen::Ref<Matrix> corner) {
  for (Index j = 0; j < corner.cols(); ++j) {
    const Index below = corner.rows() - j - 1;
    const double square = corner(j, j) - corner.row(j).head(j).squaredNorm();
    if (!(square > 0)) throw NumericalError("the covariance of candidates is not positive definite");
    corner(j, j) = std::sqrt(square);
    corner.col(j).tail(below) -= corner.bottomLeftCorner(below, j) * corner.row(j).head(j).transpose();
    corner.col(j).tail(below) /= corner(j, j);
    corner.col(j).head(j).setZero();
  }
}

}  // namespace

// The states change places: first come the pivots, then those that may become one.
class CorrelatedDraws::Factorisation {
 public:
  explicit Factorisation(JointPrediction at)
      : at_(std::move(at)),
        factor_(at_.size()),
        left_(at_.at.sd.cwiseAbs2()),
        order_(static_cast<std::size_t>(at_.size())) {
    std::iota(order_.begin(), order_.end(), Index{0});
    least_ =
        std::max(kNegligible * left_.maxCoeff(), kVarianceRounding * at_.at.prior.maxCoeff() / at_.ridge);
  }

  void run() {
    while (rank() < at_.size() && left_.tail(at_.size() - rank()).maxCoeff() > least_) {
      const Index pivots = find_block();
      if (pivots > 0) append_block(pivots);
    }
  }

  // In the order of the states as they were given.
  std::pair<GrowingColumns, Vector> result() && {
    Vector mixed;
    const auto restore = [&](VectorOut column) {
      mixed = column;
      for (Index i = 0; i < mixed.size(); ++i) column[order_[static_cast<std::size_t>(i)]] = mixed[i];
    };
    for (Index j = 0; j < rank(); ++j) restore(factor_.writable().col(j));
    restore(left_);
    return {std::move(factor_), std::move(left_)};
  }

 private:
  Index rank() const { return factor_.size(); }

  void swap(Index i, Index j) {
    if (i == j) return;
    at_.swap(i, j);
    factor_.writable().row(i).swap(factor_.writable().row(j));
    std::swap(left_[i], left_[j]);
    std::swap(order_[static_cast<std::size_t>(i)], order_[static_cast<std::size_t>(j)]);
  }

  // What the factor leaves of the covariances of the states after the pivots, with the first so many.
  Matrix remaining(Index rows, Index columns) const {
    Matrix out(rows, columns);
    at_.covariance(rank(), rank(), out);
    if (rank() > 0)
      out.noalias() -=
          factor_.view().middleRows(rank(), rows) * factor_.view().middleRows(rank(), columns).transpose();
    check_finite(out);
    return out;
  }

  // States with much variance left, evenly over all such; the largest is among them. Rising.
  std::vector<Index> pool() const {
    Index largest = 0;
    const double most = left_.tail(at_.size() - rank()).maxCoeff(&largest);
    std::vector<Index> large;
    for (Index i = rank(); i < at_.size(); ++i) {
      if (left_[i] >= kShare * most) large.push_back(i);
    }
    const std::size_t stride = (large.size() + kPool - 1) / static_cast<std::size_t>(kPool);
    std::vector<Index> pool;
    for (std::size_t i = 0; i < large.size(); i += stride) pool.push_back(large[i]);
    const auto place = std::lower_bound(pool.begin(), pool.end(), rank() + largest);
    if (place == pool.end() || *place != rank() + largest) pool.insert(place, rank() + largest);
    return pool;
  }

  // Brings the next pivots to the front; how many there are. None only if the variances of the pool, computed
  // afresh, turn out to be negligible.
  Index find_block() {
    const std::vector<Index> chosen = pool();
    const Index first = rank(), n = std::ssize(chosen);
    for (Index i = 0; i < n; ++i) swap(first + i, chosen[static_cast<std::size_t>(i)]);
    const Matrix covariance = remaining(n, n);
    left_.segment(first, n) = covariance.diagonal().cwiseMax(0.0);
    if (!(covariance.diagonal().maxCoeff() > least_)) return 0;
    std::vector<Index> pivots = pivoted_cholesky(covariance, kShare).pivots;
    const Index count = std::min(kBlock, std::ssize(pivots));
    for (Index i = 0; i < count; ++i) {
      Index& from = pivots[static_cast<std::size_t>(i)];
      while (from < i) from = pivots[static_cast<std::size_t>(from)];  // an earlier swap moved it
      swap(first + i, first + from);
    }
    return count;
  }

  void append_block(Index count) {
    const Index first = rank(), active = at_.size() - first, rest = active - count;
    Matrix block = remaining(active, count);
    factorise(block.topRows(count));
    if (rest > 0)
      block.topRows(count).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(
          block.bottomRows(rest));
    reduce(block.bottomRows(rest));
    left_.segment(first, count).setZero();
    Vector column = Vector::Zero(at_.size());
    for (Index j = 0; j < count; ++j) {
      column.tail(active) = block.col(j);
      factor_.append(column);
    }
  }

  // Takes what new columns explain off the variances left. It is no more than there is; where rounding says
  // otherwise, the row is made shorter.
  void reduce(MatrixOut rows) {
    auto left = left_.tail(rows.rows());
    Vector explained = Vector::Zero(rows.rows());
    for (Index j = 0; j < rows.cols(); ++j) explained += rows.col(j).cwiseAbs2();
    for (Index i = 0; i < rows.rows(); ++i) {
      if (explained[i] > left[i]) rows.row(i) *= std::sqrt(left[i] / explained[i]);
    }
    left = (left - explained).cwiseMax(0.0);
  }

  JointPrediction at_;
  GrowingColumns factor_;
  Vector left_;               // variance that the factor does not explain
  std::vector<Index> order_;  // where a state stood at first
  double least_ = 0;
};

CorrelatedDraws::CorrelatedDraws(JointPrediction at) {
  Factorisation factorisation(std::move(at));
  factorisation.run();
  std::tie(factor_, left_) = std::move(factorisation).result();
}

void CorrelatedDraws::draw(Stream& random, MatrixOut out) const {
  Matrix common(rank(), out.cols());
  out.setZero();
  for (Index j = 0; j < out.cols(); ++j) {
    for (Index i = 0; i < rank(); ++i) common(i, j) = random.normal();
    for (Index i = 0; i < size(); ++i) {
      if (left_[i] > 0) out(i, j) = std::sqrt(left_[i]) * random.normal();
    }
  }
  if (rank() > 0) out.noalias() += factor_.view() * common;
}

}  // namespace ridgerunner
