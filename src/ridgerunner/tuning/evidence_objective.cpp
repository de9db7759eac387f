#include "ridgerunner/tuning/evidence_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Cholesky>

#include "ridgerunner/kernel/stationary.h"

namespace ridgerunner {
namespace {

constexpr double kRidgeSpread = 1.5;  // sd of ln λ around that of the usual ridge
constexpr double kLeaves = 0.5;       // how far a column's ln l may leave the median without much cost
constexpr double kPseudo = 2;         // observations of variance 1
constexpr Index kPanel = 64;

// The inverse of a lower triangle, in place; halves by halves, so that most of the work is matrix products.
void invert_lower(Eigen::Ref<Matrix> lower) {
  const Index n = lower.rows();
  if (n <= 32) {
    for (Index j = 0; j < n; ++j) {
      lower(j, j) = 1 / lower(j, j);
      for (Index i = j + 1; i < n; ++i) {
        const double dot = lower.row(i).segment(j, i - j).dot(lower.col(j).segment(j, i - j));
        lower(i, j) = -dot / lower(i, i);
      }
    }
    return;
  }
  const Index top = n / 2 / 8 * 8, rest = n - top;
  auto first = lower.topLeftCorner(top, top);
  auto second = lower.bottomRightCorner(rest, rest);
  auto between = lower.bottomLeftCorner(rest, top);
  invert_lower(first);
  invert_lower(second);
  const Matrix right = between * first.triangularView<Eigen::Lower>();
  between.noalias() = -(second.triangularView<Eigen::Lower>() * right);
}

// Both triangles of X^T X for a lower triangle X.
Matrix squared(const Matrix& lower) {
  const Index n = lower.rows();
  Matrix out = Matrix::Zero(n, n);
  for (Index first = 0; first < n; first += kPanel) {
    const Index rows = std::min(kPanel, n - first), cols = first + rows;
    out.topLeftCorner(cols, cols)
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(lower.block(first, 0, rows, cols).transpose());
  }
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double squared_over(double x, double scale) {
  return x / scale * (x / scale);
}

}  // namespace

struct EvidenceObjective::Solved {
  Matrix gram;     // K
  Matrix factor;   // L, lower
  Vector weights;  // A (y - μ)
  double offset = 0;
  double signal_variance = 0;
};

EvidenceObjective::EvidenceObjective(const FitData& data, Scales scales, KernelPtr kernel)
    : data_(data), scales_(data.groups == 0 ? Scales::none : scales), kernel_(std::move(kernel)) {
  if (!kernel_) return;
  scales_ = Scales::none;
  gram_ = gram(*kernel_, data.points, data.points);
}

Index EvidenceObjective::lengthscales() const {
  switch (scales_) {
    case Scales::none:
      return 0;
    case Scales::one:
      return 1;
    case Scales::each:
      return data_.groups;
  }
  return 0;
}

std::vector<double> EvidenceObjective::lengthscale_by_column(const Vector& at) const {
  std::vector<double> lengthscale;
  for (const int group : data_.group) {
    const double log = group < 0 || scales_ == Scales::none ? 0 : at[scales_ == Scales::one ? 0 : group];
    lengthscale.push_back(std::exp(log));
  }
  return lengthscale;
}

bool EvidenceObjective::solve(const Vector& at, Solved& out) const {
  const Index n = data_.size();
  const double ridge = std::exp(at[at.size() - 1]);
  out.gram = kernel_ ? gram_ : gram(*gaussian(lengthscale_by_column(at)), data_.points, data_.points);
  out.factor = out.gram;
  out.factor.diagonal().array() += ridge;
  Eigen::LLT<Eigen::Ref<Matrix>> factored(out.factor);
  if (factored.info() != Eigen::Success) return false;
  const auto lower = out.factor.triangularView<Eigen::Lower>();
  Vector y = lower.solve(data_.rewards);
  if (!data_.offset_is_0) {
    const Vector ones = lower.solve(Vector::Ones(n));
    out.offset = ones.dot(y) / ones.squaredNorm();
    y -= out.offset * ones;
  }
  out.signal_variance = (y.squaredNorm() + kPseudo) / (static_cast<double>(n) + kPseudo);
  out.weights = out.factor.transpose().triangularView<Eigen::Upper>().solve(y);
  return std::isfinite(out.signal_variance);
}

double EvidenceObjective::evaluate(const Vector& at, Vector* gradient) const {
  Solved solved;
  if (gradient) gradient->setZero(at.size());
  if (!solve(at, solved)) return std::numeric_limits<double>::infinity();
  const double n = static_cast<double>(data_.size());
  const double value = (n + kPseudo) / 2 * std::log(solved.signal_variance) +
                       solved.factor.diagonal().array().log().sum() + prior(at, gradient);
  if (!gradient) return value;

  // G = ½ (A - α α^T / σ_f^2); the value changes by tr(G dK).
  invert_lower(solved.factor);
  solved.factor.triangularView<Eigen::StrictlyUpper>().setZero();
  Matrix slope = squared(solved.factor);
  slope.noalias() -= (1 / solved.signal_variance) * solved.weights * solved.weights.transpose();
  slope *= 0.5;
  (*gradient)[at.size() - 1] += std::exp(at[at.size() - 1]) * slope.trace();
  if (scales_ == Scales::none) return value;

  // dK/d ln l_j = K ∘ (z_ij - z_i'j)^2, so with H = G ∘ K: 2 (Σ_i z_ij^2 Σ_i' H_ii' - z_j^T H z_j).
  slope.array() *= solved.gram.array();
  const Vector sums = slope.rowwise().sum();
  const std::vector<double> lengthscale = lengthscale_by_column(at);
  const Eigen::Map<const Vector> scales(lengthscale.data(), std::ssize(lengthscale));
  const Vector centre = data_.points.rowwise().mean();  // differences do not see it, rounding does
  const Matrix z = (data_.points.colwise() - centre).array().colwise() / scales.array();  // d x n
  const Matrix pulled = z * slope;
  for (Index j = 0; j < z.rows(); ++j) {
    const int group = data_.group[static_cast<std::size_t>(j)];
    if (group < 0) continue;
    const double change = 2 * (z.row(j).cwiseAbs2().dot(sums.transpose()) - z.row(j).dot(pulled.row(j)));
    (*gradient)[scales_ == Scales::one ? 0 : group] += change;
  }
  return value;
}

double EvidenceObjective::prior(const Vector& at, Vector* gradient) const {
  const Index p = lengthscales();
  const double ridge = at[at.size() - 1] - std::log(kUsualRidge);
  double value = squared_over(ridge, kRidgeSpread) / 2;
  if (gradient) (*gradient)[at.size() - 1] += ridge / (kRidgeSpread * kRidgeSpread);
  if (p == 0) return value;
  const auto logs = at.head(p);
  const double away = logs.mean() - 0.5 * std::log(static_cast<double>(data_.groups));
  value += away * away / 2;
  if (gradient) gradient->head(p).array() += away / static_cast<double>(p);
  if (scales_ != Scales::each) return value;

  const double middle = median({logs.data(), logs.data() + p});
  Vector pull(p);
  for (Index j = 0; j < p; ++j) {
    const double from = logs[j] - middle;
    value += std::log1p(squared_over(from, kLeaves));
    pull[j] = 2 * from / (kLeaves * kLeaves + from * from);
  }
  if (!gradient) return value;
  gradient->head(p) += pull;
  // The median moves with the one or two entries in the middle.
  std::vector<Index> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return logs[a] < logs[b]; });
  const double total = pull.sum();
  (*gradient)[order[static_cast<std::size_t>((p - 1) / 2)]] -= total / 2;
  (*gradient)[order[static_cast<std::size_t>(p / 2)]] -= total / 2;
  return value;
}

EvidenceObjective::Eliminated EvidenceObjective::eliminated(const Vector& at) const {
  Solved solved;
  if (!solve(at, solved)) return {};
  return {solved.offset, solved.signal_variance};
}

PlainPrediction predict_plainly(const PlainModel& model, const MatrixIn& points, const VectorIn& rewards,
                                const MatrixIn& states) {
  Matrix covariance = gram(*model.kernel, points, points);
  covariance.diagonal().array() += model.ridge;
  const Eigen::LLT<Matrix> factored(covariance);
  const Matrix cross = gram(*model.kernel, points, states);
  const Matrix solved = factored.matrixL().solve(cross);
  const Vector ones = factored.matrixL().solve(Vector::Ones(rewards.size()));
  const Vector y = factored.matrixL().solve(rewards);
  const double offset = model.offset.value_or(ones.dot(y) / ones.squaredNorm());
  PlainPrediction out;
  out.mean = (solved.transpose() * (y - offset * ones)).array() + offset;
  const Vector left = diagonal(*model.kernel, states) - solved.colwise().squaredNorm().transpose();
  out.sd = (left.cwiseMax(0) / model.ridge).cwiseSqrt();
  return out;
}

}  // namespace ridgerunner
