#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "ridgerunner/linalg/types.h"

// A register of numbers. What is computed lane by lane does not depend on where in a batch a number stands,
// so the same number gives the same bits anywhere; libraries that finish a batch's tail one by one do not
// promise that.
namespace ridgerunner {

#if defined(__AVX512F__)
constexpr Index kWidth = 8;  // numbers in a register
#elif defined(__AVX__)
constexpr Index kWidth = 4;
#else
constexpr Index kWidth = 2;
#endif
typedef double Lane __attribute__((vector_size(8 * kWidth)));
typedef std::int64_t IntLane __attribute__((vector_size(8 * kWidth)));

inline Lane load(const double* from) {
  Lane lane;
  std::memcpy(&lane, from, sizeof lane);
  return lane;
}

inline void store(double* to, Lane lane) {
  std::memcpy(to, &lane, sizeof lane);
}

// The first `count` numbers only, 1 <= count <= kWidth; the others are 0 or not written.
inline Lane load_some(const double* from, Index count) {
  if (count == kWidth) return load(from);
  Lane lane{};
  std::memcpy(&lane, from, sizeof(double) * static_cast<std::size_t>(count));
  return lane;
}

inline void store_some(double* to, Lane lane, Index count) {
  if (count == kWidth) return store(to, lane);
  std::memcpy(to, &lane, sizeof(double) * static_cast<std::size_t>(count));
}

inline Lane sqrt(Lane x) {
#if defined(__AVX512F__)
  return Lane(_mm512_sqrt_pd(__m512d(x)));
#elif defined(__AVX__)
  return Lane(_mm256_sqrt_pd(__m256d(x)));
#elif defined(__SSE2__)
  return Lane(_mm_sqrt_pd(__m128d(x)));
#else
  for (Index i = 0; i < kWidth; ++i) x[i] = std::sqrt(x[i]);
  return x;
#endif
}

// e^x for x <= 0, about 1 unit in the last place; below -708, where it is less than 4e-308, 0.
// x = n ln 2 + r, |r| <= ln(2)/2; e^r by the polynomial of degree 11 that interpolates it in the Chebyshev
// nodes.
inline Lane exp_of_negative(Lane x) {
  constexpr double kInverse = 1.4426950408889634074, kHigh = 6.93147180369123816490e-01,
                   kLow = 1.90821492927058770002e-10;
  constexpr double kShift =
      6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer, in the low bits
  constexpr double kCoefficients[] = {1.0,
                                      1.0,
                                      0.5000000000000019,
                                      0.1666666666666668,
                                      0.04166666666648795,
                                      0.008333333333319589,
                                      0.0013888888952352863,
                                      0.00019841269890076403,
                                      2.4801485441561313e-05,
                                      2.755724088722987e-06,
                                      2.763265472252779e-07,
                                      2.5110049204818658e-08};
  const IntLane vanishes = x < -708.0;
  x = vanishes ? Lane{} : x;
  const Lane shifted = x * kInverse + kShift;
  const Lane n = shifted - kShift;
  const Lane r = (x - n * kHigh) - n * kLow;
  Lane p = Lane{} + kCoefficients[11];
  for (int i = 10; i >= 0; --i) p = p * r + kCoefficients[i];
  const Lane value = Lane(IntLane(p) + (IntLane(shifted) << 52));
  return vanishes ? Lane{} : value;
}

// ln x for normal x > 0, about 1 unit in the last place. x = 2^n m, sqrt(1/2) <= m < sqrt(2);
// ln m = 2 atanh(s), s = (m - 1)/(m + 1), by its series.
inline Lane log(Lane x) {
  constexpr double kHigh = 6.93147180369123816490e-01, kLow = 1.90821492927058770002e-10;
  constexpr std::int64_t kSqrtHalf = 0x3FE6A09E667F3BCD;  // its bits; above them the exponent field counts n
  const IntLane n = (IntLane(x) - kSqrtHalf) >> 52;
  const Lane m = Lane(IntLane(x) - (n << 52));
  const Lane s = (m - 1.0) / (m + 1.0), s2 = s * s;
  Lane sum{};
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * s2;
  Lane exponent{};
  for (Index i = 0; i < kWidth; ++i) exponent[i] = static_cast<double>(n[i]);
  return exponent * kHigh + (2.0 * s + (2.0 * s * sum + exponent * kLow));
}

// ln(1 + x) for x >= 0: what rounding took from 1 + x is put back.
inline Lane log1p(Lane x) {
  const Lane sum = 1.0 + x;
  return log(sum) + (x - (sum - 1.0)) / sum;
}

}  // namespace ridgerunner
