#pragma once

#include "ridgerunner/codec/range.h"
#include "ridgerunner/regression/dictionary/dictionary.h"

namespace ridgerunner {

// A state becomes an anchor when the others leave more than r > (tolerance/norm_bound)^2 / horizon of it.
// Then Σ r_i <= (tolerance/norm_bound)^2 over the horizon, and the anchors miss f at the data by at most
// norm_bound sqrt(Σ r_i) <= tolerance in all. When the horizon has passed it counts as twice as long, again
// and again; each time adds half as much to the sum. No chance is involved. Smooth kernels compress well;
// rough ones (Matérn 3/2 and below, or short length-scales in many dimensions) keep nearly every state.
namespace dictionaries {
struct ResidualBudget {  // norm_bound and horizon are the spec's
  static constexpr const char* kName = "residual_budget";
  double tolerance = 0.05;

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("tolerance", &ResidualBudget::tolerance, positive(),
          "residual_budget: what the anchors may miss of the reward");
  }
};
}  // namespace dictionaries

struct ResidualBudget {
  double tolerance = 0.05;
  double norm_bound = 10;
  double horizon = 1000;
};

std::unique_ptr<Dictionary> residual_budget(const ResidualBudget& parameters);

}  // namespace ridgerunner
