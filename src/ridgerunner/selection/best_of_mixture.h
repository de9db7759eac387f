#pragma once

#include "ridgerunner/regression/mixture.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

// Mixtures on a model that knows of other ridges, by its factors at some (FactoredModel) or in its own way
// (AnyRidge). Each throws InvalidArgument for models that do not.
//
// Choosing eliminates at one ridge, which bounds every candidate from above, so that few need to be looked at
// more closely. Its cost is how often a factor streams through memory: several candidates share a pass, and
// the winner's solves are kept for the observation that follows. A band costs some ten solves a state.

// with_band: the band of the best one is wanted as well.
MixturePick best_of_mixture(const Regression& model, const MatrixIn& states, const Mixture& mixture,
                            bool with_band, Workspace& workspace);
Band mixture_band(const Regression& model, const MatrixIn& states, const Mixture& mixture,
                  Workspace& workspace);

// The least T(a) at the ridges that the model keeps: below 0, the confidence set is empty. Nothing for models
// that know of no other ridges.
std::optional<double> least_slack(const Regression& model, const Mixture& mixture);

// On the event of the mixture, |f*| >= max_a sqrt(q(a) - R_t^2/a), over the ridges that the model keeps: the
// norm of the smoothest function that the data allow. No bound on the norm goes into it, so it tells that one
// is too small before the confidence set is empty, which it is just when norm_bound is below this. None if
// the model cannot tell; 0 if the data allow the function 0.
std::optional<double> norm_at_least(const Regression& model, const Mixture& mixture);

}  // namespace ridgerunner
