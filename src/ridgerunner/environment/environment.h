#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ridgerunner/kernel/kernel_spec.h"
#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// What one round offers.
struct Offer {
  Matrix states;    // d x n: the candidates, context and action joined
  Vector expected;  // n: their expected rewards
};

// What a modeller would know about a problem; policies under comparison start from it.
struct Facts {
  Index dimension = 0;
  KernelSpec kernel;
  double noise_sd = 0;            // of the Gaussian noise
  std::optional<double> norm;     // |f| in the kernel's space, where f is in it and the norm is known
  std::optional<double> ceiling;  // the best reward the authors count as attainable, where they do
  bool fixed_arms = false;        // the same candidates every round
};

// A problem: an immutable function of its own seed and of the round, so that every policy faces the same
// rounds with the same noise, in whatever order and on whatever thread it is asked.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual const Facts& facts() const = 0;
  virtual void offer(std::uint64_t round, Offer& out) const = 0;  // reuses the storage of `out`
  virtual double noise(std::uint64_t round) const = 0;  // added to the chosen candidate's expected reward
};

using EnvironmentPtr = std::shared_ptr<const Environment>;

}  // namespace ridgerunner
