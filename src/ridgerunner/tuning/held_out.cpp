#include "ridgerunner/tuning/held_out.h"

#include <cmath>

#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/tuning/evidence_objective.h"
#include "ridgerunner/tuning/sample.h"

namespace ridgerunner {

HeldOut predict_held_out(const Fit& fit, const KernelPtr& kernel, const MatrixIn& states,
                         const VectorIn& rewards, Index known, const TuneOptions& options) {
  constexpr double kNinety = 1.6448536269514722;  // the quantile of N(0, 1) at 95 %
  const std::vector<Index> sample =
      sample_observations(states.leftCols(known), rewards.head(known), options.spec.sample, options.seed);
  Matrix points(states.rows(), std::ssize(sample));
  Vector seen(std::ssize(sample));
  for (Index i = 0; i < seen.size(); ++i) {
    points.col(i) = states.col(sample[static_cast<std::size_t>(i)]);
    seen[i] = rewards[sample[static_cast<std::size_t>(i)]];
  }
  const Index n = states.cols() - known;
  const PlainModel model{kernel ? kernel : gaussian(fit.lengthscale), fit.ridge, fit.offset};
  const PlainPrediction at = predict_plainly(model, points, seen, states.rightCols(n));
  const Vector actual = rewards.tail(n);
  const Vector error = actual - at.mean;
  HeldOut out;
  out.squared_error = error.squaredNorm() / static_cast<double>(n);
  const double variance = (actual.array() - actual.mean()).square().mean();
  if (variance > 0) out.r2 = 1 - out.squared_error / variance;
  Index inside = 0;
  for (Index i = 0; i < n; ++i) {
    const double sd = fit.noise_sd * std::sqrt(1 + at.sd[i] * at.sd[i]);
    if (std::abs(error[i]) <= kNinety * sd) ++inside;
  }
  out.coverage90 = static_cast<double>(inside) / static_cast<double>(n);
  return out;
}

}  // namespace ridgerunner
