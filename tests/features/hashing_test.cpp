#include "ridgerunner/features/hashing.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ridgerunner::hashing_test {
namespace {

Vector code(std::string_view word) {
  Vector columns(32);
  write_code(word, columns);
  return columns;
}

Vector text(std::string_view words, Index width = 32) {
  Vector columns(width);
  write_text(words, columns);
  return columns;
}

// By hand, in Python: FNV-1a of the bytes, then the finalizer of splitmix64.
TEST(Hashing, IsTheSameOnEveryMachine) {
  EXPECT_EQ(mixed_hash(""), 0xC3817C016BA4FF30u);
  EXPECT_EQ(mixed_hash("latte"), 0x888FAD9B37EA0A94u);
  EXPECT_EQ(mixed_hash("größe"), 0xA9B541425F6E8284u);
}

TEST(Codes, AreOfLengthOneAndAFunctionOfTheWord) {
  EXPECT_NEAR(code("latte").norm(), 1, 1e-15);
  EXPECT_EQ(code("latte"), code("latte"));
  EXPECT_NE(code("latte"), code("Latte"));
  const double unit = 1 / std::sqrt(32.0);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(code("latte")[i], 0x888FAD9B37EA0A94u >> i & 1 ? unit : -unit);
}

TEST(Codes, OfMissingIsNotThatOfAWord) {
  Vector missing(32);
  write_missing_code(missing);
  for (const char* word : {"", "missing", "null", "NA", "0"}) EXPECT_NE(code(word), missing);
}

// Of binomial(32, 1/2) bits 0.11 % are fewer than 8 and 0.03 % more than 25: a distance below 1 or above 1.8.
TEST(Codes, OfTenThousandWordsAreApart) {
  constexpr int kWords = 10'000;
  std::vector<std::uint32_t> bits;
  for (int i = 0; i < kWords; ++i)
    bits.push_back(static_cast<std::uint32_t>(mixed_hash(fmt::format("item{}", i))));
  std::int64_t outside = 0, pairs = 0;
  int fewest = 32, most = 0;
  double sum = 0;
  for (int i = 0; i < kWords; ++i) {
    for (int j = 0; j < i; ++j) {
      const int differ =
          __builtin_popcount(bits[static_cast<std::size_t>(i)] ^ bits[static_cast<std::size_t>(j)]);
      fewest = std::min(fewest, differ);
      most = std::max(most, differ);
      sum += differ;
      ++pairs;
      if (differ < 8 || differ > 25) ++outside;  // distance 2 sqrt(differ / 32)
    }
  }
  EXPECT_LT(static_cast<double>(outside) / static_cast<double>(pairs), 0.002);
  EXPECT_NEAR(sum / static_cast<double>(pairs), 16, 0.02);
  EXPECT_GT(fewest, 0) << "two words with one code";
  EXPECT_LT(most, 32) << "two words with opposite codes";
  EXPECT_NEAR((code("item1") - code("item2")).norm(),
              2 * std::sqrt(__builtin_popcount(bits[1] ^ bits[2]) / 32.0), 1e-12);
}

TEST(Text, IsItsWordsWhateverTheirOrderCaseAndPunctuation) {
  EXPECT_EQ(text("Hot coffee, now!"), text("now hot COFFEE"));
  EXPECT_NEAR(text("hot coffee").norm(), 1, 1e-12);
  EXPECT_NE(text("hot coffee"), text("cold coffee"));
  EXPECT_EQ(text(" .,;!"), Vector::Zero(32));
  EXPECT_EQ(text(""), Vector::Zero(32));
}

TEST(Text, CountsRepeatedWords) {
  const Vector once = text("tea coffee", 1000), twice = text("tea tea coffee", 1000);
  EXPECT_NEAR(once.cwiseAbs().maxCoeff(), 1 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(twice.cwiseAbs().maxCoeff(), 2 / std::sqrt(5.0), 1e-12);
}

TEST(Text, BytesOfOtherAlphabetsAreLetters) {
  EXPECT_EQ(text("größe"), text("größe!"));
  EXPECT_NE(text("größe"), text("gr e"));
  EXPECT_NE(text("茶"), Vector::Zero(32));
}

TEST(AddHashed, AddsTheWeightToOneColumnWithASign) {
  Vector columns = Vector::Zero(7);
  add_hashed("price", 2.5, columns);
  EXPECT_EQ(columns.cwiseAbs().sum(), 2.5);
  add_hashed("price", -2.5, columns);
  EXPECT_EQ(columns, Vector::Zero(7));
}

}  // namespace
}  // namespace ridgerunner::hashing_test
