#include "ridgerunner/tuning/relevant_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

namespace ridgerunner {
namespace {

constexpr Index kMostObservations = 128;
constexpr std::size_t kMostGroups = 4;
constexpr double kGain = 2;
constexpr double kRidge = 0.3;
constexpr double kPseudo = 2;  // as in EvidenceObjective

FitData thinned(const FitData& data) {
  const Index n = data.size();
  if (n <= kMostObservations) return data;
  FitData out = data;
  out.points.resize(data.points.rows(), kMostObservations);
  out.rewards.resize(kMostObservations);
  for (Index i = 0; i < kMostObservations; ++i) {
    const Index from = i * n / kMostObservations;
    out.points.col(i) = data.points.col(from);
    out.rewards[i] = data.rewards[from];
  }
  return out;
}

// exp(-r^2/2) over the columns of one group.
Matrix gram_of(const FitData& data, int group) {
  const Index n = data.size();
  Matrix squares = Matrix::Zero(n, n);
  for (Index j = 0; j < data.points.rows(); ++j) {
    if (data.group[static_cast<std::size_t>(j)] != group) continue;
    for (Index i = 0; i < n; ++i)
      squares.col(i).array() += (data.points.row(j).array() - data.points(j, i)).square().transpose();
  }
  return (-0.5 * squares.array()).exp();
}

// Minus the log evidence; scale and offset are eliminated.
double lack_of_evidence(const FitData& data, const Matrix& gram) {
  const auto n = static_cast<double>(data.size());
  Matrix covariance = gram;
  covariance.diagonal().array() += kRidge;
  const Eigen::LLT<Matrix> factored(covariance);
  if (factored.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  Vector y = factored.matrixL().solve(data.rewards);
  if (!data.offset_is_0) {
    const Vector ones = factored.matrixL().solve(Vector::Ones(data.size()));
    y -= ones.dot(y) / ones.squaredNorm() * ones;
  }
  return (n + kPseudo) / 2 * std::log((y.squaredNorm() + kPseudo) / (n + kPseudo)) +
         factored.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

std::vector<int> relevant_groups(const FitData& given) {
  const FitData data = thinned(given);
  Matrix gram = gram_of(data, -1);  // columns that are always there: which arm
  double least = lack_of_evidence(data, gram);
  std::vector<int> chosen;
  while (chosen.size() < kMostGroups) {
    int best = -1;
    double best_value = least - kGain;
    Matrix best_gram;
    for (int group = 0; group < data.groups; ++group) {
      if (std::find(chosen.begin(), chosen.end(), group) != chosen.end()) continue;
      const Matrix with = gram.cwiseProduct(gram_of(data, group));
      const double value = lack_of_evidence(data, with);
      if (!(value < best_value)) continue;
      best = group;
      best_value = value;
      best_gram = with;
    }
    if (best < 0) break;
    chosen.push_back(best);
    least = best_value;
    gram = best_gram;
  }
  return chosen;
}

}  // namespace ridgerunner
