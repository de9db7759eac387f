#include "ridgerunner/kernel/kernel_spec.h"

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"

namespace ridgerunner {

bool KernelSpec::operator==(const KernelSpec& other) const {
  return type == other.type && lengthscale == other.lengthscale && variance == other.variance &&
         offset_or_default() == other.offset_or_default() && degree == other.degree && shape == other.shape &&
         parts == other.parts && context_dim == other.context_dim && gram.rows() == other.gram.rows() &&
         gram.cols() == other.gram.cols() && gram == other.gram;
}

const Names<KernelType>& names_of(KernelType) {
  static const Names<KernelType> names = {{KernelType::gaussian, "gaussian"},
                                          {KernelType::matern12, "matern12"},
                                          {KernelType::matern32, "matern32"},
                                          {KernelType::matern52, "matern52"},
                                          {KernelType::linear, "linear"},
                                          {KernelType::polynomial, "polynomial"},
                                          {KernelType::rational_quadratic, "rational_quadratic"},
                                          {KernelType::sum, "sum"},
                                          {KernelType::product, "product"},
                                          {KernelType::precomputed, "precomputed"}};
  return names;
}

const char* name(KernelType type) {
  return name_in(names_of(type), type);
}

bool is_stationary(KernelType type) {
  return type <= KernelType::matern52 || type == KernelType::rational_quadratic;
}

bool is_combined(KernelType type) {
  return type == KernelType::sum || type == KernelType::product;
}

KernelPtr make_kernel(const KernelSpec& spec) {
  if (spec.context_dim != 0 && spec.type != KernelType::product) {
    throw InvalidArgument(fmt::format("context_dim goes with a product, not with {}", name(spec.type)));
  }
  std::vector<KernelPtr> parts;
  for (const auto& part : spec.parts) parts.push_back(make_kernel(part));
  switch (spec.type) {
    case KernelType::gaussian:
      return gaussian(spec.lengthscale, spec.variance);
    case KernelType::matern12:
      return matern12(spec.lengthscale, spec.variance);
    case KernelType::matern32:
      return matern32(spec.lengthscale, spec.variance);
    case KernelType::matern52:
      return matern52(spec.lengthscale, spec.variance);
    case KernelType::linear:
      return linear(spec.variance, spec.offset_or_default());
    case KernelType::polynomial:
      return polynomial(spec.degree, spec.variance, spec.offset_or_default());
    case KernelType::rational_quadratic:
      return rational_quadratic(spec.lengthscale, spec.shape, spec.variance);
    case KernelType::sum:
      return sum(std::move(parts));
    case KernelType::product:
      if (spec.context_dim == 0) return product(std::move(parts));
      if (parts.size() != 2) {
        throw InvalidArgument(
            fmt::format("context_dim needs two kernels, context and action, got {}", parts.size()));
      }
      return block_product(spec.context_dim, parts[0], parts[1]);
    case KernelType::precomputed:
      return precomputed(spec.gram);
  }
  throw InvalidArgument("unknown kernel type");
}

}  // namespace ridgerunner
