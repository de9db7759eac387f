#include "ridgerunner/kernel/composite.h"

#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

class Scaled final : public Kernel {
 public:
  Scaled(double factor, KernelPtr part) : factor_(factor), part_(std::move(part)) {
    require_positive("factor", factor);
  }
  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    part_->gram(x, y, out);
    out *= factor_;
  }
  void diagonal(const MatrixIn& x, VectorOut out) const override {
    part_->diagonal(x, out);
    out *= factor_;
  }
  void check_dimension(Index dimension) const override { part_->check_dimension(dimension); }

 private:
  double factor_;
  KernelPtr part_;
};

enum class Combine { sum, product };

class Combined final : public Kernel {
 public:
  Combined(Combine how, std::vector<KernelPtr> parts) : how_(how), parts_(std::move(parts)) {
    if (parts_.empty()) throw InvalidArgument("parts must name at least one kernel");
  }
  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    parts_.front()->gram(x, y, out);
    Matrix next(parts_.size() > 1 ? out.rows() : 0, out.cols());
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      parts_[i]->gram(x, y, next);
      combine(out.array(), next.array());
    }
  }
  void diagonal(const MatrixIn& x, VectorOut out) const override {
    parts_.front()->diagonal(x, out);
    Vector next(out.size());
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      parts_[i]->diagonal(x, next);
      combine(out.array(), next.array());
    }
  }
  void check_dimension(Index dimension) const override {
    for (const auto& part : parts_) part->check_dimension(dimension);
  }

 private:
  template <class Out, class Next>
  void combine(Out&& out, const Next& next) const {
    if (how_ == Combine::sum) {
      out += next;
    } else {
      out *= next;
    }
  }

  Combine how_;
  std::vector<KernelPtr> parts_;
};

class BlockProduct final : public Kernel {
 public:
  BlockProduct(Index context_dim, KernelPtr context, KernelPtr action)
      : context_dim_(context_dim), context_(std::move(context)), action_(std::move(action)) {
    require_at_least("context_dim", static_cast<double>(context_dim), 1);
  }
  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    const Index rest = x.rows() - context_dim_;
    context_->gram(x.topRows(context_dim_), y.topRows(context_dim_), out);
    Matrix other(out.rows(), out.cols());
    action_->gram(x.bottomRows(rest), y.bottomRows(rest), other);
    out.array() *= other.array();
  }
  void diagonal(const MatrixIn& x, VectorOut out) const override {
    context_->diagonal(x.topRows(context_dim_), out);
    Vector other(out.size());
    action_->diagonal(x.bottomRows(x.rows() - context_dim_), other);
    out.array() *= other.array();
  }
  void check_dimension(Index dimension) const override {
    if (dimension <= context_dim_) {
      throw InvalidArgument(
          fmt::format("points have dimension {}, but context_dim {} leaves no room for an action", dimension,
                      context_dim_));
    }
    context_->check_dimension(context_dim_);
    action_->check_dimension(dimension - context_dim_);
  }

 private:
  Index context_dim_;
  KernelPtr context_;
  KernelPtr action_;
};

class Callable final : public Kernel {
 public:
  explicit Callable(std::function<double(const VectorIn&, const VectorIn&)> function)
      : function_(std::move(function)) {
    if (!function_) throw InvalidArgument("function must be callable, got none");
  }
  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < x.cols(); ++i) out(i, j) = checked(function_(x.col(i), y.col(j)));
    }
  }
  void diagonal(const MatrixIn& x, VectorOut out) const override {
    for (Index i = 0; i < x.cols(); ++i) out[i] = checked(function_(x.col(i), x.col(i)));
  }
  void check_dimension(Index) const override {}

 private:
  static double checked(double value) {
    if (!std::isfinite(value)) throw NumericalError(fmt::format("the kernel function returned {}", value));
    return value;
  }
  std::function<double(const VectorIn&, const VectorIn&)> function_;
};

