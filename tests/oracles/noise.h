#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "oracles/dense.h"

namespace ridgerunner::oracle {

// Corollary 1 of Durand et al. 2018, corrected, round by round in long double from the raw data.
class DenseNoise {
 public:
  struct Start {
    double delta, norm_bound, noise_lower, noise_upper;
  };

  DenseNoise(const Kernel& kernel, const Start& start)
      : kernel_(kernel),
        c_(start.norm_bound),
        log_level_(std::log(4.0L / start.delta)),
        lower_(start.noise_lower),
        upper_(start.noise_upper) {}

  // All data so far, the last of which is new.
  void observe(const MatrixIn& states, const VectorIn& rewards) {
    states_ = states;
    rewards_ = rewards;
    const long double ridge = this->ridge(), t = static_cast<long double>(rewards.size());
    const LongMatrix k = gram(kernel_, states, states).cast<long double>();
    if (rewards.size() >= 2) {
      const LongVector solved = raised(k, ridge).solve(rewards.cast<long double>());
      const long double estimate = ridge * solved.norm() / std::sqrt(t), count = count_term(t);
      const long double slack = std::sqrt(2 * count / t);
      const long double known = estimate - upper_ * slack - c_ * std::sqrt(ridge / (2 * t));
      const long double agnostic =
          std::sqrt(std::max(0.0L, estimate * estimate - ridge * c_ * c_ / (2 * t))) / (1 + slack);
      lower_ = std::max({lower_, known, agnostic});
      set_gain(k);
      const long double shrinkage = std::sqrt(count / t) + std::sqrt((count + 2 * gain_) / t);
      const long double root = std::sqrt(ridge * gain_);
      const long double e = c_ * root / (2 * t), a = 1 - shrinkage;
      const long double first = estimate + upper_ * shrinkage + std::sqrt(2 * upper_ * c_ * root / t);
      const long double second = a > 0 ? std::pow(std::sqrt(estimate * a + e) + std::sqrt(e), 2.0L) / (a * a)
                                       : std::numeric_limits<long double>::infinity();
      upper_ = std::min({upper_, first, second});
    } else {
      set_gain(k);
    }
  }

  long double lower() const { return lower_; }
  long double upper() const { return upper_; }
  long double ridge() const { return upper_ * upper_ / (c_ * c_); }
  long double radius() const {
    const long double gain = rewards_.size() > 0 ? gain_ : 2 * log_level_;
    return std::sqrt(ridge()) * c_ + upper_ * std::sqrt(gain);
  }
  DenseRegression model() const { return {kernel_, states_, rewards_, static_cast<double>(ridge())}; }

 private:
  static Eigen::LLT<LongMatrix> raised(LongMatrix k, long double ridge) {
    k.diagonal().array() += ridge;
    return k.llt();
  }

  long double count_term(long double t) const {
    const long double inner = std::numbers::pi_v<long double> * std::log(t);
    return (1 + log_level_) * (1 + std::max(0.0L, std::log(inner * inner / 6) / log_level_));
  }

  // D at l_- = (lower/C)^2.
  void set_gain(const LongMatrix& k) {
    const long double ridge = lower_ * lower_ / (c_ * c_);
    const LongMatrix factor = raised(k, ridge).matrixL();
    gain_ = 2 * log_level_;
    for (Index i = 0; i < k.rows(); ++i) gain_ += 2 * std::log(factor(i, i)) - std::log(ridge);
  }

  const Kernel& kernel_;
  long double c_, log_level_, lower_, upper_, gain_ = 0;
  Matrix states_;
  Vector rewards_;
};

}  // namespace ridgerunner::oracle
