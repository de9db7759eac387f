#include "ridgerunner/environment/taylor_function.h"

#include <cmath>
#include <utility>

#include "ridgerunner/environment/fixed_arms.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {

Matrix taylor_features(const MatrixIn& x, double rho, Index features) {
  // In logarithms: for x >> rho the first factor underflows long before the product does.
  Matrix phi(features, x.cols());
  for (Index j = 0; j < x.cols(); ++j) {
    const double u = x(0, j) / rho;
    const double log_u = std::log(u);  // -inf at 0, where all features but the first vanish
    double log_phi = -0.5 * u * u;
    for (Index i = 0; i < features; ++i) {
      if (i > 0) log_phi += log_u - 0.5 * std::log(static_cast<double>(i));
      phi(i, j) = std::exp(log_phi);
    }
  }
  return phi;
}

EnvironmentPtr taylor_function(const EnvironmentSpec& spec, std::uint64_t seed) {
  Facts facts;
  facts.dimension = 1;
  facts.kernel = spec.kernel;
  facts.noise_sd = spec.noise_sd;
  facts.norm = spec.norm;

  Vector theta(spec.features);
  Stream stream(seed, Purpose::environment, 0);
  for (double& entry : theta) entry = stream.normal();
  theta *= spec.norm / theta.norm();

  Offer arms{unit_grid(spec.candidates), Vector(spec.candidates)};
  const Matrix phi = taylor_features(arms.states, spec.kernel.lengthscale[0], spec.features);
  arms.expected.noalias() = std::sqrt(spec.kernel.variance) * phi.transpose() * theta;
  return std::make_shared<FixedArms>(std::move(facts), std::move(arms), seed);
}

}  // namespace ridgerunner
