#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <ridgerunner/report/table.h>

namespace ridgerunner {

inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline std::vector<double> ratios_of(const std::vector<std::pair<double, double>>& times) {
  std::vector<double> ratios;
  for (const auto& [slow, fast] : times) ratios.push_back(slow / fast);
  return ratios;
}

inline Table ratio_table() {
  return {{{"what", Align::left}, {"ratio", Align::right}, {"range", Align::right}, {"goal", Align::left}},
          {},
          ""};
}

// A row with the median and the range.
inline void add_ratios(const std::string& what, const std::vector<double>& ratios, const std::string& goal,
                       Table& table) {
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  table.rows.push_back({{what, number(sorted[sorted.size() / 2]),
                         number(sorted.front()) + " to " + number(sorted.back()), goal}});
}

}  // namespace ridgerunner
