#pragma once

#include <cstdint>

#include "ridgerunner/environment/environment.h"

namespace ridgerunner {

// Observations of a function on fixed arms on the line that nobody chose: each arm is equally likely. A
// function of the problem, the seed and the round alone, so every policy is given the same data.
class UniformData {
 public:
  // Throws InvalidArgument unless the problem is one of fixed arms on the line.
  UniformData(EnvironmentPtr environment, std::uint64_t seed);

  struct Observation {
    Vector state;  // 1
    double reward = 0;
  };
  Observation at(std::uint64_t round) const;

  const Matrix& arms() const { return arms_.states; }  // 1 x n, rising
  const Vector& expected() const { return arms_.expected; }
  const Facts& facts() const { return environment_->facts(); }

 private:
  EnvironmentPtr environment_;
  std::uint64_t seed_;
  Offer arms_;
};

}  // namespace ridgerunner
