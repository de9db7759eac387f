#include "ridgerunner/features/schema.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr Index kMostColumns = 100'000;
constexpr std::size_t kLongestName = 200;  // bytes, of names and listed words

// What can be written in every format and shown in a terminal.
void require_word(const std::string& path, const std::string& word) {
  bool fine = !word.empty() && word.size() <= kLongestName;
  for_each_code_point(word, [&](char32_t value, std::string_view bytes) {
    const bool broken = value == CodePoint::kReplacement && bytes != kReplacementText;
    fine = fine && !broken && !is_control(value);
  });
  if (!fine)
    throw InvalidArgument(
        fmt::format("{} must be 1 to {} bytes of text without control characters, got \"{}\"", path,
                    kLongestName, printable(word.substr(0, 40))));
}

void check_values(const Feature& feature, const std::string& path) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < feature.values.size(); ++i) {
    const std::string place = fmt::format("{}.values[{}]", path, i);
    require_word(place, feature.values[i]);
    if (!seen.insert(feature.values[i]).second)
      throw InvalidArgument(fmt::format("{} must not be there twice, got \"{}\"", place, feature.values[i]));
  }
}

void check_feature(const Feature& feature, const std::string& path) {
  require_word(path + ".name", feature.name);
  try {
    check_record(feature);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}.{}", path, error.what()));
  }
  if (feature.type == FeatureType::number && feature.log && feature.period)
    throw InvalidArgument(fmt::format("{}: log and period exclude each other", path));
  if (feature.type == FeatureType::numbers && !feature.size)
    throw InvalidArgument(fmt::format("{}.size is missing: how many numbers the list has", path));
  if (feature.type == FeatureType::category) check_values(feature, path);
}

Index columns_of(const std::vector<Feature>& features) {
  Index count = 0;
  for (const Feature& feature : features) count += feature.columns();
  return count;
}

using Add = std::function<void(std::string name, ColumnKind kind)>;

void add_numbered(const std::string& name, Index count, ColumnKind kind, const Add& add) {
  for (Index i = 0; i < count; ++i) add(fmt::format("{}#{}", name, i), kind);
}

void add_number_columns(const Feature& feature, const Add& add) {
  if (feature.period) {
    add(fmt::format("cos({})", feature.name), ColumnKind::number);
    add(fmt::format("sin({})", feature.name), ColumnKind::number);
  } else {
    add(feature.log ? fmt::format("log({})", feature.name) : feature.name, ColumnKind::number);
  }
}

void add_columns(const Feature& feature, const Add& add) {
  switch (feature.type) {
    case FeatureType::number:
      add_number_columns(feature, add);
      break;
    case FeatureType::boolean:
      add(feature.name, ColumnKind::number);
      break;
    case FeatureType::category:
      if (!feature.is_one_hot()) return add_numbered(feature.name, kCodeWidth, ColumnKind::code, add);
      for (const std::string& value : feature.values)
        add(fmt::format("{}={}", feature.name, value), ColumnKind::one_hot);
      return add(fmt::format("{} is another", feature.name), ColumnKind::one_hot);
    case FeatureType::text:
      add_numbered(feature.name, feature.width, ColumnKind::hashed, add);
      break;
    case FeatureType::numbers:
      for (Index i = 0; i < feature.size.value_or(0); ++i)
        add(fmt::format("{}[{}]", feature.name, i), ColumnKind::number);
      break;
  }
  if (feature.has_indicator()) add(fmt::format("{} is missing", feature.name), ColumnKind::indicator);
}

// Letters to change, add or drop to make one word of the other, up to `most`.
std::size_t edits(const std::string& a, const std::string& b, std::size_t most) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

const Names<FeatureType>& names_of(FeatureType) {
  static const Names<FeatureType> names = {{FeatureType::number, "number"},
                                           {FeatureType::category, "category"},
                                           {FeatureType::boolean, "boolean"},
                                           {FeatureType::text, "text"},
                                           {FeatureType::numbers, "numbers"}};
  return names;
}

bool Feature::is_one_hot() const {
  return type == FeatureType::category && !values.empty() && values.size() <= kMostOneHot;
}

