#pragma once

#include <array>
#include <cstdint>

namespace ridgerunner {

// What a stream of draws is for. Two purposes never share numbers, so adding draws to one leaves all
// others as they were. The values are part of the determinism promise: append, never renumber.
enum class Purpose : std::uint32_t {
  choice = 1,       // a policy's own randomness, one step per decision
  environment = 2,  // the draw of a problem
  context = 3,      // what an environment presents in a round
  noise = 4,        // the noise of a round's reward
  run = 5,          // seeds of the runs of a sweep
  test = 6,
  dictionary = 7,  // which states become anchors, one step per observation
  tuning = 8,      // which observations a fit looks at, one step per observation
};

// Philox 4x32 with 10 rounds (Salmon et al., 2011): a bijection of the counter for every key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// A sequence whose n-th draw is a function of (seed, purpose, step, n) alone: no hidden state, no order
// of calls, no schedule. The numbers are the same with every compiler and on every machine.
class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t step = 0);

  std::uint64_t bits();                     // 64 fair bits
  double uniform();                         // [0, 1), 53 bits
  double uniform(double low, double high);  // [low, high)
  double normal();                          // N(0, 1), by inversion: one draw each
  std::int64_t index(std::int64_t size);    // 0 .. size-1, unbiased

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::uint64_t spare_ = 0;
  bool has_spare_ = false;
};

// Seed of the `run`-th run of a sweep: 63 bits, since not every file format has 64-bit integers without a
// sign.
std::uint64_t run_seed(std::uint64_t seed, std::uint64_t run);

// Quantile function of N(0, 1) for 0 < p < 1: Wichura's AS 241 (PPND16), about 16 digits.
double normal_quantile(double p);

// Natural logarithm by basic arithmetic only, so that no C library has a say; about 1 unit in the last place.
double portable_log(double x);

}  // namespace ridgerunner
