#include "ridgerunner/features/hashing.h"

#include <cmath>
#include <string>

#include "ridgerunner/codec/bytes.h"

namespace ridgerunner {
namespace {

std::uint64_t splitmix64(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void write_bits(std::uint64_t bits, VectorOut columns) {
  const double unit = 1 / std::sqrt(static_cast<double>(columns.size()));
  for (Index i = 0; i < columns.size(); ++i) columns[i] = (bits >> i) & 1 ? unit : -unit;
}

bool is_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::uint64_t mixed_hash(std::string_view bytes) {
  return splitmix64(fnv1a(bytes));
}

void write_code(std::string_view word, VectorOut columns) {
  write_bits(mixed_hash(word), columns);
}

void write_missing_code(VectorOut columns) {
  write_bits(splitmix64(0), columns);
}

void add_hashed(std::string_view key, double weight, VectorOut columns) {
  const std::uint64_t hash = mixed_hash(key);
  const auto place =
      static_cast<Index>((hash & 0x7FFFFFFFFFFFFFFFu) % static_cast<std::uint64_t>(columns.size()));
  columns[place] += hash >> 63 ? weight : -weight;
}

void write_text(std::string_view text, VectorOut columns) {
  columns.setZero();
  std::string word;
  for (const char c : text) {
    if (is_letter(c)) {
      word += lowered(c);
    } else if (!word.empty()) {
      add_hashed(word, 1, columns);
      word.clear();
    }
  }
  if (!word.empty()) add_hashed(word, 1, columns);
  if (const double norm = columns.norm(); norm > 0) columns /= norm;
}

}  // namespace ridgerunner
