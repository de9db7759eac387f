#include "ridgerunner/random/stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ridgerunner/error.h"

namespace ridgerunner::stream_test {
namespace {

using Block = std::array<std::uint32_t, 4>;

constexpr std::int64_t kRejecting = 6148914691236517206;  // about 2^64/3: a third of all draws is rejected

std::vector<std::uint64_t> draws(std::uint64_t seed, Purpose purpose, std::uint64_t step, int count) {
  Stream stream(seed, purpose, step);
  std::vector<std::uint64_t> result;
  for (int i = 0; i < count; ++i) result.push_back(stream.bits());
  return result;
}

TEST(Philox, GivesTheKnownAnswersOfRandom123) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, IsInjectiveInTheCounter) {
  std::set<Block> seen;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    seen.insert(philox({i, 0, 0, 0}, {1, 2}));
    seen.insert(philox({0, 0, 0, i + 1}, {1, 2}));
  }
  EXPECT_EQ(seen.size(), 2000u);
}

// The tables are printed by golden.py, which shares no code with the library.
struct Golden {
  std::uint64_t seed;
  Purpose purpose;
  std::uint64_t step;
  std::vector<std::uint64_t> bits;
  std::vector<double> uniform;
  std::vector<double> normal;
  std::vector<std::int64_t> index_of_10;
  std::vector<std::int64_t> index_of_rejecting;
};

const std::vector<Golden>& golden() {
  static const std::vector<Golden> table = {
      {0u,
       Purpose::choice,
       0u,
       {0xea2362496ad0c5ec, 0x074944b373a459f5, 0xe4c29d236da11836},
       {0x1.d446c492d5a18p-1, 0x1.d2512cdce9160p-6, 0x1.c9853a46db423p-1},
       {0x1.5ea1987344d06p+0, -0x1.e765db8e6e3b7p+0, 0x1.3ef19008a4afcp+0, -0x1.188ee990e3a2dp-2,
        0x1.11ce0c274353ap-4},
       {2, 5, 2},
       {4573607314051177280, 4186080979145092490, 1083112337335385752}},
      {1u,
       Purpose::noise,
       2u,
       {0x030b878f8bc82147, 0x9cc36a74ac1a2575, 0xd190d8ceeb0c6c7a},
       {0x1.85c3c7c5e4100p-7, 0x1.3986d4e958344p-1, 0x1.a321b19dd618dp-1},
       {-0x1.215887dd576c1p+1, 0x1.24517634b84dbp-2, 0x1.d1f949462244fp-1, 0x1.384a262fdc33fp-2,
        -0x1.6c1835fbc18b6p+0},
       {5, 5, 2},
       {5147074648474963999, 2802978551318561230, 5284481237754024840}},
      {20260731u,
       Purpose::context,
       1000u,
       {0x96d6bb16b710acf5, 0x3a65428b42dae61e, 0xddfc9c075cd13646},
       {0x1.2dad762d6e215p-1, 0x1.d32a145a16d70p-3, 0x1.bbf9380eb9a26p-1},
       {0x1.cddf56cf57de1p-3, -0x1.7d7ce4a334656p-1, 0x1.1cea828f3d26ap+0, -0x1.1c2a9f5884c4ap-2,
        -0x1.71e1f87db9a22p-1},
       {9, 8, 6},
       {4720165765703751583, 3698002149476043674, 1058148316116744431}},
      {18446744073709551615u,
       Purpose::test,
       18446744073709551615u,
       {0xa60ff9bbf313ae8c, 0x00b3074ff09e1e1e, 0x94ce2f2582f5b549},
       {0x1.4c1ff377e6275p-1, 0x1.660e9fe13c300p-9, 0x1.299c5e4b05eb6p-1},
       {0x1.86ecc6178809ep-2, -0x1.63a11482cd20ep+1, 0x1.a423c96e9b9c3p-3, -0x1.d59999ddda744p-2,
        0x1.1ffc99dbfb03ep+0},
       {8, 8, 7},
       {5817142629342533942, 4573644909736648691, 3745202364787563906}},
      {1311768467463790320u,
       Purpose::environment,
       4294967301u,
       {0x5b37a59e148f8ab4, 0x0ab0ac5cfbcc2f29, 0xc8dade89d1f81fc0},
       {0x1.6cde9678523e2p-2, 0x1.56158b9f79850p-5, 0x1.91b5bd13a3f03p-1},
       {-0x1.7928809902abdp-2, -0x1.bb0afc27890f6p+0, 0x1.9358f794f6d71p-1, -0x1.2014b18b7ae02p-1,
        -0x1.92bb2d8342fcap+0},
       {0, 3, 2},
       {423989588302378334, 2175295653550060820, 3989748251318439403}},
  };
  return table;
}

