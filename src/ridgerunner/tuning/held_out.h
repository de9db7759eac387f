#pragma once

#include <optional>

#include "ridgerunner/tuning/tune.h"

namespace ridgerunner {

// How well a fit predicts what came after it.
struct HeldOut {
  double squared_error = 0;  // mean
  std::optional<double> r2;  // 1 - squared_error / variance, if the rewards differ
  double coverage90 = 0;     // share within ± 1.645 predicted standard deviations
};

// From a sample of the first `known` observations, that of the fit if it was made with these, at the rest.
// offset: the fit's, or estimated from the sample.
enum class Offset { of_fit, of_sample };
HeldOut predict_held_out(const Fit& fit, const MatrixIn& states, const VectorIn& rewards, Index known,
                         const TuneOptions& options, Offset offset = Offset::of_fit);

// How much better, in nats, the fit predicts all after the first `known` observations from the later half of
// these than from all of them, as by_all says. Well above 0: the early ones do not fit the world as it is.
double gain_of_forgetting(const Fit& fit, const HeldOut& by_all, const MatrixIn& states,
                          const VectorIn& rewards, Index known, const TuneOptions& options);

}  // namespace ridgerunner
