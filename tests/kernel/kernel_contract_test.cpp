#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/kernel/dot_product.h"
#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner::kernel_contract_test {
namespace {

using Long = long double;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;
using Formula = std::function<Long(const LongVector&, const LongVector&)>;

constexpr Index kArms = 40;
constexpr Index kEveryDimension[] = {1, 2, 3, 4, 5, 6, 7, 8, 24, 25, 30};

// A kernel for points of dimension d, and the textbook's formula for it.
struct Case {
  std::string name;
  std::function<KernelPtr(Index)> kernel;
  std::function<Formula(Index)> formula;
  Index least_dimension = 1;
  Index largest_dimension = 30;

  bool takes(Index dimension) const { return dimension >= least_dimension && dimension <= largest_dimension; }
};

std::ostream& operator<<(std::ostream& out, const Case& shown) {
  return out << shown.name;
}

std::vector<double> lengthscales(Index dimension) {
  std::vector<double> result;
  for (Index k = 0; k < dimension; ++k) result.push_back(0.6 + 0.13 * static_cast<double>(k % 7));
  return result;
}

Long scaled_distance(const LongVector& x, const LongVector& y, const std::vector<double>& lengthscale) {
  Long sum = 0;
  for (Index k = 0; k < x.size(); ++k) {
    const Long r = (x[k] - y[k]) / (lengthscale.size() == 1 ? lengthscale[0] : lengthscale[k]);
    sum += r * r;
  }
  return std::sqrt(sum);
}

Formula of_distance(std::vector<double> lengthscale, Long variance, std::function<Long(Long)> profile) {
  return [=](const LongVector& x, const LongVector& y) {
    return variance * profile(scaled_distance(x, y, lengthscale));
  };
}

Long gaussian_profile(Long r) {
  return std::exp(-r * r / 2);
}
Long matern12_profile(Long r) {
  return std::exp(-r);
}
Long matern32_profile(Long r) {
  return (1 + std::sqrt(Long{3}) * r) * std::exp(-std::sqrt(Long{3}) * r);
}
Long matern52_profile(Long r) {
  return (1 + std::sqrt(Long{5}) * r + 5 * r * r / 3) * std::exp(-std::sqrt(Long{5}) * r);
}
Long rational_quadratic_profile(Long r) {
  return std::pow(1 + r * r / (2 * Long{1.75}), -Long{1.75});
}

Formula polynomial_formula(int degree, Long variance, Long offset) {
  return [=](const LongVector& x, const LongVector& y) {
    return variance * std::pow(x.dot(y) + offset, static_cast<Long>(degree));
  };
}

template <class Make>
void add_stationary(std::vector<Case>& cases, const std::string& name, Make make, Long (*profile)(Long)) {
  cases.push_back({name, [=](Index) { return make(std::vector<double>{0.7}, 1.0); },
                   [=](Index) { return of_distance({0.7}, 1, profile); }});
  cases.push_back({name + "_with_a_lengthscale_per_dimension",
                   [=](Index d) { return make(lengthscales(d), 2.5); },
                   [=](Index d) { return of_distance(lengthscales(d), 2.5, profile); }});
}

Matrix arms_gram() {
  Stream stream(1, Purpose::test);
  const Matrix g = Matrix::NullaryExpr(kArms, 10, [&] { return stream.normal(); });
  return g * g.transpose() / 10;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  add_stationary(
      all, "gaussian", [](auto l, double v) { return gaussian(l, v); }, gaussian_profile);
  add_stationary(
      all, "matern12", [](auto l, double v) { return matern12(l, v); }, matern12_profile);
  add_stationary(
      all, "matern32", [](auto l, double v) { return matern32(l, v); }, matern32_profile);
  add_stationary(
      all, "matern52", [](auto l, double v) { return matern52(l, v); }, matern52_profile);
  add_stationary(
      all, "rational_quadratic", [](auto l, double v) { return rational_quadratic(l, 1.75, v); },
      rational_quadratic_profile);
  all.push_back(
      {"linear", [](Index) { return linear(2, 0.5); }, [](Index) { return polynomial_formula(1, 2, 0.5); }});
  all.push_back({"polynomial", [](Index) { return polynomial(3, 0.5, 1); },
                 [](Index) { return polynomial_formula(3, 0.5, 1); }});
  all.push_back({"scaled", [](Index) { return scaled(3, matern32(0.7)); },
                 [](Index) { return of_distance({0.7}, 3, matern32_profile); }});
  all.push_back({"sum",
                 [](Index) {
                   return sum({linear(1, 0), gaussian(0.8), matern12(0.5, 2)});
                 },
                 [](Index) -> Formula {
                   const auto a = polynomial_formula(1, 1, 0), b = of_distance({0.8}, 1, gaussian_profile),
                              c = of_distance({0.5}, 2, matern12_profile);
                   return [=](const auto& x, const auto& y) { return a(x, y) + b(x, y) + c(x, y); };
                 }});
  all.push_back({"product",
                 [](Index) {
                   return product({polynomial(2, 1, 1), gaussian(0.8)});
                 },
                 [](Index) -> Formula {
                   const auto a = polynomial_formula(2, 1, 1), b = of_distance({0.8}, 1, gaussian_profile);
                   return [=](const auto& x, const auto& y) { return a(x, y) * b(x, y); };
                 }});
  all.push_back(
      {"block_product",
       [](Index d) { return block_product(d / 2, gaussian(lengthscales(d / 2)), matern52(0.9, 2)); },
       [](Index d) -> Formula {
         const auto a = of_distance(lengthscales(d / 2), 1, gaussian_profile),
                    b = of_distance({0.9}, 2, matern52_profile);
         return [=](const LongVector& x, const LongVector& y) {
           return a(x.head(d / 2), y.head(d / 2)) * b(x.tail(d - d / 2), y.tail(d - d / 2));
         };
       },
       2});
  all.push_back({"callable",
                 [](Index) {
                   return callable([](const VectorIn& x, const VectorIn& y) {
                     return 2 * std::exp(-0.5 * (x - y).squaredNorm());
                   });
                 },
                 [](Index) { return of_distance({1}, 2, gaussian_profile); }});
  all.push_back({"precomputed", [](Index) { return precomputed(arms_gram()); },
                 [](Index) -> Formula {
                   return [gram = arms_gram()](const LongVector& x, const LongVector& y) {
                     return Long{gram(static_cast<Index>(x[0]), static_cast<Index>(y[0]))};
                   };
                 },
                 1, 1});
  return all;
}

class EveryKernel : public testing::TestWithParam<Case> {
 protected:
  // Points of about unit length around the origin, or arms.
  static Matrix points(Index dimension, Index count, std::uint64_t seed) {
    Stream stream(seed, Purpose::test);
    if (GetParam().name == "precomputed") {
      return Matrix::NullaryExpr(1, count, [&] { return static_cast<double>(stream.index(kArms)); });
    }
    const double scale = 1 / std::sqrt(static_cast<double>(dimension));
    return Matrix::NullaryExpr(dimension, count, [&] { return scale * stream.normal(); });
  }