TEST(Stream, RepeatsTheGoldenBits) {
  for (const Golden& row : golden()) {
    EXPECT_EQ(draws(row.seed, row.purpose, row.step, 3), row.bits) << row.seed;
  }
}

TEST(Stream, RepeatsTheGoldenUniforms) {
  for (const Golden& row : golden()) {
    Stream stream(row.seed, row.purpose, row.step);
    for (const double expected : row.uniform) EXPECT_EQ(stream.uniform(), expected) << row.seed;
  }
}

TEST(Stream, RepeatsTheGoldenNormalsToTheLastBit) {
  for (const Golden& row : golden()) {
    Stream stream(row.seed, row.purpose, row.step);
    for (const double expected : row.normal) EXPECT_EQ(stream.normal(), expected) << row.seed;
  }
}

TEST(Stream, RepeatsTheGoldenIndices) {
  for (const Golden& row : golden()) {
    Stream stream(row.seed, row.purpose, row.step), rejecting = stream;
    for (const std::int64_t expected : row.index_of_10) EXPECT_EQ(stream.index(10), expected) << row.seed;
    for (const std::int64_t expected : row.index_of_rejecting) {
      EXPECT_EQ(rejecting.index(kRejecting), expected) << row.seed;
    }
  }
}

TEST(Stream, RepeatsTheGoldenSeedsOfRuns) {
  EXPECT_EQ(run_seed(7, 0), 0x0f74b9790c556628u >> 1);
  EXPECT_EQ(run_seed(7, 1), 0x95500a5666920127u >> 1);
  EXPECT_EQ(run_seed(7, 2), 0xe327cefed11533e3u >> 1);
}

TEST(Stream, PurposesKeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(Purpose::choice), 1);
  EXPECT_EQ(static_cast<int>(Purpose::environment), 2);
  EXPECT_EQ(static_cast<int>(Purpose::context), 3);
  EXPECT_EQ(static_cast<int>(Purpose::noise), 4);
  EXPECT_EQ(static_cast<int>(Purpose::run), 5);
  EXPECT_EQ(static_cast<int>(Purpose::test), 6);
}

TEST(Stream, TheOrderInWhichStreamsAreReadDoesNotMatter) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed, std::uint64_t step, const std::vector<bool>& order) {
    const int count = static_cast<int>(order.size());
    const auto choice = draws(seed, Purpose::choice, step, count),
               noise = draws(seed, Purpose::noise, step, count),
               later = draws(seed, Purpose::choice, step + 1, count);
    Stream a(seed, Purpose::choice, step), b(seed, Purpose::noise, step), c(seed, Purpose::choice, step + 1);
    std::size_t i = 0, j = 0;
    for (const bool first : order) {
      if (first) {
        RC_ASSERT(a.bits() == choice[i++]);
      } else {
        RC_ASSERT(c.bits() == later[j]);
        RC_ASSERT(b.bits() == noise[j++]);
      }
    }
  }));
}

TEST(Stream, EveryKindOfDrawTakesOneWord) {
  const auto words = draws(3, Purpose::test, 9, 6);
  Stream stream(3, Purpose::test, 9);
  stream.uniform();
  stream.normal();
  stream.index(8);  // divides 2^64, so nothing is ever rejected
  stream.uniform(-1, 1);
  EXPECT_EQ(stream.bits(), words[4]);
  EXPECT_EQ(stream.bits(), words[5]);
}

