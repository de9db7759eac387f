#include "ridgerunner/kernel/kernel_spec.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/message_of.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"

namespace ridgerunner::kernel_spec_test {
namespace {

const Matrix kX{{0.1, 0.5, -1}, {2, 0.3, 0.7}};
const Matrix kY{{0.4, -0.2}, {1, 1.5}};

// With every number different from its default, so that a forgotten one shows.
KernelSpec spec(KernelType type) {
  KernelSpec result;
  result.type = type;
  result.lengthscale = {0.7, 1.3};
  result.variance = 2.5;
  result.offset = 0.25;
  result.degree = 3;
  result.shape = 1.75;
  return result;
}

KernelSpec composite(KernelType type, Index context_dim = 0) {
  KernelSpec result, context = spec(KernelType::matern32);
  context.lengthscale = {0.7};
  result.type = type;
  result.parts = {context, spec(KernelType::linear)};
  result.context_dim = context_dim;
  return result;
}

std::string failure(const KernelSpec& bad) {
  return message_of<InvalidArgument>([&] { make_kernel(bad); });
}

TEST(KernelSpec, MakesWhatDirectConstructionMakes) {
  const std::vector<double> l = {0.7, 1.3};
  const std::vector<std::pair<KernelSpec, KernelPtr>> pairs = {
      {spec(KernelType::gaussian), gaussian(l, 2.5)},
      {spec(KernelType::matern12), matern12(l, 2.5)},
      {spec(KernelType::matern32), matern32(l, 2.5)},
      {spec(KernelType::matern52), matern52(l, 2.5)},
      {spec(KernelType::linear), linear(2.5, 0.25)},
      {spec(KernelType::polynomial), polynomial(3, 2.5, 0.25)},
      {spec(KernelType::rational_quadratic), rational_quadratic(l, 1.75, 2.5)},
      {composite(KernelType::sum), sum({matern32(0.7, 2.5), linear(2.5, 0.25)})},
      {composite(KernelType::product), product({matern32(0.7, 2.5), linear(2.5, 0.25)})},
      {composite(KernelType::product, 1), block_product(1, matern32(0.7, 2.5), linear(2.5, 0.25))},
  };
  for (const auto& [written, direct] : pairs) {
    const KernelPtr made = make_kernel(written);
    EXPECT_EQ(gram(*made, kX, kY), gram(*direct, kX, kY)) << name(written.type);
    EXPECT_EQ(diagonal(*made, kX), diagonal(*direct, kX)) << name(written.type);
  }
}

TEST(KernelSpec, MakesAPrecomputedKernelFromItsMatrix) {
  KernelSpec written;
  written.type = KernelType::precomputed;
  written.gram = Matrix{{2, 0.5}, {0.5, 1}};
  EXPECT_EQ(gram(*make_kernel(written), Matrix{{0, 1}}, Matrix{{0, 1}}), written.gram);
}

TEST(KernelSpec, IsAGaussianOfLengthscaleOneHalfByDefault) {
  EXPECT_EQ(gram(*make_kernel({}), kX, kY), gram(*gaussian(0.5), kX, kY));
}

TEST(KernelSpec, TypesHaveTheNamesThatUsersWrite) {
  const std::vector<std::pair<KernelType, std::string>> names = {
      {KernelType::gaussian, "gaussian"},
      {KernelType::matern12, "matern12"},
      {KernelType::matern32, "matern32"},
      {KernelType::matern52, "matern52"},
      {KernelType::linear, "linear"},
      {KernelType::polynomial, "polynomial"},
      {KernelType::rational_quadratic, "rational_quadratic"},
      {KernelType::sum, "sum"},
      {KernelType::product, "product"},
      {KernelType::precomputed, "precomputed"},
  };
  for (const auto& [type, text] : names) EXPECT_EQ(name(type), text);
}

TEST(KernelSpec, EqualsItsCopyAndDiffersInEveryField) {
  const KernelSpec base = composite(KernelType::sum);
  EXPECT_EQ(base, KernelSpec(base));
  std::vector<KernelSpec> others(9, base);
  others[0].type = KernelType::product;
  others[1].lengthscale = {0.5, 0.5};
  others[2].variance = 2;
  others[3].offset = 1;
  others[4].degree = 5;
  others[5].shape = 2;
  others[6].parts[1].variance = 7;
  others[7].context_dim = 1;
  others[8].gram = Matrix::Identity(2, 2);
  for (std::size_t i = 0; i < others.size(); ++i) EXPECT_FALSE(others[i] == base) << "field " << i;
  KernelSpec wide = base, tall = base;
  wide.gram = Matrix::Zero(1, 2);
  tall.gram = Matrix::Zero(2, 1);
  EXPECT_FALSE(wide == tall);
}

TEST(KernelSpec, RefusesTheParametersThatItsKernelRefuses) {
  KernelSpec bad = spec(KernelType::gaussian);
  bad.lengthscale = {-1};
  EXPECT_EQ(failure(bad), "lengthscale must be > 0, got -1");
  bad.lengthscale = {};
  EXPECT_EQ(failure(bad), "lengthscale must not be empty");
  bad = spec(KernelType::linear);
  bad.variance = 0;
  EXPECT_EQ(failure(bad), "variance must be > 0, got 0");
  bad = spec(KernelType::polynomial);
  bad.degree = 0;
  EXPECT_EQ(failure(bad), "degree must be >= 1, got 0");
  bad.degree = 2;
  bad.offset = -1;
  EXPECT_EQ(failure(bad), "offset must be >= 0, got -1");
  bad = spec(KernelType::rational_quadratic);
  bad.shape = 0;
  EXPECT_EQ(failure(bad), "shape must be > 0, got 0");
  bad = {};
  bad.type = KernelType::precomputed;
  EXPECT_EQ(failure(bad), "gram must be square and not empty, got 0 x 0");
}

TEST(KernelSpec, RefusesCompositesWithTheWrongParts) {
  KernelSpec bad = composite(KernelType::sum);
  bad.parts.clear();
  EXPECT_EQ(failure(bad), "parts must name at least one kernel");
  bad.type = KernelType::product;
  EXPECT_EQ(failure(bad), "parts must name at least one kernel");
  bad.context_dim = 2;
  EXPECT_EQ(failure(bad), "context_dim needs two kernels, context and action, got 0");
  bad = composite(KernelType::product, 2);
  bad.parts.push_back(spec(KernelType::linear));
  EXPECT_EQ(failure(bad), "context_dim needs two kernels, context and action, got 3");
  EXPECT_EQ(failure(composite(KernelType::product, -1)), "context_dim must be >= 1, got -1");
  bad = composite(KernelType::sum);
  bad.parts[1].variance = -4;
  EXPECT_EQ(failure(bad), "variance must be > 0, got -4");
}

TEST(KernelSpec, RefusesATypeThatDoesNotExist) {
  EXPECT_EQ(failure(spec(static_cast<KernelType>(99))), "unknown kernel type");
  EXPECT_STREQ(name(static_cast<KernelType>(99)), "unknown");
}

}  // namespace
}  // namespace ridgerunner::kernel_spec_test
