#pragma once

#include <functional>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// A mixture's bound at one state as a function of the ridge alone, in coordinates where the data's matrix is
// diagonal. Two forms of the same thing, with T(a) and its names as in mixture.h; `eigenvalues` are s.
//
// By kernel values (k = Σ c_i..., K ~ diag(s)): r(a) = Σ c^2/(s + a), q(a) = Σ d^2/(s + a),
//   mean = Σ c d/(s + a),  sd^2 = (prior - r(a))/a,  T = offset + a B^2 - a q(a).
// By features (A ~ diag(s), moments d): mean = Σ c d/(s + a),  sd^2 = residual/a + Σ c^2/(s + a),
//   T = offset + a B^2 + Σ d^2/(s + a).
struct MixtureLine {
  enum class Form { kernel, features };
  Form form = Form::kernel;
  Vector eigenvalues, state, data;  // s, c, d
  double rest = 0;                  // prior, or residual
  double offset = 0;
  double norm_bound = 0;  // B
  double limit = 0;       // B sqrt(k(s,s)): the bound as a grows without end
  double least = 0;       // ridges below are not tried: differences are not known well enough there

  struct Value {
    double ridge = 0;  // infinite for the limit
    double bound = 0;
  };
  double slack(double ridge) const;                    // T
  double upper(double ridge, double sign) const;       // of sign f: sign = -1 gives minus the lower bound
  Value least_upper(double guess, double sign) const;  // over all ridges
};

// The least value of a bound that falls, then rises, as the ridge grows from `least`; `limit` is where it
// ends.
MixtureLine::Value least_over_ridges(const std::function<double(double)>& bound, double guess, double least,
                                     double limit);

}  // namespace ridgerunner