TEST(Stream, ACopyContinuesWhereTheOriginalWas) {
  for (int skipped = 0; skipped < 4; ++skipped) {
    Stream stream(3, Purpose::test);
    for (int i = 0; i < skipped; ++i) stream.bits();
    Stream copy = stream;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(copy.bits(), stream.bits());
  }
}

TEST(Stream, SeedsPurposesAndStepsShareNoNumbers) {
  // Seeds and steps that differ in either half of their words. Two equal ones among 720 words: 1 chance in
  // 10^13.
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (std::uint32_t purpose = 1; purpose <= 6; ++purpose) {
      for (const std::uint64_t step :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32}) {
        for (const auto word : draws(seed, static_cast<Purpose>(purpose), step, 10)) {
          seen.insert(word);
          ++count;
        }
      }
    }
  }
  EXPECT_EQ(count, 720u);
  EXPECT_EQ(seen.size(), count);
}

TEST(Stream, EveryBitIsFair) {
  constexpr int n = 10000;
  std::array<int, 64> ones{};
  Stream stream(11, Purpose::test);
  for (int i = 0; i < n; ++i) {
    const std::uint64_t word = stream.bits();
    for (int bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(word >> bit & 1);
  }
  // Standard deviation sqrt(n)/2 = 50; 5 of them leave 1 chance in 27,000 over all 64 bits.
  for (int bit = 0; bit < 64; ++bit) EXPECT_NEAR(ones[bit], n / 2, 250) << "bit " << bit;
}

TEST(Stream, UniformsLieInTheHalfOpenUnitInterval) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed, std::uint64_t step) {
    Stream stream(seed, Purpose::test, step);
    for (int i = 0; i < 20; ++i) {
      const double u = stream.uniform();
      RC_ASSERT(u >= 0 && u < 1);
      RC_ASSERT(std::ldexp(u, 53) == std::floor(std::ldexp(u, 53)));
    }
  }));
}

TEST(Stream, UniformsHaveTheMomentsOfTheUniform) {
  constexpr int n = 100000;
  Stream stream(12, Purpose::test);
  double sum = 0, squares = 0, products = 0, before = 0;
  for (int i = 0; i < n; ++i) {
    const double u = stream.uniform() - 0.5;
    sum += u;
    squares += u * u;
    products += u * before;
    before = u;
  }
  // Four standard deviations each: of u sqrt(1/12), of u^2 sqrt(1/180), of a product of two 1/12.
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(sum / n, 0, 4 * std::sqrt(1 / 12.0) / root);
  EXPECT_NEAR(squares / n, 1 / 12.0, 4 * std::sqrt(1 / 180.0) / root);
  EXPECT_NEAR(products / n, 0, 4 / 12.0 / root);
}

TEST(Stream, UniformsOfAnIntervalAreTheStretchedUniforms) {
  Stream unit(4, Purpose::test), stretched(4, Purpose::test);
  for (int i = 0; i < 100; ++i) {
    const double value = stretched.uniform(-3, 5);
    EXPECT_EQ(value, -3 + 8 * unit.uniform());
    EXPECT_TRUE(value >= -3 && value < 5);
  }
}

TEST(Stream, UniformsOfANarrowIntervalStayBelowItsEnd) {
  const double low = 1, high = std::nextafter(1.0, 2.0);
  Stream stream(4, Purpose::test);
  for (int i = 0; i < 100; ++i) {
    const double value = stream.uniform(low, high);
    ASSERT_TRUE(value >= low && value < high) << "draw " << i;
  }
}

TEST(Stream, IndicesOfSmallSizesPassAChiSquareTest) {
  for (const int size : {2, 3, 5, 7, 10, 16, 33}) {
    const int n = 2000 * size;
    std::vector<int> counts(size);
    Stream stream(13, Purpose::test, size);
    for (int i = 0; i < n; ++i) {
      const std::int64_t drawn = stream.index(size);
      ASSERT_TRUE(drawn >= 0 && drawn < size);
      ++counts[drawn];
    }
    double statistic = 0;
    for (const int count : counts) statistic += (count - 2000.0) * (count - 2000.0) / 2000;
    // Wilson-Hilferty: the quantile of chi-square at 4 standard deviations, 3 chances in 100,000.
    const double freedom = size - 1, spread = 2 / (9 * freedom);
    EXPECT_LT(statistic, freedom * std::pow(1 - spread + 4 * std::sqrt(spread), 3)) << "size " << size;
  }
}

