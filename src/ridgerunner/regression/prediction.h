#pragma once

#include <cstdint>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Predictions at n states. With ridge λ, V = λI + Σ φφ^T:
//   mean(s) = k_S(s)^T (K + λI)^-1 y,
//   sd(s)^2 = φ(s)^T V^-1 φ(s) = (k(s,s) - k_S(s)^T (K + λI)^-1 k_S(s))/λ.
// This sd, divided by λ inside the root, is the only one in the library: every bound multiplies it.
struct Prediction {
  Vector mean;
  Vector sd;
  Vector prior;       // k(s, s)
  Index clamped = 0;  // variances that rounding had made negative, set to 0
};

// Where the expected reward lies, at n states and at one.
struct Band {
  Vector lower;
  Vector upper;
};
struct Interval {
  double lower = 0;
  double upper = 0;
};

// The candidate with the largest mean + radius sd; ties go to the lowest index.
struct BestUpper {
  Index index = 0;
  double mean = 0;
  double sd = 0;
  Index clamped = 0;
  Index ties = 1;                  // how many have this upper bound, to the bit
  std::int64_t multiply_adds = 0;  // spent in triangular solves

  // Whether the workspace holds what was solved for it, for ReusesSolves: Workspace::solved.
  bool solved = false;
};

// One number at a time and in one way everywhere, so that all paths agree to the bit.
double scaled_sd(double prior, double explained,
                 double ridge);  // sqrt((prior - explained)/ridge), 0 if negative
inline double upper_value(double mean, double radius, double sd) {
  return mean + radius * sd;
}

// Whether prior - explained is not negative. Negative beyond rounding throws NumericalError.
bool check_variance(double prior, double explained);

// Both for many; gives back how many variances were negative within rounding.
Index scaled_sd(const VectorIn& prior, const VectorIn& explained, double ridge, Vector& sd);

// Argmax of mean + radius sd over a prediction: the textbook way, and the oracle of the faster ones.
BestUpper best_of(const Prediction& prediction, double radius);

}  // namespace ridgerunner
