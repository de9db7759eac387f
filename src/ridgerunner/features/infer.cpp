#include "ridgerunner/features/infer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"
#include "ridgerunner/features/value.h"

namespace ridgerunner {
namespace {

constexpr std::size_t kMostDistinct = 1000;  // that are kept
constexpr std::size_t kLongestKept = 200;    // bytes of each: two longer words that begin alike count as one
constexpr double kWordsOfAText = 1.5;        // a cell, on average

std::int64_t count_words(std::string_view cell) {
  std::int64_t count = 0;
  bool inside = false;
  for (const char c : cell) {
    const bool space = c == ' ' || c == '\t' || c == '\n';
    if (!space && !inside) ++count;
    inside = !space;
  }
  return count;
}

// Values that go around, by the usual names of their columns.
std::optional<double> usual_period(const std::string& name, double least, double greatest) {
  struct Usual {
    std::string_view name;
    double least, greatest, period;
  };
  static constexpr Usual kAll[] = {{"hour", 0, 24, 24},    {"weekday", 0, 7, 7}, {"day_of_week", 0, 7, 7},
                                   {"dayofweek", 0, 7, 7}, {"month", 1, 12, 12}, {"minute", 0, 60, 60},
                                   {"second", 0, 60, 60}};
  std::string lower = name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const Usual& usual : kAll) {
    const bool named = lower == usual.name || lower.ends_with(fmt::format("_{}", usual.name));
    if (named && least >= usual.least && greatest <= usual.greatest) return usual.period;
  }
  return std::nullopt;
}

}  // namespace

void ColumnProfile::add(std::string_view given) {
  const std::string_view cell = trimmed(given);
  ++cells_;
  if (is_missing_cell(cell)) {
    ++missing_;
    return;
  }
  if (const auto number = number_of_cell(cell); number && std::isfinite(*number)) {
    least_ = numbers_ == 0 ? *number : std::min(least_, *number);
    greatest_ = numbers_ == 0 ? *number : std::max(greatest_, *number);
    ++numbers_;
    if (*number == std::floor(*number)) ++integers_;
  } else if (!no_number_) {
    no_number_ = cell.substr(0, kLongestKept);
  }
  if (flag_of_cell(cell)) ++flags_;
  words_ += count_words(cell);
  if (more_distinct_) return;
  distinct_.emplace(cell.substr(0, kLongestKept));
  more_distinct_ = distinct_.size() > kMostDistinct;
}

// Looks at a whole column.
struct ColumnJudge {
  const ColumnProfile& profile;

  std::int64_t present() const { return profile.cells_ - profile.missing_; }
  std::size_t distinct() const { return profile.distinct_.size(); }
  bool is_number() const { return profile.numbers_ == present(); }
  bool is_boolean() const { return profile.flags_ == present() && distinct() <= 2; }
  double words_per_cell() const {
    return static_cast<double>(profile.words_) / static_cast<double>(present());
  }

  bool has_few_words() const {
    if (profile.more_distinct_ || distinct() > kMostOneHot) return false;
    // A handful of rows may all differ, as names do; few words in many rows come again.
    return static_cast<std::int64_t>(distinct()) * 2 <= present() || distinct() <= 2 ||
           (words_per_cell() <= kWordsOfAText && distinct() <= 10);
  }

  std::string counted() const {
    return profile.more_distinct_ ? fmt::format("more than {} distinct", kMostDistinct)
                                  : fmt::format("{} distinct", distinct());
  }

  std::string missing() const {
    return profile.missing_ == 0 ? "none missing"
                                 : fmt::format("{} of {} missing", profile.missing_, profile.cells_);
  }

  std::string mostly_numbers() const {
    if (profile.numbers_ * 2 < present()) return "";
    return fmt::format("; {} cells are numbers, but not \"{}\"", profile.numbers_,
                       printable(profile.no_number_.value_or("").substr(0, 40)));
  }

  InferredFeature boolean(const std::string& name) const {
    std::string both;
    for (const std::string& word : profile.distinct_) both += (both.empty() ? "" : " and ") + word;
    return {{.name = name, .type = FeatureType::boolean}, fmt::format("only {}, {}", both, missing())};
  }

  InferredFeature number(const std::string& name) const {
    InferredFeature inferred{{.name = name, .type = FeatureType::number}, ""};
    inferred.feature.period = usual_period(name, profile.least_, profile.greatest_);
    inferred.why = fmt::format("{}, {} to {}, {}", counted(), shortest(profile.least_),
                               shortest(profile.greatest_), missing());
    if (inferred.feature.period) inferred.why += "; the name says that it goes around";
    if (profile.least_ > 0 && profile.greatest_ / profile.least_ >= 1000)
      inferred.why += "; spans powers of ten, log = true may suit";
    if (profile.integers_ == present() && profile.more_distinct_)
      inferred.why += "; if these are ids, type = \"category\"";
    return inferred;
  }

  InferredFeature category(const std::string& name) const {
    InferredFeature inferred{{.name = name, .type = FeatureType::category}, ""};
    inferred.why = fmt::format("{} words, {}{}", counted(), missing(), mostly_numbers());
    if (!has_few_words()) {
      inferred.why += "; too many to list, each has a code";
      return inferred;
    }
    inferred.feature.values.assign(profile.distinct_.begin(), profile.distinct_.end());
    try {
      check_schema({.context = {inferred.feature}});
    } catch (const InvalidArgument&) {  // cut or broken words cannot be listed
      inferred.feature.values.clear();
      inferred.why += "; not all of them can be listed";
    }
    return inferred;
  }
};

std::optional<InferredFeature> infer_feature(const std::string& name, const ColumnProfile& profile) {
  const ColumnJudge judge{profile};
  if (judge.present() == 0) return std::nullopt;
  if (judge.is_boolean()) return judge.boolean(name);
  if (judge.is_number()) return judge.number(name);
  if (judge.has_few_words() || judge.words_per_cell() <= kWordsOfAText) return judge.category(name);
  return InferredFeature{
      {.name = name, .type = FeatureType::text},
      fmt::format("{}, {:.1f} words a cell, {}", judge.counted(), judge.words_per_cell(), judge.missing())};
}

std::string inferred_to_toml(const InferredFeature& inferred, const char* list) {
  std::string out = fmt::format("\n# {}: {}\n[[features.{}]]\n", printable(inferred.feature.name),
                                printable(inferred.why), list);
  const Json json = feature_to_json(inferred.feature);
  for (const auto& [key, value] : json.items()) out += fmt::format("{} = {}\n", key, toml_text(value));
  return out;
}

}  // namespace ridgerunner
