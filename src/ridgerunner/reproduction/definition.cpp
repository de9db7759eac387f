#include "ridgerunner/reproduction/definition.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Levenshtein's.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

template <class Work>
auto naming(const std::string& place, const Work& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", place, error.what()));
  }
}

std::vector<Definition> parse_all() {
  std::vector<Definition> all;
  for (const EmbeddedReproduction& files : embedded_reproductions()) all.push_back(parse_definition(files));
  std::sort(all.begin(), all.end(),
            [](const Definition& a, const Definition& b) { return natural_less(a.key, b.key); });
  return all;
}

}  // namespace

Definition parse_definition(const EmbeddedReproduction& files) {
  Definition definition;
  definition.key = files.key;
  definition.readme = files.readme;
  naming(definition.key + "/spec.json", [&] {
    definition.spec = parse_json(files.spec);
    for (const auto& [name, field] : {std::pair{"paper", &definition.paper},
                                      {"title", &definition.title},
                                      {"shows", &definition.shows}}) {
      if (!definition.spec.contains(name) || !definition.spec[name].is_string())
        throw InvalidArgument(fmt::format("{} must be a string", name));
      *field = definition.spec[name].get<std::string>();
      definition.spec.erase(name);
    }
    return 0;
  });
  definition.checks =
      naming(definition.key + "/expected.json", [&] { return checks_from_json(parse_json(files.expected)); });
  return definition;
}

const std::vector<Definition>& definitions() {
  static const std::vector<Definition> all = parse_all();
  return all;
}

const Definition& find_definition(std::string_view key) {
  std::vector<std::pair<std::size_t, const Definition*>> near;
  for (const Definition& known : definitions()) {
    if (known.key == key) return known;
    near.emplace_back(distance(key, known.key), &known);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i)
    names += (i > 0 ? ", " : "") + near[i].second->key;
  throw InvalidArgument(
      fmt::format("unknown reproduction \"{}\"; the nearest are {}; --list shows all", key, names));
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      std::size_t x = 0, y = 0;
      for (; i < a.size() && is_digit(a[i]); ++i) x = 10 * x + static_cast<std::size_t>(a[i] - '0');
      for (; j < b.size() && is_digit(b[j]); ++j) y = 10 * y + static_cast<std::size_t>(b[j] - '0');
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

}  // namespace ridgerunner
