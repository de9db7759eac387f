#include "ridgerunner/kernel/composite.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernel/message_of.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/stationary.h"

namespace ridgerunner::composite_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Matrix kX{{0.1, 0.5, -1}, {2, 0.3, 0.7}, {1, 1, -1}};
const Matrix kY{{0.4, -0.2}, {1, 1.5}, {0, 2}};

template <class Action>
std::string invalid(Action&& action) {
  return message_of<InvalidArgument>(action);
}

TEST(Composite, CombinesTheMatricesOfItsPartsEntryByEntry) {
  const Matrix a = gram(*gaussian(0.8), kX, kY), b = gram(*linear(2, 1), kX, kY);
  EXPECT_EQ(gram(*sum({gaussian(0.8), linear(2, 1)}), kX, kY), a + b);
  EXPECT_EQ(gram(*product({gaussian(0.8), linear(2, 1)}), kX, kY), a.cwiseProduct(b));
  EXPECT_EQ(gram(*scaled(3, gaussian(0.8)), kX, kY), 3 * a);
}

TEST(Composite, OfOnePartIsThatPart) {
  const Matrix part = gram(*matern32(0.8), kX, kY);
  EXPECT_EQ(gram(*sum({matern32(0.8)}), kX, kY), part);
  EXPECT_EQ(gram(*product({matern32(0.8)}), kX, kY), part);
  EXPECT_EQ(diagonal(*sum({matern32(0.8)}), kX), Vector::Ones(3));
}

TEST(Composite, MayBeNested) {
  const KernelPtr inner = product({gaussian(0.8), sum({linear(), matern12(1.0)})});
  const Matrix expected =
      gram(*gaussian(0.8), kX, kY).cwiseProduct(gram(*linear(), kX, kY) + gram(*matern12(1.0), kX, kY));
  EXPECT_EQ(gram(*scaled(2, inner), kX, kY), 2 * expected);
}

TEST(Composite, ABlockProductIsAContextKernelTimesAnActionKernel) {
  const Matrix expected = gram(*gaussian(0.8), kX.topRows(2), kY.topRows(2))
                              .cwiseProduct(gram(*linear(), kX.bottomRows(1), kY.bottomRows(1)));
  EXPECT_EQ(gram(*block_product(2, gaussian(0.8), linear()), kX, kY), expected);
  // Diagonal: 1 * a^2.
  EXPECT_EQ(diagonal(*block_product(2, gaussian(0.8), linear()), kX), Vector::Ones(3));
}

TEST(Composite, RefusesToScaleByWhatIsNotPositive) {
  EXPECT_EQ(invalid([] { scaled(0, linear()); }), "factor must be > 0, got 0");
  EXPECT_EQ(invalid([] { scaled(-1, linear()); }), "factor must be > 0, got -1");
  EXPECT_EQ(invalid([] { scaled(kNaN, linear()); }), "factor must be > 0, got nan");
}

TEST(Composite, RefusesMissingParts) {
  EXPECT_EQ(invalid([] { scaled(1, nullptr); }), "part must be a kernel, got none");
  EXPECT_EQ(invalid([] { sum({}); }), "parts must name at least one kernel");
  EXPECT_EQ(invalid([] { product({}); }), "parts must name at least one kernel");
  EXPECT_EQ(invalid([] { sum({linear(), nullptr}); }), "parts must be a kernel, got none");
  EXPECT_EQ(invalid([] { product({nullptr}); }), "parts must be a kernel, got none");
  EXPECT_EQ(invalid([] { block_product(1, nullptr, linear()); }), "context must be a kernel, got none");
  EXPECT_EQ(invalid([] { block_product(1, linear(), nullptr); }), "action must be a kernel, got none");
  EXPECT_EQ(invalid([] { callable(nullptr); }), "function must be callable, got none");
}

TEST(Composite, RefusesAContextOfNoDimension) {
  EXPECT_EQ(invalid([] { block_product(0, linear(), linear()); }), "context_dim must be >= 1, got 0");
  EXPECT_EQ(invalid([] { block_product(-2, linear(), linear()); }), "context_dim must be >= 1, got -2");
}

TEST(Composite, ChecksTheDimensionOfEveryPart) {
  const KernelPtr two = gaussian({1, 2});
  const std::string text = "lengthscale has 2 entries, but the points have dimension 3";
  EXPECT_EQ(invalid([&] { scaled(2, two)->check_dimension(3); }), text);
  EXPECT_EQ(invalid([&] { sum({linear(), two})->check_dimension(3); }), text);
  EXPECT_EQ(invalid([&] { product({linear(), two})->check_dimension(3); }), text);
  EXPECT_EQ(invalid([&] { block_product(3, two, linear())->check_dimension(4); }), text);
  EXPECT_EQ(invalid([&] { block_product(1, linear(), two)->check_dimension(4); }), text);
  EXPECT_EQ(invalid([&] { block_product(2, two, two)->check_dimension(4); }), "nothing was thrown");
}

TEST(Composite, ABlockProductNeedsRoomForAnAction) {
  const KernelPtr kernel = block_product(2, linear(), linear());
  EXPECT_EQ(invalid([&] { kernel->check_dimension(2); }),
            "points have dimension 2, but context_dim 2 leaves no room for an action");
  EXPECT_EQ(invalid([&] { kernel->check_dimension(1); }),
            "points have dimension 1, but context_dim 2 leaves no room for an action");
  EXPECT_EQ(invalid([&] { kernel->check_dimension(3); }), "nothing was thrown");
}

