#include "ridgerunner/environment/gp_draw.h"

#include <cmath>
#include <utility>

#include "ridgerunner/environment/fixed_arms.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {

Matrix pivoted_cholesky(const MatrixIn& gram, double tolerance) {
  const Index n = gram.rows();
  Vector left = gram.diagonal();  // variance not yet explained
  const double least = tolerance * left.maxCoeff();
  Matrix factor(n, n);
  Index rank = 0;
  for (; rank < n; ++rank) {
    const double largest = left.maxCoeff();
    if (!(largest > least)) break;
    Index pivot = 0;
    while (left[pivot] < (1 - 1e-6) * largest) ++pivot;
    factor.col(rank) = gram.col(pivot);
    factor.col(rank).noalias() -= factor.leftCols(rank) * factor.row(pivot).head(rank).transpose();
    factor.col(rank) /= std::sqrt(left[pivot]);
    left -= factor.col(rank).cwiseAbs2();
    left[pivot] = 0;
  }
  return factor.leftCols(rank);
}

EnvironmentPtr gp_draw(const EnvironmentSpec& spec, std::uint64_t seed) {
  Facts facts;
  facts.dimension = 1;
  facts.kernel = spec.kernel;
  facts.noise_sd = spec.noise_sd;

  Offer arms{unit_grid(spec.candidates), Vector(spec.candidates)};
  const Matrix factor = pivoted_cholesky(gram(*make_kernel(spec.kernel), arms.states, arms.states), 1e-12);
  Vector z(factor.cols());
  Stream stream(seed, Purpose::environment, 0);
  for (double& entry : z) entry = stream.normal();
  arms.expected.noalias() = factor * z;
  return std::make_shared<FixedArms>(std::move(facts), std::move(arms), seed);
}

}  // namespace ridgerunner
