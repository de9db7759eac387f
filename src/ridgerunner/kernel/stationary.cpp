#include "ridgerunner/kernel/stationary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr Index kChunk = 256;      // points of x handled at once, so that a column stays in the first cache
constexpr Index kDirectDims = 24;  // up to here differences are as fast as a matrix product, and exact

using Chunk = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kChunk, kDirectDims>;

struct Gaussian {
  template <class Column>
  void apply(Column&& r2) const {
    r2 = (-0.5 * r2).exp();
  }
};

struct Matern12 {
  template <class Column>
  void apply(Column&& r2) const {
    r2 = (-r2.sqrt()).exp();
  }
};

struct Matern32 {
  template <class Column>
  void apply(Column&& r2) const {
    r2 = (3 * r2).sqrt();
    r2 = (1 + r2) * (-r2).exp();
  }
};

struct Matern52 {
  template <class Column>
  void apply(Column&& r2) const {
    r2 = (5 * r2).sqrt();
    r2 = (1 + r2 * (1 + r2 / 3)) * (-r2).exp();
  }
};

struct RationalQuadratic {
  double shape;
  template <class Column>
  void apply(Column&& r2) const {
    r2 = (-shape * (r2 / (2 * shape)).log1p()).exp();
  }
};

template <class Profile>
class Stationary final : public Kernel {
 public:
  Stationary(std::vector<double> lengthscale, double variance, Profile profile)
      : variance_(variance), profile_(profile) {
    require_positive("variance", variance);
    if (lengthscale.empty()) throw InvalidArgument("lengthscale must not be empty");
    for (double l : lengthscale) require_positive("lengthscale", l);
    inverse_lengthscale_ =
        Eigen::Map<const Vector>(lengthscale.data(), std::ssize(lengthscale)).cwiseInverse();
  }

  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    if (x.rows() <= kDirectDims) {
      for (Index i = 0; i < x.cols(); i += kChunk) {
        const Index count = std::min(kChunk, x.cols() - i);
        by_differences(x.middleCols(i, count), y, out.middleRows(i, count));
      }
    } else {
      by_product(x, y, out);
    }
  }

  void diagonal(const MatrixIn&, VectorOut out) const override { out.setConstant(variance_); }

  void check_dimension(Index dimension) const override {
    if (inverse_lengthscale_.size() != 1 && inverse_lengthscale_.size() != dimension) {
      throw InvalidArgument(fmt::format("lengthscale has {} entries, but the points have dimension {}",
                                        inverse_lengthscale_.size(), dimension));
    }
  }

 private:
  double scale(Index dimension) const {
    return inverse_lengthscale_[inverse_lengthscale_.size() == 1 ? 0 : dimension];
  }

  void finish(MatrixOut out, Index column) const {
    auto values = out.col(column).array();
    profile_.apply(values);
    if (variance_ != 1) values *= variance_;
  }

  // Accurate however close two points are.
  void by_differences(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const {
    const Index d = x.rows();
    const Chunk points = x.transpose();
    for (Index j = 0; j < y.cols(); ++j) {
      const auto square = [&](Index k) { return ((points.col(k).array() - y(k, j)) * scale(k)).square(); };
      auto sum = out.col(j).array();
      Index k = d % 3;  // three dimensions a pass
      if (k == 0)
        sum = square(0) + square(1) + square(2), k = 3;
      else if (k == 1)
        sum = square(0);
      else
        sum = square(0) + square(1);
      for (; k < d; k += 3) sum += square(k) + square(k + 1) + square(k + 2);
      finish(out, j);
    }
  }

  // |x|^2 + |y|^2 - 2 x.y loses the digits of a small distance to cancellation: below 1e-4 of the norms
  // (where at most 4 digits of 16 are gone) the difference is taken directly.
  void by_product(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const {
    const Matrix xs = scaled(x), ys = scaled(y);
    const Vector x2 = xs.colwise().squaredNorm(), y2 = ys.colwise().squaredNorm();
    out.noalias() = -2.0 * xs.transpose() * ys;
    for (Index j = 0; j < y.cols(); ++j) {
      out.col(j).array() += x2.array() + y2[j];
      for (Index i = 0; i < x.cols(); ++i) {
        if (out(i, j) < 1e-4 * (x2[i] + y2[j])) out(i, j) = (xs.col(i) - ys.col(j)).squaredNorm();
      }
      finish(out, j);
    }
  }

  Matrix scaled(const MatrixIn& x) const {
    if (inverse_lengthscale_.size() == 1) return x * inverse_lengthscale_[0];
    return inverse_lengthscale_.asDiagonal() * x;
  }

  Vector inverse_lengthscale_;
  double variance_;
  Profile profile_;
};

template <class Profile>
KernelPtr make(std::vector<double> lengthscale, double variance, Profile profile) {
  return std::make_shared<Stationary<Profile>>(std::move(lengthscale), variance, profile);
}

}  // namespace

KernelPtr gaussian(std::vector<double> lengthscale, double variance) {
  return make(std::move(lengthscale), variance, Gaussian{});
}

KernelPtr matern12(std::vector<double> lengthscale, double variance) {
  return make(std::move(lengthscale), variance, Matern12{});
}

KernelPtr matern32(std::vector<double> lengthscale, double variance) {
  return make(std::move(lengthscale), variance, Matern32{});
}

KernelPtr matern52(std::vector<double> lengthscale, double variance) {
  return make(std::move(lengthscale), variance, Matern52{});
}

KernelPtr rational_quadratic(std::vector<double> lengthscale, double shape, double variance) {
  require_positive("shape", shape);
  return make(std::move(lengthscale), variance, RationalQuadratic{shape});
}

}  // namespace ridgerunner
