#pragma once

#include <optional>
#include <vector>

#include "ridgerunner/regression/prediction.h"
#include "ridgerunner/regression/workspace.h"

namespace ridgerunner {

// The best of many bounds, one for each ridge a: with T(a) = radius_squared + a B^2 - a q(a) and
// q(a) = y^T (K + aI)^-1 y,
//   upper(s) = min_a mean_a(s) + sqrt(T(a)) sd_a(s),   lower(s) = max_a mean_a(s) - sqrt(T(a)) sd_a(s),
// each at its own a. As a grows without end the bounds become ± B sqrt(k(s,s)). T(a) < 0 for some a means
// that no function meets the assumptions; it counts as 0.
struct Mixture {
  double radius_squared = 0;  // R_t^2
  double norm_bound = 0;      // B
  std::vector<double> grid;   // the ridges to try; empty: all
};

// Whether R_t^2 and B^2 are finite numbers; the other throws NumericalError if they are not.
bool is_usable(const Mixture& mixture);
void require_usable(const Mixture& mixture);

// The candidate with the largest upper bound; ties go to the lowest index.
struct MixturePick {
  BestUpper best;              // with mean and sd at the model's own ridge
  std::optional<Interval> at;  // its band, where it is known or was asked for
};

// What a model can say at ridges other than its own: a capability (capabilities.h).
class AnyRidge {
 public:
  virtual ~AnyRidge() = default;
  virtual bool at_any_ridge() const { return true; }
  virtual Band band(const MatrixIn& states, const Mixture& mixture, Workspace& workspace) const = 0;

  // with_band: the band of the best one is wanted as well.
  virtual MixturePick best(const MatrixIn& states, const Mixture& mixture, bool with_band,
                           Workspace& workspace) const = 0;

  // The least T(a) at the ridges that the model keeps: below 0, the confidence set is empty.
  virtual double least_slack(const Mixture& mixture) const = 0;
};

inline bool is_offered(const AnyRidge& ridges) {
  return ridges.at_any_ridge();
}

}  // namespace ridgerunner
