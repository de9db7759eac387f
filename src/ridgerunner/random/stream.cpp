#include "ridgerunner/random/stream.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ridgerunner/error.h"

namespace ridgerunner {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

Stream::Stream(std::uint64_t seed, Purpose purpose, std::uint64_t step)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(step),
               static_cast<std::uint32_t>(step >> 32)} {}

std::uint64_t Stream::bits() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const auto block = philox(counter_, key_);
  ++counter_[0];
  spare_ = (std::uint64_t{block[3]} << 32) | block[2];
  has_spare_ = true;
  return (std::uint64_t{block[1]} << 32) | block[0];
}

double Stream::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double Stream::uniform(double low, double high) {
  // Rounding may reach the end of a narrow interval.
  return std::min(low + (high - low) * uniform(), std::nextafter(high, low));
}

double Stream::normal() {
  // The middle of one of 2^52 equal cells: never 0 or 1.
  return normal_quantile((static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52);
}

std::int64_t Stream::index(std::int64_t size) {
  if (size < 1) throw InvalidArgument("size must be >= 1, got " + std::to_string(size));
  // The last, incomplete run of `size` values is rejected.
  const auto n = static_cast<std::uint64_t>(size);
  const std::uint64_t incomplete = (0 - n) % n;  // 2^64 mod n
  while (true) {
    const std::uint64_t draw = bits();
    if (draw >= incomplete) return static_cast<std::int64_t>(draw % n);
  }
}

std::uint64_t run_seed(std::uint64_t seed, std::uint64_t run) {
  return Stream(seed, Purpose::run, run).bits() >> 1;
}

double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  // log m = 2 atanh(s), |s| < 0.1716: the series in s^2 ends below 1e-17 after 11 terms.
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * s2;
  const double high = 0.693147180369123816490, low = 1.90821492927058770002e-10;  // ln 2 in two parts
  return exponent * high + (2 * s + (2 * s * sum + exponent * low));
}

namespace {

double ratio(double r, const double (&p)[8], const double (&q)[8]) {
  double numerator = p[7], denominator = q[7];
  for (int i = 6; i >= 0; --i) {
    numerator = numerator * r + p[i];
    denominator = denominator * r + q[i];
  }
  return numerator / denominator;
}

}  // namespace

double normal_quantile(double p) {
  static constexpr double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                  1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                  3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double b[8] = {1.0,
                                  4.2313330701600911252e1,
                                  6.8718700749205790830e2,
                                  5.3941960214247511077e3,
                                  2.1213794301586595867e4,
                                  3.9307895800092710610e4,
                                  2.8729085735721942674e4,
                                  5.2264952788528545610e3};
  static constexpr double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                  5.76949722146069140550e0,  3.64784832476320460504e0,
                                  1.27045825245236838258e0,  2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[8] = {1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  static constexpr double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[8] = {1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) return q * ratio(0.180625 - q * q, a, b);
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? ratio(r - 1.6, c, d) : ratio(r - 5, e, f);
  return q < 0 ? -x : x;
}

}  // namespace ridgerunner
