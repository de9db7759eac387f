#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgerunner/kernel/kernel.h"

namespace ridgerunner {

enum class KernelType {
  gaussian,
  matern12,
  matern32,
  matern52,
  linear,
  polynomial,
  rational_quadratic,
  sum,
  product,
  precomputed,
};

// A kernel as a plain value: what a user writes, a file stores and an environment knows about itself.
struct KernelSpec {
  KernelType type = KernelType::gaussian;
  std::vector<double> lengthscale = {0.5};  // stationary ones: one, or one per dimension
  double variance = 1;                      // factor of all but sum, product and precomputed
  std::optional<double> offset;             // linear (default 0), polynomial (default 1)
  int degree = 2;                           // polynomial
  double shape = 1;                         // rational_quadratic
  std::vector<KernelSpec> parts;            // sum, product
  Index context_dim = 0;                    // product over blocks: > 0, and parts = {context, action}
  Matrix gram;                              // precomputed

  double offset_or_default() const { return offset.value_or(type == KernelType::polynomial ? 1 : 0); }
  bool operator==(const KernelSpec& other) const;
};

const char* name(KernelType type);

// Throws InvalidArgument, naming the parameter, if the spec makes no sense.
KernelPtr make_kernel(const KernelSpec& spec);

}  // namespace ridgerunner
