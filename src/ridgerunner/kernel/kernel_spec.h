#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgerunner/codec/fields.h"
#include "ridgerunner/codec/range.h"
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

const char* name(KernelType type);
const Names<KernelType>& names_of(KernelType);
bool is_stationary(KernelType type);
bool is_combined(KernelType type);  // of parts: sum, product

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

  // But for type, parts and gram.
  template <class Visit>
  static void fields(Visit&& visit) {
    using Self = KernelSpec;
    visit("lengthscale", &Self::lengthscale, positive().described("> 0; one number, or one per dimension"),
          "stationary kernels: the scale of distances", [](const Self& s) { return is_stationary(s.type); });
    visit("variance", &Self::variance, positive(), "factor of the kernel; k(s, s) of the stationary ones",
          [](const Self& s) { return !is_combined(s.type) && s.type != KernelType::precomputed; });
    visit("offset", &Self::offset, at_least(0),
          "linear: variance (x.y + offset); polynomial (default 1): variance (x.y + offset)^degree",
          [](const Self& s) { return s.type == KernelType::linear || s.type == KernelType::polynomial; });
    visit("degree", &Self::degree, integer_from(1, 100), "polynomial",
          [](const Self& s) { return s.type == KernelType::polynomial; });
    visit("shape", &Self::shape, positive(), "rational_quadratic: (1 + r^2/(2 shape))^-shape",
          [](const Self& s) { return s.type == KernelType::rational_quadratic; });
  }
};

// Throws InvalidArgument, naming the parameter, if the spec makes no sense.
KernelPtr make_kernel(const KernelSpec& spec);

}  // namespace ridgerunner
