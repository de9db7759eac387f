#include "ridgerunner/environment/rkhs_sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/environment/fixed_arms.h"
#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {
namespace {

void fill_uniform(Stream stream, Matrix& points) {
  for (Index j = 0; j < points.cols(); ++j) {
    for (double& entry : points.col(j)) entry = stream.uniform();
  }
}

class FreshCandidates final : public SeededEnvironment {
 public:
  FreshCandidates(Facts facts, RkhsFunction function, Index candidates, std::uint64_t seed)
      : SeededEnvironment(std::move(facts), seed), function_(std::move(function)), candidates_(candidates) {}

  void offer(std::uint64_t round, Offer& out) const override {
    out.states.resize(facts().dimension, candidates_);
    out.expected.resize(candidates_);
    fill_uniform(Stream(seed(), Purpose::context, round), out.states);
    function_.evaluate(out.states, out.expected);
  }

 private:
  RkhsFunction function_;
  Index candidates_;
};

}  // namespace

void RkhsFunction::evaluate(const MatrixIn& x, VectorOut out) const {
  constexpr Index rows = 128, cols = 16;  // a tile of the Gram matrix, on the stack
  std::array<double, rows * cols> storage;
  out.setZero();
  for (Index j = 0; j < x.cols(); j += rows) {
    const Index n = std::min(rows, x.cols() - j);
    for (Index i = 0; i < points.cols(); i += cols) {
      const Index m = std::min(cols, points.cols() - i);
      Eigen::Map<Matrix> tile(storage.data(), n, m);
      kernel->gram(x.middleCols(j, n), points.middleCols(i, m), tile);
      out.segment(j, n).noalias() += tile * weights.segment(i, m);
    }
  }
}

double RkhsFunction::norm() const {
  Vector values(points.cols());
  evaluate(points, values);
  return std::sqrt(weights.dot(values));
}

RkhsFunction draw_rkhs_function(KernelPtr kernel, Index dimension, Index inducing, double norm,
                                std::uint64_t seed) {
  RkhsFunction f{std::move(kernel), Matrix(dimension, inducing), Vector(inducing)};
  fill_uniform(Stream(seed, Purpose::environment, 0), f.points);
  Stream stream(seed, Purpose::environment, 1);
  for (double& weight : f.weights) weight = stream.normal();
  const double drawn = f.norm();
  if (!(drawn > 0) || !std::isfinite(drawn)) {
    throw NumericalError("the norm of the drawn function must be > 0, got " + shortest(drawn));
  }
  f.weights *= norm / drawn;
  return f;
}

EnvironmentPtr rkhs_sample(const EnvironmentSpec& spec, std::uint64_t seed) {
  Facts facts;
  facts.dimension = spec.dimension;
  facts.kernel = spec.kernel;
  facts.noise_sd = spec.noise_sd;
  facts.norm = spec.norm;
  RkhsFunction f =
      draw_rkhs_function(make_kernel(spec.kernel), spec.dimension, spec.inducing, spec.norm, seed);
  if (!spec.fixed_arms) {
    return std::make_shared<FreshCandidates>(std::move(facts), std::move(f), spec.candidates, seed);
  }
  Offer arms{Matrix(spec.dimension, spec.candidates), Vector(spec.candidates)};
  fill_uniform(Stream(seed, Purpose::environment, 2), arms.states);
  f.evaluate(arms.states, arms.expected);
  return std::make_shared<FixedArms>(std::move(facts), std::move(arms), seed);
}

}  // namespace ridgerunner
