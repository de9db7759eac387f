#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "oracles/dense.h"
#include "oracles/problems.h"
#include "ridgerunner/archive/engine_archive.h"
#include "ridgerunner/regression/dictionary/calandriello2019_bkb.h"
#include "ridgerunner/regression/dictionary/residual_budget.h"
#include "ridgerunner/regression/dictionary/zenati2022_kors.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner::oracle {

// A way to choose anchors, sparing enough for the small problems of the tests.
struct Kind {
  std::string name;
  std::function<std::unique_ptr<Dictionary>(const KernelPtr&)> make;
  bool arrival_features = false;
};

inline std::vector<Kind> every_kind() {
  const auto with_kors = [](const KernelPtr& kernel) { return kors(kernel, {0.5, 0.8, 0.5}); };
  const auto with_budget = [](const KernelPtr&) { return residual_budget({1, 1, 20}); };
  return {{"full", [](const KernelPtr&) { return full_dictionary(); }},
          {"kors", with_kors},
          {"kors on arrival", with_kors, true},
          {"bkb", [](const KernelPtr&) { return bkb_dictionary(0.7); }},
          {"bbkb", [](const KernelPtr&) { return bbkb_dictionary(0.7, 3); }},
          {"residual budget", with_budget},
          {"residual budget on arrival", with_budget, true}};
}

inline ProjectedRegression model_of(const Kind& kind, const KernelPtr& kernel, double ridge,
                                    std::optional<Matrix> arms = {}, std::uint64_t seed = 7) {
  return {kernel, ridge, kind.make(kernel),
          ProjectedOptions{seed, kind.arrival_features, {}, std::move(arms)}};
}

// All a model has learnt: equal bytes continue equally.
inline std::string bytes_of(const Regression& regression) {
  ByteWriter out;
  write_engine(out, regression);
  return out.take();
}

// The largest error, relative to the value or to a hundredth of the largest value, whichever is larger.
inline double worst(const Vector& got, const LongVector& expected) {
  const long double scale = expected.cwiseAbs().maxCoeff();
  long double error = 0;
  for (Index i = 0; i < got.size(); ++i)
    error = std::max(error, std::abs(got[i] - expected[i]) / std::max(std::abs(expected[i]), 0.01L * scale));
  return static_cast<double>(error);
}

inline double relative(double got, long double expected) {
  return static_cast<double>(std::abs(got - expected) / std::max(std::abs(expected), 1e-3L));
}

}  // namespace ridgerunner::oracle
