// The functions that a problem draws, one a run, on its arms on the line, as in figure 1 of durand2018.
// Values are named "norm, least" and "norm, most" over runs: the norm of the smoothest function of the
// kernel's space that has the same values at the arms, to within the ridge's slack, so at most the norm of
// the function; and "span, least", "span, most", of its values.

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"
#include "ridgerunner/reproduction/uniform_data.h"

namespace ridgerunner {
namespace {

// f^T (K + εI)^-1 f, at most the square of the norm for every ε > 0.
double norm_at_least(const UniformData& data) {
  constexpr double kSlack = 1e-9;
  Matrix between = gram(*make_kernel(data.facts().kernel), data.arms(), data.arms());
  between.diagonal().array() += kSlack;
  return std::sqrt(data.expected().dot(between.llt().solve(data.expected())));
}

class FunctionReproduction final : public Reproduction {
 public:
  explicit FunctionReproduction(const Json& spec) {
    Fields fields(spec, "");
    plan_ = plan_from_json(fields);
    fields.finish();
    data(0);
  }

  std::vector<Job> jobs() const override { return {}; }

  Outcome conclude(const Finished&) const override {
    Outcome outcome;
    Figure figure{"Test functions", {"x"}, {"f(x)"}};
    std::vector<double> norms, spans;
    for (std::int64_t run = 0; run < plan_.runs; ++run) {
      const UniformData drawn = data(run);
      const Vector x = drawn.arms().row(0).transpose(), &f = drawn.expected();
      figure.series.push_back(
          {fmt::format("run {}", run + 1), {x.data(), x.data() + x.size()}, {f.data(), f.data() + f.size()}});
      norms.push_back(norm_at_least(drawn));
      spans.push_back(f.maxCoeff() - f.minCoeff());
    }
    for (const auto& [name, found] : {std::pair{"norm", &norms}, {"span", &spans}}) {
      const auto [least, most] = std::minmax_element(found->begin(), found->end());
      outcome.values.set(fmt::format("{}, least", name), *least);
      outcome.values.set(fmt::format("{}, most", name), *most);
    }
    outcome.sections.push_back({"Functions", {PageFigure{std::move(figure), "One function a run."}}});
    return outcome;
  }

 private:
  UniformData data(std::int64_t run) const {
    const std::uint64_t seed = run_seed(plan_.seed, static_cast<std::uint64_t>(run));
    return {make_environment(plan_.environment, seed), seed};
  }

  Plan plan_;
};

}  // namespace

std::unique_ptr<Reproduction> function_reproduction(const Json& spec) {
  return std::make_unique<FunctionReproduction>(spec);
}

}  // namespace ridgerunner
