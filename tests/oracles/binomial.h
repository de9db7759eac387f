#pragma once

#include <cmath>

namespace ridgerunner::oracle {

// The least k with P(Binomial(n, p) > k) <= doubt: more successes than that refute a probability of at most
// p.
inline int most_successes(int n, double p, double doubt) {
  double tail = 1;
  for (int k = 0; k <= n; ++k) {
    const double log_mass = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                            k * std::log(p) + (n - k) * std::log1p(-p);
    tail -= std::exp(log_mass);
    if (tail <= doubt) return k;
  }
  return n;
}

}  // namespace ridgerunner::oracle
