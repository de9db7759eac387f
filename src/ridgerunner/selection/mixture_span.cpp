#include "ridgerunner/selection/mixture_span.h"

#include <cmath>

#include <Eigen/Eigenvalues>

namespace ridgerunner {
namespace {

constexpr double kInSpan = 1e-7;        // of a vector's length: its square is what values could gain
constexpr double kNoDirection = 1e-12;  // of the largest eigenvalue of a Gram matrix
constexpr double kRounding = 2e-16;
constexpr double kTrust = 1;  // times the error of the images: what is smaller is not told from 0

}  // namespace

bool ImagedVectors::add(Vector vector, Vector its_image) {
  const double length = vector.norm();
  double error = kRounding * data_->norm * length;
  for (int i = 0; i < 2 && size_ > 0; ++i) {  // once more for what rounding left
    const Vector part = h().transpose() * vector;
    vector.noalias() -= h() * part;
    its_image.noalias() -= image() * part;
    error = std::hypot(error, errors_.head(size_).cwiseProduct(part).norm());
  }
  const double left = vector.norm();
  error /= left;
  if (!(left > kInSpan * length && kTrust * error < data_->least_ridge)) return false;
  if (size_ == h_.cols()) {
    const Index room = std::min(most_, std::max<Index>(4, 2 * size_));
    h_.conservativeResize(vector.size(), room);
    image_.conservativeResize(vector.size(), room);
    errors_.conservativeResize(room);
  }
  h_.col(size_) = vector / left;
  image_.col(size_) = its_image / left;
  errors_[size_] = error;
  ++size_;
  return true;
}

MixtureSpan::MixtureSpan(const MixtureData& data, Vector k, double prior)
    : data_(&data),
      k_(std::move(k)),
      prior_(prior),
      vectors_(data, std::min(kMost, k_.size())),
      inner_(kMost + 1, kMost + 1),
      seen_(kMost + 1, kMost + 1),
      rewards_(kMost + 1),
      data_part_(kMost) {
  inner_(0, 0) = prior;
  seen_(0, 0) = k_.squaredNorm();
  rewards_[0] = k_.dot(data.rewards);
}

bool MixtureSpan::add(Vector vector, Vector its_image) {
  if (!vectors_.add(std::move(vector), std::move(its_image))) return false;
  const Index p = size();
  const auto h = vectors_.h().col(p - 1), image = vectors_.image().col(p - 1);
  inner_(0, p) = inner_(p, 0) = h.dot(k_);
  seen_(0, p) = seen_(p, 0) = image.dot(k_);
  inner_.col(p).segment(1, p) = vectors_.h().transpose() * image;
  seen_.col(p).segment(1, p) = vectors_.image().transpose() * image;
  inner_.row(p).segment(1, p) = inner_.col(p).segment(1, p).transpose();
  seen_.row(p).segment(1, p) = seen_.col(p).segment(1, p).transpose();
  rewards_[p] = image.dot(data_->rewards);
  data_part_[p - 1] = h.dot(data_->rewards);
  return true;
}

MixtureLine MixtureSpan::from_above() const {
  const Index p = size();
  MixtureLine line;
  line.form = MixtureLine::Form::kernel;
  if (p > 0) {  // or no vector was exact enough
    const Eigen::SelfAdjointEigenSolver<Small> eigen(inner_.block(1, 1, p, p));
    line.eigenvalues = eigen.eigenvalues().cwiseMax(0.0);
    line.state = eigen.eigenvectors().transpose() * inner_.col(0).segment(1, p);
    line.data = eigen.eigenvectors().transpose() * data_part_.head(p);
  }
  line.rest = prior_;
  line.least = data_->least_ridge;
  line.offset = data_->radius_squared - data_->within;
  line.norm_bound = data_->norm_bound;
  line.limit = data_->norm_bound * std::sqrt(prior_);
  return line;
}

MixtureLine MixtureSpan::from_below() const {
  const Index p = size() + 1;
  const Eigen::SelfAdjointEigenSolver<Small> gram(inner_.topLeftCorner(p, p));
  const auto& values = gram.eigenvalues();  // rising
  Index none = 0;
  while (none < p - 1 && !(values[none] > kNoDirection * values[p - 1])) ++none;
  const Small white =
      gram.eigenvectors().rightCols(p - none) * values.tail(p - none).cwiseSqrt().cwiseInverse().asDiagonal();
  const Small whitened = white.transpose() * seen_.topLeftCorner(p, p) * white;
  const Eigen::SelfAdjointEigenSolver<Small> eigen(whitened);
  const Small turned = white * eigen.eigenvectors();
  MixtureLine line;
  line.form = MixtureLine::Form::features;
  line.eigenvalues = eigen.eigenvalues().cwiseMax(0.0);
  line.state = turned.transpose() * inner_.col(0).head(p);
  line.data = turned.transpose() * rewards_.head(p);
  line.offset = data_->radius_squared - data_->within - data_->rewards.squaredNorm();
  line.norm_bound = data_->norm_bound;
  line.limit = data_->norm_bound * std::sqrt(prior_);
  return line;
}

}  // namespace ridgerunner
