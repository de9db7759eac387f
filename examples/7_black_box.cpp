// Black-box optimisation: 442 patients, ten measurements each, and the progress of diabetes a year later,
// dear to find out. Who has the largest, within 30 tries? A kernel against a linear bandit and against
// chance. The argument names the folder where the Python twin has written the table.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>

#include <ridgerunner/ridgerunner.h>

#include "table.h"

namespace rr = ridgerunner;

namespace {

constexpr int kSeeds = 10, kTries = 30;

void search(const char* name, const char* preset, const rr::KernelSpec& kernel, const Table& patients) {
  rr::Spec spec = rr::preset(preset);
  spec.kernel = kernel;
  spec.regression.ridge = 0.5;
  spec.bound.set("radius", 0.7);
  double bests = 0, sum = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    spec.seed = static_cast<std::uint64_t>(seed);
    rr::Policy policy(spec);
    std::vector<rr::Index> left(static_cast<std::size_t>(patients.last.size()));
    std::iota(left.begin(), left.end(), 0);
    double best = -1e9;
    for (int t = 0; t < kTries; ++t) {
      const rr::Matrix candidates = patients.points(Eigen::all, left);
      const auto at = left.begin() + policy.decide(candidates).index;
      const double value = patients.last[*at];
      policy.observe(patients.points.col(*at), value);
      left.erase(at);
      best = std::max(best, value);
      sum += value;
    }
    bests += best;
  }
  std::printf("%-7s best %.3f (of %.3f), mean %.3f\n", name, bests / kSeeds, patients.last.maxCoeff(),
              sum / (kSeeds * kTries));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: black_box FOLDER, where 7_black_box.py has written its table\n";
    return 2;
  }
  const Table patients = read_table(std::string(arguments[1]) + "/diabetes.csv");
  rr::KernelSpec gaussian, affine, linear;
  gaussian.lengthscale = {4};
  affine.type = linear.type = rr::KernelType::linear;
  affine.offset = 1;
  search("kernel", "k-ucb", gaussian, patients);
  search("linear", "k-ucb", affine, patients);
  search("uniform", "uniform", linear, patients);
}