  static std::vector<Index> dimensions() {
    std::vector<Index> result;
    for (const Index d : kEveryDimension) {
      if (GetParam().takes(d)) result.push_back(d);
    }
    return result;
  }

  // Largest difference in units of max(1, sqrt(k(x,x) k(y,y))).
  static double error(const Matrix& a, const Matrix& b, const Vector& x, const Vector& y) {
    EXPECT_EQ(a.rows(), b.rows());
    EXPECT_EQ(a.cols(), b.cols());
    double worst = 0;
    for (Index j = 0; j < a.cols(); ++j) {
      for (Index i = 0; i < a.rows(); ++i) {
        const double off = std::abs(a(i, j) - b(i, j)) / std::max(1.0, std::sqrt(x[i] * y[j]));
        worst = off <= worst ? worst : off;  // a NaN stays
      }
    }
    return worst;
  }

  static Matrix textbook(Index dimension, const Matrix& x, const Matrix& y) {
    const Formula formula = GetParam().formula(dimension);
    Matrix result(x.cols(), y.cols());
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < x.cols(); ++i) {
        result(i, j) = static_cast<double>(formula(x.col(i).cast<Long>(), y.col(j).cast<Long>()));
      }
    }
    return result;
  }
};

TEST_P(EveryKernel, EqualsTheTextbookFormula) {
  for (const Index d : dimensions()) {
    const KernelPtr kernel = GetParam().kernel(d);
    const Matrix x = points(d, 23, 2), y = points(d, 17, 3);
    EXPECT_LT(error(gram(*kernel, x, y), textbook(d, x, y), diagonal(*kernel, x), diagonal(*kernel, y)),
              1e-13)
        << "dimension " << d;
  }
}

TEST_P(EveryKernel, EqualsTheTextbookFormulaAtAnyPoints) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const auto possible = dimensions();
    const Index d = possible[*rc::gen::inRange<std::size_t>(0, possible.size())];
    const KernelPtr kernel = GetParam().kernel(d);
    Matrix x = points(d, 3, seed), y = points(d, 2, seed + 1);
    if (GetParam().name != "precomputed") {
      x *= *rc::gen::element(0.0, 1e-9, 1.0, 3.0);
      y *= *rc::gen::element(0.0, 1e-9, 1.0, 3.0);
    }
    RC_ASSERT(error(gram(*kernel, x, y), textbook(d, x, y), diagonal(*kernel, x), diagonal(*kernel, y)) <
              1e-13);
  }));
}

TEST_P(EveryKernel, IsSymmetric) {
  for (const Index d : dimensions()) {
    const KernelPtr kernel = GetParam().kernel(d);
    const Matrix x = points(d, 30, 4), y = points(d, 20, 5);
    const Vector xx = diagonal(*kernel, x), yy = diagonal(*kernel, y);
    EXPECT_LT(error(gram(*kernel, x, y), gram(*kernel, y, x).transpose(), xx, yy), 1e-14) << d;
    EXPECT_LT(error(gram(*kernel, x, x), gram(*kernel, x, x).transpose(), xx, xx), 1e-14) << d;
  }
}

