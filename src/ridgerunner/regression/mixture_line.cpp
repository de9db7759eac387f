#include "ridgerunner/regression/mixture_line.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/mixture.h"

namespace ridgerunner {
namespace {

constexpr double kStep = 0.7;           // of ln a, while looking for the valley
constexpr double kDown = 18, kUp = 40;  // of ln a, from the guess, at most
constexpr double kPrecision = 1e-7;     // of ln a; the bound's error is its square
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSameAsLimit = 1e-13;
constexpr double kRounding = 4e-15;  // of the prior: what a difference from it cannot resolve

// The minimum of a function that falls, then rises, between a and b, with f(x) the least known, x between:
// parabolas through the three best points, golden sections where they do not help (Brent 1973, chapter 5).
template <class F>
std::pair<double, double> bottom(const F& f, double a, double x, double b, double fx) {
  constexpr double kGolden = 0.381966011250105;
  double w = x, v = x, fw = fx, fv = fx, d = 0, e = 0;
  for (int i = 0; i < 100; ++i) {
    const double middle = (a + b) / 2;
    if (std::abs(x - middle) <= 2 * kPrecision - (b - a) / 2) break;
    bool parabolic = false;
    if (std::abs(e) > kPrecision) {
      const double r = (x - w) * (fx - fv), q0 = (x - v) * (fx - fw);
      double p = (x - v) * q0 - (x - w) * r, q = 2 * (q0 - r);
      if (q > 0) p = -p;
      q = std::abs(q);
      if (std::abs(p) < std::abs(q * e / 2) && p > q * (a - x) && p < q * (b - x)) {
        e = d;
        d = p / q;
        const double u = x + d;
        if (u - a < 2 * kPrecision || b - u < 2 * kPrecision) d = std::copysign(kPrecision, middle - x);
        parabolic = true;
      }
    }
    if (!parabolic) {
      e = x < middle ? b - x : a - x;
      d = kGolden * e;
    }
    const double u = x + (std::abs(d) >= kPrecision ? d : std::copysign(kPrecision, d));
    const double fu = f(u);
    if (fu <= fx) {
      (u < x ? b : a) = x;
      v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
    } else {
      (u < x ? a : b) = u;
      if (fu <= fw || w == x) {
        v = w, fv = fw, w = u, fw = fu;
      } else if (fu <= fv || v == x || v == w) {
        v = u, fv = fu;
      }
    }
  }
  return {x, fx};
}

}  // namespace

bool is_usable(const Mixture& mixture) {
  return std::isfinite(mixture.radius_squared) && std::isfinite(mixture.norm_bound * mixture.norm_bound);
}

void require_usable(const Mixture& mixture) {
  if (is_usable(mixture)) return;
  throw NumericalError(fmt::format("a mixture's R_t^2 is {} and its B {}: too large to compute with",
                                   mixture.radius_squared, mixture.norm_bound));
}

double MixtureLine::slack(double ridge) const {
  const double sum = (data.array().square() / (eigenvalues.array() + ridge)).sum();
  return offset + ridge * norm_bound * norm_bound + (form == Form::kernel ? -ridge * sum : sum);
}

double MixtureLine::upper(double ridge, double sign) const {
  double mean = 0, spread = 0, moment = 0;
  for (Index i = 0; i < eigenvalues.size(); ++i) {
    const double inverse = 1 / (eigenvalues[i] + ridge);
    mean += state[i] * data[i] * inverse;
    spread += state[i] * state[i] * inverse;
    moment += data[i] * data[i] * inverse;
  }
  const bool kernel = form == Form::kernel;
  // Rounding must not pass for certainty: at small ridges it would.
  const double variance =
      kernel ? (std::max(rest - spread, 0.0) + kRounding * rest) / ridge : rest / ridge + spread;
  const double square = offset + ridge * norm_bound * norm_bound + (kernel ? -ridge * moment : moment);
  return sign * mean + std::sqrt(std::max(square, 0.0) * variance);
}

MixtureLine::Value MixtureLine::least_upper(double guess, double sign) const {
  return least_over_ridges([&](double ridge) { return upper(ridge, sign); }, guess, least, limit);
}

MixtureLine::Value least_over_ridges(const std::function<double(double)>& bound, double guess, double least,
                                     double limit) {
  const auto f = [&](double x) { return bound(std::exp(x)); };
  const double start = std::log(guess), highest = start + kUp;
  const double lowest = std::min(start, std::max(start - kDown, least > 0 ? std::log(least) : -kInfinity));
  double a = start, fa = f(a), b = start + kStep, fb = f(b);
  double direction = 1;
  if (fa < fb) {
    std::swap(a, b);
    std::swap(fa, fb);
    direction = -1;
  }
  double step = kStep;
  for (;;) {  // from a down to b, and on until it rises
    step *= 1.6;
    const double c = std::clamp(b + direction * step, lowest, highest), fc = f(c);
    if (!(fc < fb)) {
      const auto [x, fx] = bottom(f, std::min(a, c), b, std::max(a, c), fb);
      b = x, fb = fx;
      break;
    }
    a = b, b = c, fb = fc;
    if (b == highest || b == lowest) break;
  }
  if (fb > limit - kSameAsLimit * std::abs(limit)) return {kInfinity, limit};
  return {std::exp(b), fb};
}

}  // namespace ridgerunner
