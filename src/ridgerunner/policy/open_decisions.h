#pragma once

#include <cstdint>
#include <vector>

#include "ridgerunner/linalg/growing_columns.h"

namespace ridgerunner {

// Choices whose reward is still to come.
class OpenDecisions {
 public:
  struct Entry {
    std::uint64_t number;  // of the decision
    Vector state;
  };

  Index size() const { return std::ssize(numbers_); }
  void open(std::uint64_t number, const VectorIn& state);
  bool close_oldest(const VectorIn& state);  // false if there is none of this state

  std::vector<Entry> entries() const;

 private:
  // Parallel arrays in no order: the last one fills a gap.
  std::vector<std::uint64_t> numbers_, hashes_;
  std::vector<Vector> states_;
};

}  // namespace ridgerunner