TEST_P(EveryKernel, HasTheDiagonalOfItsGramMatrix) {
  for (const Index d : dimensions()) {
    const KernelPtr kernel = GetParam().kernel(d);
    const Matrix x = points(d, 30, 6);
    const Vector from_gram = gram(*kernel, x, x).diagonal(), direct = diagonal(*kernel, x);
    for (Index i = 0; i < 30; ++i)
      EXPECT_NEAR(from_gram[i], direct[i], 1e-14 * std::max(1.0, direct[i])) << d;
  }
}

TEST_P(EveryKernel, IsPositiveSemidefiniteAlsoAtRepeatedPoints) {
  for (const Index d : {1, 2, 5, 30}) {
    if (!GetParam().takes(d)) continue;
    const KernelPtr kernel = GetParam().kernel(d);
    Matrix x = points(d, 50, 7);
    x.rightCols(10) = x.leftCols(10);
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram(*kernel, x, x), Eigen::EigenvaluesOnly);
    EXPECT_GE(solver.eigenvalues().minCoeff(), -1e-10) << d;
    EXPECT_GT(solver.eigenvalues().maxCoeff(), 0) << d;
  }
}

TEST_P(EveryKernel, GivesABatchTheValuesOfItsPairs) {
  for (const Index d : dimensions()) {
    const KernelPtr kernel = GetParam().kernel(d);
    const Matrix x = points(d, 19, 8), y = points(d, 11, 9);
    Matrix pairs(19, 11);
    for (Index j = 0; j < 11; ++j) {
      for (Index i = 0; i < 19; ++i) pairs(i, j) = gram(*kernel, x.col(i), y.col(j))(0, 0);
    }
    EXPECT_LT(error(gram(*kernel, x, y), pairs, diagonal(*kernel, x), diagonal(*kernel, y)), 1e-14) << d;
  }
}

TEST_P(EveryKernel, TakesAnyNumberOfPoints) {
  for (const Index d : {1, 3, 30}) {
    if (!GetParam().takes(d)) continue;
    const KernelPtr kernel = GetParam().kernel(d);
    const Matrix all = points(d, 600, 10), few = points(d, 3, 11);
    const Matrix expected = textbook(d, all, few);
    const Vector few_diagonal = diagonal(*kernel, few);
    for (const Index n : {1, 2, 255, 256, 257, 511, 512, 513, 600}) {
      const Matrix some = all.leftCols(n);
      const Vector some_diagonal = diagonal(*kernel, some);
      EXPECT_LT(error(gram(*kernel, some, few), expected.topRows(n), some_diagonal, few_diagonal), 1e-13)
          << n;
      EXPECT_LT(error(gram(*kernel, few, some), expected.topRows(n).transpose(), few_diagonal, some_diagonal),
                1e-13)
          << n;
    }
  }
}

TEST_P(EveryKernel, TakesNoPointsAtAll) {
  for (const Index d : {1, 3, 30}) {
    if (!GetParam().takes(d)) continue;
    const KernelPtr kernel = GetParam().kernel(d);
    const Matrix none(d, 0), some = points(d, 4, 12);
    EXPECT_EQ(gram(*kernel, none, some).rows(), 0);
    EXPECT_EQ(gram(*kernel, some, none).cols(), 0);
    EXPECT_EQ(gram(*kernel, none, none).size(), 0);
    EXPECT_EQ(diagonal(*kernel, none).size(), 0);
  }
}

TEST_P(EveryKernel, WritesIntoABlockAndLeavesTheRestAlone) {
  for (const Index d : {1, 3, 30}) {
    if (!GetParam().takes(d)) continue;
    const KernelPtr kernel = GetParam().kernel(d);
    const Matrix wide_x = points(d, 12, 13), wide_y = points(d, 9, 14);
    const Matrix x = wide_x.middleCols(2, 7), y = wide_y.middleCols(1, 5);
    Matrix out = Matrix::Constant(9, 7, -77);
    kernel->gram(wide_x.middleCols(2, 7), wide_y.middleCols(1, 5), out.block(1, 1, 7, 5));
    const Matrix written = out.block(1, 1, 7, 5);
    EXPECT_LT(error(written, gram(*kernel, x, y), diagonal(*kernel, x), diagonal(*kernel, y)), 1e-14);
    out.block(1, 1, 7, 5).setConstant(-77);
    EXPECT_EQ(out, Matrix::Constant(9, 7, -77));
    Vector column = Vector::Constant(9, -77);
    kernel->diagonal(x, column.segment(1, 7));
    EXPECT_EQ(column.segment(1, 7), diagonal(*kernel, x));
    EXPECT_EQ(column[0], -77);
    EXPECT_EQ(column[8], -77);
  }
}

TEST_P(EveryKernel, AcceptsPointsOfItsDimension) {
  for (const Index d : dimensions()) EXPECT_NO_THROW(GetParam().kernel(d)->check_dimension(d)) << d;
}

INSTANTIATE_TEST_SUITE_P(Kernel, EveryKernel, testing::ValuesIn(cases()),
                         [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace ridgerunner::kernel_contract_test
