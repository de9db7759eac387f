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

}  // namespace ridgerunner
