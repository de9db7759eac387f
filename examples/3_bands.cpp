// Bands: an interval to act upon. With probability 95 % the true curve is inside of it at all points and at
// all rounds at once, if its norm is at most 4 and the noise's sd at most 0.1. Tighter bounds give narrower
// bands from the same data.
#include <cmath>
#include <cstdio>

#include <ridgerunner/ridgerunner.h>

namespace rr = ridgerunner;

int main() {
  const auto truth = [](double x) { return std::sin(6 * x); };
  const rr::Matrix grid = Eigen::RowVectorXd::LinSpaced(101, 0, 1);
  for (const char* name : {"gp-ucb", "amm-ucb", "dmm-ucb", "cmm-ucb"}) {
    rr::BoundSpec bound;
    bound.set("delta", 0.05);
    bound.set("norm_bound", 4);
    rr::Spec spec = rr::preset(name, bound);
    spec.kernel.lengthscale = {0.2};
    rr::Policy policy(spec);
    for (int t = 0; t < 60; ++t) {
      const double x = std::fmod(0.618034 * t, 1.0), noise = t % 2 ? 0.1 : -0.1;
      policy.observe(rr::Vector::Constant(1, x), truth(x) + noise);
    }
    const rr::Forecast at = policy.predict(grid);
    int inside = 0;
    for (int i = 0; i < grid.cols(); ++i)
      inside += at.lower[i] <= truth(grid(0, i)) && truth(grid(0, i)) <= at.upper[i];
    std::printf("%-8s truth inside at %d of 101 points, mean width %.3f\n", name, inside,
                (at.upper - at.lower).mean());
  }
}