TEST(Stream, IndicesOfASizeThatDoesNotDivideThePowerOfTwoAreUnbiased) {
  // The size is 2^64/2.4, so word mod size would meet the lower 0.4 of the range 3 times and the rest twice:
  // the thirds would have shares 0.42, 0.31, 0.28. Four standard deviations of a share of 1/3 are 0.019 here.
  constexpr std::int64_t uneven = (std::int64_t{1} << 62) / 3 * 5;
  constexpr int n = 10000;
  std::array<int, 3> thirds{};
  Stream stream(14, Purpose::test);
  for (int i = 0; i < n; ++i) {
    const std::int64_t drawn = stream.index(uneven);
    ASSERT_TRUE(drawn >= 0 && drawn < uneven);
    ++thirds[std::min<std::int64_t>(2, drawn / (uneven / 3))];
  }
  for (const int count : thirds) EXPECT_NEAR(count, n / 3.0, 4 * std::sqrt(n * 2 / 9.0));
}

TEST(Stream, IndicesRejectTheIncompleteRunAndNothingElse) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Stream stream(seed, Purpose::test), words(seed, Purpose::test);
    const auto n = static_cast<std::uint64_t>(kRejecting);
    for (int i = 0; i < 20; ++i) {
      std::uint64_t word = words.bits();
      while (word < std::numeric_limits<std::uint64_t>::max() - 2 * n + 1) word = words.bits();
      RC_ASSERT(stream.index(kRejecting) == static_cast<std::int64_t>(word % n));
    }
  }));
}

TEST(Stream, TheIndexOfOneArmIsZeroAndTheLargestSizeWorks) {
  Stream stream(15, Purpose::test);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(stream.index(1), 0);
  for (int i = 0; i < 10; ++i) EXPECT_GE(stream.index(std::numeric_limits<std::int64_t>::max()), 0);
}

TEST(Stream, RefusesToChooseAmongNothing) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-3}}) {
    try {
      Stream(1, Purpose::test).index(size);
      FAIL() << "size " << size << " was taken";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.what(), "size must be >= 1, got " + std::to_string(size));
    }
  }
}

TEST(Stream, NormalsHaveTheMomentsOfTheNormal) {
  constexpr int n = 100000;
  Stream stream(16, Purpose::test);
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (int i = 0; i < n; ++i) {
    const double z = stream.normal();
    m1 += z;
    m2 += z * z;
    m3 += z * z * z;
    m4 += z * z * z * z;
  }
  // Four standard deviations: var z = 1, var z^2 = 2, var z^3 = 15, var z^4 = 105 - 9 = 96.
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(m1 / n, 0, 4 / root);
  EXPECT_NEAR(m2 / n, 1, 4 * std::sqrt(2.0) / root);
  EXPECT_NEAR(m3 / n, 0, 4 * std::sqrt(15.0) / root);
  EXPECT_NEAR(m4 / n, 3, 4 * std::sqrt(96.0) / root);
}

TEST(Stream, NormalsFallBelowEveryQuantileAsOftenAsTheyShould) {
  constexpr int n = 100000;
  std::vector<double> sorted(n);
  Stream stream(17, Purpose::test);
  for (double& z : sorted) z = stream.normal();
  std::sort(sorted.begin(), sorted.end());
  // Kolmogorov-Smirnov: sqrt(n) D exceeds 2.2 with probability 2 exp(-2 2.2^2) = 1.3e-4.
  double distance = 0;
  for (int i = 0; i < n; ++i) {
    const double p = 0.5 * std::erfc(-sorted[i] / std::sqrt(2.0));
    distance = std::max({distance, std::abs(p - i / double{n}), std::abs(p - (i + 1) / double{n})});
  }
  EXPECT_LT(distance, 2.2 / std::sqrt(double{n}));
}

