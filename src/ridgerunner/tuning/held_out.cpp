#include "ridgerunner/tuning/held_out.h"

#include <cmath>

#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/tuning/evidence_objective.h"
#include "ridgerunner/tuning/sample.h"

namespace ridgerunner {

HeldOut predict_held_out(const Fit& fit, const MatrixIn& states, const VectorIn& rewards, Index known,
                         const TuneOptions& options, Offset offset) {
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
  const PlainModel model{options.kernel ? options.kernel : gaussian(fit.lengthscale), fit.ridge,
                         offset == Offset::of_fit ? std::optional(fit.offset) : std::nullopt};
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

double gain_of_forgetting(const Fit& fit, const HeldOut& by_all, const MatrixIn& states,
                          const VectorIn& rewards, Index known, const TuneOptions& options) {
  constexpr Index kLeastKept = 3;
  const Index half = known / 2, n = states.cols();
  if (known - half < kLeastKept || known >= n) return 0;
  const HeldOut by_recent = predict_held_out(fit, states.rightCols(n - half), rewards.tail(n - half),
                                             known - half, options, Offset::of_sample);
  if (!(by_recent.squared_error > 0)) return 0;
  return static_cast<double>(n - known) / 2 * std::log(by_all.squared_error / by_recent.squared_error);
}

}  // namespace ridgerunner