class Precomputed final : public Kernel {
 public:
  explicit Precomputed(Matrix gram) : gram_(std::move(gram)) {
    if (gram_.size() == 0 || gram_.rows() != gram_.cols()) {
      throw InvalidArgument(
          fmt::format("gram must be square and not empty, got {} x {}", gram_.rows(), gram_.cols()));
    }
    for (Index j = 0; j < gram_.cols(); ++j) {
      for (Index i = 0; i < gram_.rows(); ++i) check_finite(i, j);
    }
    for (Index j = 0; j < gram_.cols(); ++j) {
      for (Index i = j + 1; i < gram_.rows(); ++i) check_symmetric(i, j);
    }
  }
  void gram(const MatrixIn& x, const MatrixIn& y, MatrixOut out) const override {
    for (Index j = 0; j < y.cols(); ++j) {
      const Index column = arm(y(0, j));
      for (Index i = 0; i < x.cols(); ++i) out(i, j) = gram_(arm(x(0, i)), column);
    }
  }
  void diagonal(const MatrixIn& x, VectorOut out) const override {
    for (Index i = 0; i < x.cols(); ++i) out[i] = gram_(arm(x(0, i)), arm(x(0, i)));
  }
  void check_dimension(Index dimension) const override {
    if (dimension != 1) {
      throw InvalidArgument(fmt::format(
          "a precomputed kernel takes points of dimension 1 (an arm's index), got {}", dimension));
    }
  }

 private:
  void check_finite(Index i, Index j) const {
    const double value = gram_(i, j);
    if (!std::isfinite(value))
      throw InvalidArgument(fmt::format("gram[{}][{}] must be finite, got {}", i, j, value));
    if (i == j && value < 0)
      throw InvalidArgument(fmt::format("gram[{}][{}] must be >= 0, got {}", i, i, value));
  }
  void check_symmetric(Index i, Index j) const {
    const double value = gram_(i, j), mirrored = gram_(j, i);
    if (std::abs(value - mirrored) > 1e-12 * std::sqrt(gram_(i, i)) * std::sqrt(gram_(j, j))) {
      throw InvalidArgument(fmt::format("gram must be symmetric, but [{}][{}] is {} and [{}][{}] is {}", i, j,
                                        value, j, i, mirrored));
    }
  }
  Index arm(double coordinate) const {
    if (!(coordinate >= 0 && coordinate < static_cast<double>(gram_.rows())) ||
        coordinate != std::floor(coordinate)) {
      throw InvalidArgument(
          fmt::format("an arm of a precomputed kernel must be an index from 0 to {}, got {}",
                      gram_.rows() - 1, coordinate));
    }
    return static_cast<Index>(coordinate);
  }
  Matrix gram_;
};

void require_kernel(const KernelPtr& kernel, const char* name) {
  if (!kernel) throw InvalidArgument(fmt::format("{} must be a kernel, got none", name));
}

void require_kernels(const std::vector<KernelPtr>& kernels) {
  for (const auto& kernel : kernels) require_kernel(kernel, "parts");
}

}  // namespace

KernelPtr scaled(double factor, KernelPtr part) {
  require_kernel(part, "part");
  return std::make_shared<Scaled>(factor, std::move(part));
}

KernelPtr sum(std::vector<KernelPtr> parts) {
  require_kernels(parts);
  return std::make_shared<Combined>(Combine::sum, std::move(parts));
}

KernelPtr product(std::vector<KernelPtr> parts) {
  require_kernels(parts);
  return std::make_shared<Combined>(Combine::product, std::move(parts));
}

KernelPtr block_product(Index context_dim, KernelPtr context, KernelPtr action) {
  require_kernel(context, "context");
  require_kernel(action, "action");
  return std::make_shared<BlockProduct>(context_dim, std::move(context), std::move(action));
}

KernelPtr callable(std::function<double(const VectorIn&, const VectorIn&)> function) {
  return std::make_shared<Callable>(std::move(function));
}

KernelPtr precomputed(Matrix gram) {
  return std::make_shared<Precomputed>(std::move(gram));
}

}  // namespace ridgerunner
