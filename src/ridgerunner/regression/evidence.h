#pragma once

#include <optional>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// What a theorem may know of the data.
struct Evidence {
  Index rounds = 0;            // t, the number of observations
  Index anchors = 0;           // states that the model rests on
  double ridge = 1;            // λ
  double log_determinant = 0;  // ln det(I + K/λ): twice the information gain
  double sum_of_squares = 0;   // y^T y
  double quadratic_form = 0;   // y^T (K + λI)^-1 y

  // Projected engines; K above is then the projected kernel matrix.
  double residual_sum = 0;        // Σ r_i, r_i = k(s_i,s_i) - |z_i|^2: what the anchors leave of the data
  double variance_sum = 0;        // Σ sd^2(s_i) over the data: at least the effective dimension
  double largest_prior = 0;       // max k(s_i, s_i) over the data; of every engine
  bool arrival_features = false;  // a state's features are those it had on arrival, so they are predictable
  double batch_growth = 1;  // means wait for a batch to end: variances have shrunk by at most this factor
  double draw_growth = 1;   // 1 + Σ sd^2 of the data since anchors were drawn, by the sds of then
};

// How good an approximation is: dearer to compute than evidence, so asked for separately.
struct Diagnostics {
  std::optional<double> effective_dimension;  // Σ sd^2(s_i); absent if it would take long
  std::optional<double> projection_error;     // estimate of the largest eigenvalue of K - K_projected
};

}  // namespace ridgerunner
