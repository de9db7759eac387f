#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <ridgerunner/linalg/types.h>

// A CSV file of numbers that the Python twin has written: its last column apart, the others as columns of
// `points`.
struct Table {
  ridgerunner::Matrix points;  // d x n
  ridgerunner::Vector last;    // n
};

inline Table read_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::vector<double>> rows;
  for (std::string line, cell; std::getline(file, line);) {
    rows.emplace_back();
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      rows.back().push_back(std::stod(cell));
  }
  const auto n = static_cast<ridgerunner::Index>(rows.size());
  const auto d = static_cast<ridgerunner::Index>(rows.at(0).size()) - 1;
  Table table{ridgerunner::Matrix(d, n), ridgerunner::Vector(n)};
  for (ridgerunner::Index i = 0; i < n; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    table.points.col(i) = Eigen::Map<const ridgerunner::Vector>(row.data(), d);
    table.last[i] = row.back();
  }
  return table;
}
