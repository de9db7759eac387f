#pragma once

#include <cstdint>
#include <string_view>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// Words as numbers, without a list of them. Integer arithmetic alone decides which number goes where, so the
// columns are the same on every machine.

// 64 well mixed bits: FNV-1a, then the finalizer of splitmix64.
std::uint64_t mixed_hash(std::string_view bytes);

// 32 columns of +-1/sqrt(32) by the bits of the hash. Two words differ in 16 +- 3 of them: they are about
// sqrt(2) apart, 99.8 % of the pairs between 1 and 1.8.
void write_code(std::string_view word, VectorOut columns);
void write_missing_code(VectorOut columns);  // that of no word

// Adds +-weight to one of the columns.
void add_hashed(std::string_view key, double weight, VectorOut columns);

// The words of a text, hashed with signs and scaled to length 1, if there are any. A word is letters and
// digits; upper case of ASCII is lowered, and every byte of other alphabets counts as a letter.
void write_text(std::string_view text, VectorOut columns);

}  // namespace ridgerunner
