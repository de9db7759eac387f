// How long one decision takes: 30 candidates, 100 anchors, d = 3. For benchmarks/python_overhead.py, which
// measures the same from Python. Prints the median of 200 batches of 50 decisions, in microseconds, for each
// policy named.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <ridgerunner/ridgerunner.h>

#include "measure.h"

namespace rr = ridgerunner;

namespace {

// Points that fill the cube evenly: the fractional parts of i (a, b, c).
rr::Matrix points(int count, int start) {
  rr::Matrix out(3, count);
  for (int i = 0; i < count; ++i) {
    const double step = i + start;
    out.col(i) << std::fmod(0.8191725134 * step, 1.0), std::fmod(0.6710436067 * step, 1.0),
        std::fmod(0.5497004779 * step, 1.0);
  }
  return out;
}

}  // namespace

int main(int count, char** names) {
  for (int which = 1; which < count; ++which) {
    rr::Spec spec = rr::preset(names[which]);
    spec.regression.dictionary.set("oversampling", 1e6);  // all states become anchors
    rr::Policy learnt(spec);
    const rr::Matrix states = points(100, 1), candidates = points(30, 200);
    learnt.observe(states, states.row(0).transpose());
    std::vector<double> times;
    for (int batch = 0; batch < 200; ++batch) {
      rr::Policy policy = learnt;
      times.push_back(rr::seconds([&] {
        for (int i = 0; i < 50; ++i) policy.decide(candidates);
      }));
    }
    std::nth_element(times.begin(), times.begin() + 100, times.end());
    std::printf("%s %.3f\n", names[which], times[100] / 50 * 1e6);
  }
}
