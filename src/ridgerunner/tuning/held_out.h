#pragma once

#include <optional>

#include "ridgerunner/tuning/tune.h"

namespace ridgerunner {

// How well a fit predicts what came after it.
struct HeldOut {
  double squared_error = 0;  // mean
  std::optional<double> r2;  // 1 - squared_error / variance, if the rewards differ
  double coverage90 = 0;     // share within ± 1.645 predicted standard deviations
};

// From the sample of the first `known` observations that the fit was made with, at the rest.
// kernel: given by the user, or null.
HeldOut predict_held_out(const Fit& fit, const KernelPtr& kernel, const MatrixIn& states,
                         const VectorIn& rewards, Index known, const TuneOptions& options);

}  // namespace ridgerunner
