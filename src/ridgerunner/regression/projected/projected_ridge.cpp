// Projected models whose ridge moves.
#include <algorithm>
#include <cmath>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {

void ProjectedRegression::require_moving(double ridge) const {
  if (!options_.moving_ridge) throw InvalidArgument("the ridge of this model cannot move");
  require_positive("ridge", ridge);
}

void ProjectedRegression::set_ridge(double ridge) {
  require_moving(ridge);
  if (ridge == ridge_) return;
  GrowingCholesky precision = factor_precision(model_.information, ridge);
  // Nothing below fails.
  ridge_ = ridge;
  model_.precision = std::move(precision);
  ready_ = {};
  if (model_.basis.size() == 0) return;
  solve_weights(model_);
  compute_tracked(model_);
  if (arms_ > 0) model_.points.mean.view() = model_.points.features.products(model_.weights);
  prepare();
}

double ProjectedRegression::log_determinant(double ridge) const {
  require_moving(ridge);
  const auto m = static_cast<double>(model_.basis.size());
  const double logs = ridge == ridge_ ? ready_.log_determinant
                                      : factor_precision(model_.information, ridge).log_determinant();
  return std::max(logs - m * std::log(ridge), 0.0);
}

// With w = V^-1 b: |y - Z^T w|^2 = y^T y - 2 w^T b + w^T (V - λI) w = y^T y - w^T b - λ |w|^2.
double ProjectedRegression::squared_error() const {
  if (batches()) throw InvalidArgument("squared errors are not known: rewards wait for a batch to end");
  const double fitted = model_.moment.view().dot(model_.weights) + ridge_ * model_.weights.squaredNorm();
  return std::max(model_.sum_of_squares - fitted, 0.0);
}

}  // namespace ridgerunner
