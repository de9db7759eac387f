#pragma once

#include <array>
#include <cmath>

#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/regression.h"

namespace ridgerunner::golden {

// The cases of golden.py, beside this file: it computes the radii in decimal arithmetic.
struct Case {
  double delta, norm_bound, noise_bound;
  Evidence evidence;
};

inline Case make_case(std::array<double, 3> inputs, Index rounds, std::array<double, 6> numbers) {
  Case result{inputs[0], inputs[1], inputs[2], {}};
  Evidence& evidence = result.evidence;
  evidence.rounds = rounds;
  evidence.anchors = rounds;
  evidence.ridge = numbers[0];
  evidence.log_determinant = numbers[1];
  evidence.residual_sum = numbers[2];
  evidence.variance_sum = numbers[3];
  evidence.largest_prior = numbers[4];
  evidence.batch_growth = numbers[5];
  return result;
}

inline std::array<Case, 4> cases() {
  return {make_case({0.01, 10, 0.1}, 1000, {1, 57.25, 0.75, 23.5, 1, 1}),
          make_case({0.3, 0.5, 2}, 7, {0.001, 31, 0.0625, 6.5, 2, 1}),
          make_case({1e-12, 3, 0.01}, 20000, {100, 12.5, 300, 9.125, 0.5, 10}),
          make_case({0.1, 1, 1}, 3, {0.01, 4, 0, 2.5, 0.25, 3})};
}

// A case of any plausible size.
inline Case random_case(std::uint64_t seed) {
  Stream stream(seed, Purpose::test);
  Case result{stream.uniform(1e-6, 0.9), stream.uniform(0.01, 20), stream.uniform(0.01, 3), {}};
  Evidence& evidence = result.evidence;
  evidence.rounds = 1 + stream.index(10000);
  evidence.anchors = evidence.rounds;
  evidence.ridge = std::exp(stream.uniform(-10, 5));
  evidence.log_determinant = stream.uniform(0, 500);
  evidence.residual_sum = stream.uniform(0, 10);
  evidence.variance_sum = stream.uniform(0.01, 100);
  evidence.largest_prior = stream.uniform(0.01, 4);
  evidence.batch_growth = stream.uniform(1, 10);
  return result;
}

}  // namespace ridgerunner::golden
