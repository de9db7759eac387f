#pragma once

#include <stdexcept>
#include <string>

namespace ridgerunner {

// Misuse: a parameter, a dimension or a text that cannot be right. The message names the culprit, its
// value and what is allowed: "ridge must be > 0, got -1". Nothing has changed when it is thrown.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Arithmetic failed although the input was well formed: a pivot that is not positive, a variance that is
// negative beyond rounding. Nothing has changed when it is thrown.
class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Checks at the boundary; `name` is the word the user knows the parameter by.
void require_finite(const char* name, double value);
void require_positive(const char* name, double value);
void require_at_least(const char* name, double value, double least);
void require_between(const char* name, double value, double low, double high);  // open interval

}  // namespace ridgerunner
