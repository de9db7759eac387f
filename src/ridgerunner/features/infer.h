#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "ridgerunner/features/schema.h"

namespace ridgerunner {

// What the cells of a table's column are, counted one by one. Takes the same memory however many there are.
class ColumnProfile {
 public:
  void add(std::string_view cell);

 private:
  friend struct ColumnJudge;

  std::int64_t cells_ = 0, missing_ = 0, numbers_ = 0, integers_ = 0, flags_ = 0, words_ = 0;
  double least_ = 0, greatest_ = 0;
  std::optional<std::string> no_number_;  // the first cell that is none
  std::set<std::string> distinct_;        // up to a limit
  bool more_distinct_ = false;
};

// A feature for a column, with the reason for people: "24 distinct, 0 to 23, none missing".
struct InferredFeature {
  Feature feature;
  std::string why;
};

// A number if all cells are, a boolean if there are only two of yes and no, 0 and 1, ...; a category if there
// are few distinct words, or many but one a cell; otherwise a text. Nothing if every cell is missing.
std::optional<InferredFeature> infer_feature(const std::string& name, const ColumnProfile& profile);

// [[features.context]] with the reason as a comment.
std::string inferred_to_toml(const InferredFeature& inferred, const char* list);

}  // namespace ridgerunner
