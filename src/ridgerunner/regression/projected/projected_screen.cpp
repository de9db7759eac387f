#include "ridgerunner/regression/projected/projected_screen.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace ridgerunner {
namespace {

constexpr Index kDirections = 16;      // q
constexpr double kRounding = 1e-14;    // of m |G|_1 max k: more than rounding can take from G^T k
constexpr double kPrecision = 4e-16;   // of m tr V/λ: ... from λ z^T V^-1 z
constexpr double kNoDirection = 1e-8;  // added to U^T A U, which may be singular: lowers the bound

Matrix orthonormal(const Matrix& columns) {
  const Eigen::HouseholderQR<Matrix> qr(columns);
  return qr.householderQ() * Matrix::Identity(columns.rows(), columns.cols());
}

// The coordinates in which V is largest.
Matrix first_directions(const Matrix& factor, Index count) {
  const Vector size = factor.rowwise().squaredNorm();
  std::vector<Index> order(static_cast<std::size_t>(size.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size[a] > size[b]; });
  Matrix out = Matrix::Zero(size.size(), count);
  for (Index j = 0; j < count; ++j) out(order[static_cast<std::size_t>(j)], j) = 1;
  return out;
}

}  // namespace

ProjectedScreen::ProjectedScreen(const GrowingCholesky& basis, const GrowingCholesky& precision, double ridge,
                                 const ProjectedScreen* before) {
  const Index m = precision.size(), q = std::min(kDirections, m);
  Matrix factor = Matrix::Zero(m, m);
  for (Index i = 0; i < m; ++i) factor.row(i).head(i + 1) = precision.row(i);
  const bool continues = before && before->directions_.cols() == q && before->anchors() <= m;
  if (continues) {
    directions_ = Matrix::Zero(m, q);
    directions_.topRows(before->anchors()) = before->directions_;
  } else {
    directions_ = first_directions(factor, q);
  }
  for (int step = 0; step < (continues ? 1 : 3); ++step) {
    const Matrix half = factor.transpose().triangularView<Eigen::Upper>() * directions_;
    directions_ = orthonormal(factor.triangularView<Eigen::Lower>() * half);
  }
  map_ = directions_;
  precision.solve(map_);
  precision.solve_transposed(map_);
  map_ = directions_ - ridge * map_;  // A U
  Matrix inner = directions_.transpose() * map_;
  inner.diagonal().array() += kNoDirection;
  const Eigen::LLT<Matrix> square(inner);
  square.matrixU().solveInPlace<Eigen::OnTheRight>(map_);
  basis.solve_transposed(map_);
  if (!map_.allFinite()) map_.setZero();  // then it says nothing
  sizes_ = map_.cwiseAbs().colwise().sum();
  slack_ = kPrecision * static_cast<double>(m) * factor.squaredNorm() / ridge;
}

void ProjectedScreen::bound(const MatrixIn& cross, double largest_prior, Vector& explained) const {
  const Index m = anchors();
  const Vector margin = kRounding * static_cast<double>(m) * largest_prior * sizes_;
  Matrix parts(map_.cols(), cross.cols());
  parts.noalias() = map_.transpose() * cross.topRows(m);
  explained.resize(cross.cols());
  for (Index i = 0; i < cross.cols(); ++i)
    explained[i] = (parts.col(i).cwiseAbs() - margin).cwiseMax(0.0).squaredNorm();
}

}  // namespace ridgerunner
