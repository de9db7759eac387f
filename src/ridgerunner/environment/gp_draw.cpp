#include "ridgerunner/environment/gp_draw.h"

#include <utility>

#include "ridgerunner/environment/fixed_arms.h"
#include "ridgerunner/linalg/pivoted_cholesky.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {

EnvironmentPtr gp_draw(const EnvironmentSpec& spec, std::uint64_t seed) {
  Facts facts;
  facts.dimension = 1;
  facts.kernel = spec.kernel;
  facts.noise_sd = spec.noise_sd;

  Offer arms{unit_grid(spec.candidates), Vector(spec.candidates)};
  const Matrix factor =
      pivoted_cholesky(gram(*make_kernel(spec.kernel), arms.states, arms.states), 1e-12).factor;
  Vector z(factor.cols());
  Stream stream(seed, Purpose::environment, 0);
  for (double& entry : z) entry = stream.normal();
  arms.expected.noalias() = factor * z;
  return std::make_shared<FixedArms>(std::move(facts), std::move(arms), seed);
}

}  // namespace ridgerunner
