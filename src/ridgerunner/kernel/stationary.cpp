#include "ridgerunner/kernel/stationary.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane.h"

namespace ridgerunner {
namespace {

constexpr Index kChunk = 256;  // points of x handled at once, so that they stay in the first cache
constexpr Index kDims = 16;    // and their dimensions

constexpr double kFar = 1e3;  // here e^-u is 0, and so is every polynomial times it
Lane at_most(Lane x, double limit) {
  return x < limit ? x : Lane{} + limit;
}

// The profiles: k as a function of the squared scaled distance.
struct Gaussian {
  Lane operator()(Lane r2) const { return exp_of_negative(-0.5 * r2); }
};

struct Matern12 {
  Lane operator()(Lane r2) const { return exp_of_negative(-sqrt(r2)); }
};

struct Matern32 {
  Lane operator()(Lane r2) const {
    const Lane u = at_most(sqrt(3.0 * r2), kFar);
    return (1.0 + u) * exp_of_negative(-u);
  }
};

struct Matern52 {
  Lane operator()(Lane r2) const {
    const Lane u = at_most(sqrt(5.0 * r2), kFar);
    return (1.0 + u * (1.0 + u * (1.0 / 3))) * exp_of_negative(-u);
  }
};

struct RationalQuadratic {
  double shape;
  Lane operator()(Lane r2) const { return exp_of_negative(-shape * log1p(at_most(r2 / (2 * shape), 1e300))); }
};

template <class Profile>
class Stationary final : public Kernel {
 public:
  Stationary(std::vector<double> lengthscale, double variance, Profile profile)
      : variance_(variance), profile_(profile) {
    require_positive("variance", variance);
    if (lengthscale.empty()) throw InvalidArgument("lengthscale must not be empty");
    for (const double l : lengthscale) {
      require_positive("lengthscale", l);
      require_at_least("lengthscale", l, 1e-300);  // 1/l must be a number
    }
    inverse_lengthscale_ =
        Eigen::Map<const Vector>(lengthscale.data(), std::ssize(lengthscale)).cwiseInverse();
  }

  // Distances are sums of squared differences, not |x|^2 + |y|^2 - 2 x.y: however close or far from the
  // origin two points are, and wherever they stand in a batch, their kernel value is the same and accurate.
  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    for (Index i = 0; i < x.cols(); i += kChunk) {
      const Index count = std::min(kChunk, x.cols() - i);
      auto part = out.middleRows(i, count);
      for (Index k = 0; k < x.rows(); k += kDims) {
        add_squares(x.block(k, i, std::min(kDims, x.rows() - k), count), y, k, k + kDims >= x.rows(), part);
      }
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

  // Some points and dimensions of x, one dimension after the other, padded to whole registers.
  struct Chunk {
    alignas(64) double values[kDims][kChunk];
    explicit Chunk(const MatrixIn& x) {
      for (Index k = 0; k < x.rows(); ++k) {
        for (Index i = 0; i < x.cols(); ++i) values[k][i] = x(k, i);
        for (Index i = x.cols(); i % kWidth != 0; ++i) values[k][i] = 0;
      }
    }
  };

  // Adds the squared distances in dimensions first, first + 1, ... to out; with the last of them, applies the
  // profile.
  void add_squares(const MatrixIn& x, const MatrixIn& y, Index first, bool last, MatrixOut out) const {
    const Chunk points(x);
    const Index d = x.rows(), n = x.cols();
    for (Index j = 0; j < y.cols(); ++j) {
      double* to = out.col(j).data();
      for (Index i = 0; i < n; i += kWidth) {
        const Index count = std::min(kWidth, n - i);
        Lane r2 = first > 0 ? load_some(to + i, count) : Lane{};
        for (Index k = 0; k < d; ++k) {
          const Lane difference = (load(&points.values[k][i]) - y(first + k, j)) * scale(first + k);
          r2 += difference * difference;
        }
        store_some(to + i, last ? profile_(r2) * variance_ : r2, count);
      }
    }
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