Index Feature::columns() const {
  const Index indicator = has_indicator() ? 1 : 0;
  switch (type) {
    case FeatureType::number:
      return (period ? 2 : 1) + indicator;
    case FeatureType::boolean:
      return 1 + indicator;
    case FeatureType::category:
      return is_one_hot() ? std::ssize(values) + 1 : kCodeWidth;
    case FeatureType::text:
      return width + indicator;
    case FeatureType::numbers:
      return size.value_or(0) + indicator;
  }
  return 0;
}

Index Schema::context_columns() const {
  return columns_of(context) + (hash_unknown ? hash_width : 0);
}

Index Schema::action_columns() const {
  const Index own = action.empty() ? kCodeWidth : columns_of(action);
  return own + (hash_unknown ? hash_width : 0);
}

std::vector<FeatureColumn> Schema::columns() const {
  std::vector<FeatureColumn> all;
  int feature = 0;
  const auto add_features = [&](const std::vector<Feature>& features) {
    for (const Feature& known : features) {
      add_columns(known, [&](std::string name, ColumnKind kind) {
        all.push_back({std::move(name), feature, kind});
      });
      ++feature;
    }
  };
  const Add add_other = [&](std::string name, ColumnKind kind) {
    all.push_back({std::move(name), FeatureColumn::kNone, kind});
  };
  add_features(context);
  if (hash_unknown) add_numbered("context", hash_width, ColumnKind::hashed, add_other);
  add_features(action);
  if (action.empty()) add_numbered("id", kCodeWidth, ColumnKind::code, add_other);
  if (hash_unknown) add_numbered("action", hash_width, ColumnKind::hashed, add_other);
  return all;
}

std::vector<int> Schema::groups() const {
  const std::vector<FeatureColumn> all = columns();
  const Index first_of_action = context_columns();
  const auto is_list = [&](int feature) {
    if (feature == FeatureColumn::kNone) return false;
    const auto at = static_cast<std::size_t>(feature);
    const Feature& known = at < context.size() ? context[at] : action[at - context.size()];
    return known.type == FeatureType::numbers;
  };
  std::vector<int> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool same = i > 0 && static_cast<Index>(i) != first_of_action &&
                      all[i].feature == all[i - 1].feature && all[i].kind == all[i - 1].kind &&
                      !is_list(all[i].feature);
    groups.push_back(i == 0 ? 0 : groups.back() + (same ? 0 : 1));
  }
  return groups;
}

bool Schema::action_is_one_category() const {
  if (hash_unknown) return false;
  return action.empty() || (action.size() == 1 && action[0].type == FeatureType::category);
}

void check_schema(const Schema& schema) {
  std::set<std::string> names;
  const auto check_list = [&](const std::vector<Feature>& features, const char* list) {
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::string path = fmt::format("features.{}[{}]", list, i);
      check_feature(features[i], path);
      if (!names.insert(features[i].name).second)
        throw InvalidArgument(
            fmt::format("{}.name must not be there twice, got \"{}\"", path, features[i].name));
    }
  };
  check_list(schema.context, "context");
  check_list(schema.action, "action");
  for (const Feature& feature : schema.action) {
    if (feature.name == "features")  // {"id": ..., "features": {...}} could not be told from features
      throw InvalidArgument("features.action must not have a feature named \"features\"");
  }
  try {
    check_record(schema);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("features.{}", error.what()));
  }
  if (schema.dimension() > kMostColumns)
    throw InvalidArgument(
        fmt::format("features must have at most {} columns, got {}", kMostColumns, schema.dimension()));
}

std::string suggestion(const std::string& unknown, const std::vector<std::string>& known) {
  constexpr std::size_t kShown = 20;
  if (known.empty()) return "none are known";
  const std::string* nearest = nullptr;
  std::size_t fewest = (unknown.size() < 4 ? 1 : std::max<std::size_t>(2, unknown.size() / 3)) + 1;
  for (const std::string& name : known) {
    const std::size_t count = unknown.size() > kLongestName ? fewest : edits(unknown, name, fewest);
    if (count >= fewest) continue;
    fewest = count;
    nearest = &name;
  }
  std::vector<std::string> names(known.begin(), known.begin() + std::min(kShown, known.size()));
  const std::string more =
      known.size() > kShown ? fmt::format(" and {} more", known.size() - kShown) : std::string();
  return fmt::format("{}known are {}{}", nearest ? "did you mean " + *nearest + "? " : "", listed(names),
                     more);
}

}  // namespace ridgerunner