TEST(NormalQuantile, RepeatsTheGoldenQuantilesToTheLastBit) {
  const std::vector<std::array<double, 2>> table = {
      {1e-300, -0x1.286074064c26ep+5},
      {1e-20, -0x1.2865170b43a4bp+3},
      {1e-05, -0x1.10f3f8843a3dap+2},
      {0.01, -0x1.29c5c4630ff0ep+1},
      {0.07, -0x1.79cd70d9c27f0p+0},
      {0.3, -0x1.0c7e39582c5fap-1},
      {0.5, 0x0.0p+0},
      {0.9, 0x1.4813c36e26d33p+0},
      {0.975, 0x1.f5c0331eeff82p+0},
      {0.999999, 0x1.30381a97985f1p+2},
  };
  for (const auto& [p, expected] : table) EXPECT_EQ(normal_quantile(p), expected) << p;
}

TEST(NormalQuantile, KnowsTheTabulatedValues) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_NEAR(normal_quantile(0.025), -1.959963984540054, 1e-15);
  EXPECT_NEAR(normal_quantile(0.9), 1.2815515655446004, 1e-15);
  EXPECT_NEAR(normal_quantile(0.995), 2.5758293035489004, 1e-15);
  EXPECT_NEAR(normal_quantile(1e-300), -37.047096299361199, 1e-14);
}

TEST(NormalQuantile, IsInvertedByTheNormalDistribution) {
  // d ln Phi(-x)/dx is about -x in the tail, so a relative error e of x makes one of x^2 e in p.
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Stream stream(seed, Purpose::test);
    const double p = std::pow(10.0, stream.uniform(-307, -0.31));
    const double x = normal_quantile(p), back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    RC_ASSERT(std::abs(back - p) <= 1e-15 * (4 + x * x) * p);
  }));
}

TEST(NormalQuantile, IsOdd) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    const double p = std::max(0x1p-53, 0.5 * Stream(seed, Purpose::test).uniform());
    const double exact = std::floor(p * 0x1p53) * 0x1p-53;  // so that 1 - p is exact
    RC_ASSERT(normal_quantile(exact) == -normal_quantile(1 - exact));
  }));
}

TEST(NormalQuantile, RisesAcrossTheSeamsOfItsThreePieces) {
  for (const double seam : {0.075, 0.925, std::exp(-25.0), 1 - std::exp(-25.0)}) {
    const double width = 1e-9 * std::min(seam, 1 - seam);
    double before = normal_quantile(seam - 50 * width);
    for (int i = -49; i <= 50; ++i) {
      const double here = normal_quantile(seam + i * width);
      EXPECT_GE(here, before - 1e-15 * std::abs(before)) << seam;
      before = here;
    }
  }
}

double distance_in_ulps(double value, double reference) {
  const double next = std::nextafter(std::abs(reference), std::numeric_limits<double>::infinity());
  return std::abs(value - reference) / (next - std::abs(reference));
}

TEST(PortableLog, AgreesWithTheLibraryToTwoUnitsInTheLastPlace) {
  double worst = 0;
  for (int exponent = -1074; exponent < 1024; exponent += 3) {
    Stream stream(18, Purpose::test, exponent + 2000);
    for (int i = 0; i < 20; ++i) {
      const double x = std::ldexp(1 + stream.uniform(), exponent);
      worst = std::max(worst, distance_in_ulps(portable_log(x), std::log(x)));
    }
  }
  EXPECT_LE(worst, 2);
}

TEST(PortableLog, IsAccurateNearOneWhereTheLogarithmVanishes) {
  EXPECT_EQ(portable_log(1), 0);
  for (int e = 1; e <= 52; ++e) {
    for (const double x : {1 + std::ldexp(1.0, -e), 1 - std::ldexp(1.0, -e)}) {
      EXPECT_LE(distance_in_ulps(portable_log(x), std::log(x)), 2) << x;
    }
  }
}

TEST(PortableLog, IsAccurateBetweenOneHalfAndTwo) {
  Stream stream(19, Purpose::test);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = stream.uniform(0.5, 2);
    worst = std::max(worst, distance_in_ulps(portable_log(x), std::log(x)));
  }
  EXPECT_LE(worst, 2);
}

}  // namespace
}  // namespace ridgerunner::stream_test