TEST(Callable, IsCalledWithThePairsOfPoints) {
  const KernelPtr kernel = callable([](const VectorIn& x, const VectorIn& y) { return 10 * x[0] + y[0]; });
  EXPECT_EQ(gram(*kernel, Matrix{{1, 2}}, Matrix{{3, 4, 5}}), (Matrix{{13, 14, 15}, {23, 24, 25}}));
  EXPECT_EQ(diagonal(*kernel, Matrix{{1, 2}}), (Vector{{11, 22}}));
  EXPECT_NO_THROW(kernel->check_dimension(7));
}

TEST(Callable, ValuesThatAreNotFiniteAreNumericalErrors) {
  for (const auto& [value, text] : {std::pair{kNaN, "nan"}, {kInfinity, "inf"}, {-kInfinity, "-inf"}}) {
    const KernelPtr kernel = callable([v = value](const VectorIn&, const VectorIn&) { return v; });
    const std::string expected = std::string("the kernel function returned ") + text;
    EXPECT_EQ(message_of<NumericalError>([&] { gram(*kernel, kX, kY); }), expected);
    EXPECT_EQ(message_of<NumericalError>([&] { diagonal(*kernel, kX); }), expected);
  }
}

TEST(Precomputed, LooksUpTheArms) {
  const KernelPtr kernel = precomputed(Matrix{{2, 0.5, 0}, {0.5, 1, -0.25}, {0, -0.25, 0}});
  EXPECT_EQ(gram(*kernel, Matrix{{0, 2}}, Matrix{{1, 0, 1}}), (Matrix{{0.5, 2, 0.5}, {-0.25, 0, -0.25}}));
  EXPECT_EQ(diagonal(*kernel, Matrix{{2, 1, 0}}), (Vector{{0, 1, 2}}));
}

TEST(Precomputed, RefusesWhatIsNotAGramMatrix) {
  EXPECT_EQ(invalid([] { precomputed(Matrix()); }), "gram must be square and not empty, got 0 x 0");
  EXPECT_EQ(invalid([] { precomputed(Matrix::Zero(2, 3)); }), "gram must be square and not empty, got 2 x 3");
  EXPECT_EQ(invalid([] { precomputed(Matrix{{1, 0}, {kNaN, 1}}); }), "gram[1][0] must be finite, got nan");
  EXPECT_EQ(invalid([] { precomputed(Matrix{{1, kNaN}, {0, 1}}); }), "gram[0][1] must be finite, got nan");
  EXPECT_EQ(invalid([] {
              precomputed(Matrix{{1, 0}, {0, kInfinity}});
            }),
            "gram[1][1] must be finite, got inf");
  EXPECT_EQ(invalid([] { precomputed(Matrix{{1, 0}, {0, -1}}); }), "gram[1][1] must be >= 0, got -1");
  EXPECT_EQ(invalid([] {
              precomputed(Matrix{{1, 0.25}, {0.5, 1}});
            }),
            "gram must be symmetric, but [1][0] is 0.5 and [0][1] is 0.25");
}

TEST(Precomputed, ForgivesAsymmetryWithinRounding) {
  EXPECT_NO_THROW(precomputed(Matrix{{1, 0.5}, {0.5 + 1e-14, 1}}));
  EXPECT_NO_THROW(precomputed(Matrix{{1e8, 5e7}, {5e7 + 1e-6, 1e8}}));
}

TEST(Precomputed, FindsAsymmetryAtEveryScale) {
  for (const double scale : {1e-200, 1e-100, 1.0, 1e100, 1e200}) {
    EXPECT_NE(invalid([&] {
                precomputed(scale * Matrix{{1, 0.25}, {0.5, 1}});
              }),
              "nothing was thrown")
        << scale;
  }
}

TEST(Precomputed, RefusesPointsThatAreNotArms) {
  const KernelPtr kernel = precomputed(Matrix::Identity(3, 3));
  for (const auto& [point, text] : {std::pair{3.0, "3"},
                                    {-1.0, "-1"},
                                    {0.5, "0.5"},
                                    {kNaN, "nan"},
                                    {kInfinity, "inf"},
                                    {1e300, "1e+300"}}) {
    const std::string expected =
        std::string("an arm of a precomputed kernel must be an index from 0 to 2, got ") + text;
    const Matrix bad = Matrix::Constant(1, 1, point), good = Matrix::Zero(1, 1);
    EXPECT_EQ(invalid([&] { gram(*kernel, bad, good); }), expected);
    EXPECT_EQ(invalid([&] { gram(*kernel, good, bad); }), expected);
    EXPECT_EQ(invalid([&] { diagonal(*kernel, bad); }), expected);
  }
}

TEST(Precomputed, TakesPointsOfOneDimension) {
  const KernelPtr kernel = precomputed(Matrix::Identity(3, 3));
  EXPECT_NO_THROW(kernel->check_dimension(1));
  EXPECT_EQ(invalid([&] { kernel->check_dimension(2); }),
            "a precomputed kernel takes points of dimension 1 (an arm's index), got 2");
}

}  // namespace
}  // namespace ridgerunner::composite_test
