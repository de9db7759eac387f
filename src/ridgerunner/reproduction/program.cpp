// CMM-UCB's upper bounds beside the cone program that defines them, solved on its own, as the listing in
// figure 3 of flynn2024 does. The policy plays, and at some rounds the bounds of that round's candidates are
// compared. Values are named "t = T / above, most" and "t = T / below, most", over candidates and runs: by
// how much our bound is above and below the program's maximum, in parts of the norm bound.

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/reproduction/cone_program.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"

namespace ridgerunner {
namespace {

// R_t of corollary 4.3 by its formula: (R^2/c) y^T (K + R^2/c I)^-1 y + R^2 ln det(I + cK/R^2) + 2 R^2
// ln(1/δ).
double radius_of(const bounds::Cmm& bound, const Matrix& between, const Vector& rewards) {
  const double noise = bound.noise_bound * bound.noise_bound, ridge = noise / bound.mixture_scale;
  Matrix raised = between;
  raised.diagonal().array() += ridge;
  const Eigen::LLT<Matrix> factor(raised);
  const Matrix lower = factor.matrixL();
  const double log_determinant =
      2 * lower.diagonal().array().log().sum() - static_cast<double>(rewards.size()) * std::log(ridge);
  return std::sqrt(ridge * rewards.dot(factor.solve(rewards)) + noise * log_determinant -
                   2 * noise * std::log(bound.delta));
}

struct Difference {
  double above = 0, below = 0;
};

Difference compare(const Policy& policy, const MatrixIn& states, const Vector& rewards,
                   const MatrixIn& candidates) {
  const bounds::Cmm& bound = *policy.spec().bound.get_if<bounds::Cmm>();
  const KernelPtr kernel = make_kernel(policy.spec().kernel);
  const Index t = rewards.size();
  Matrix all(states.rows(), t + 1);
  all.leftCols(t) = states;
  const double radius = radius_of(bound, gram(*kernel, states, states), rewards);
  const Forecast ours = policy.predict(candidates);
  Difference difference;
  for (Index i = 0; i < candidates.cols(); ++i) {
    all.col(t) = candidates.col(i);
    const double maximum = cone_program_maximum(gram(*kernel, all, all), rewards, radius, bound.norm_bound,
                                                1e-8 * bound.norm_bound);
    const double part = (ours.upper[i] - maximum) / bound.norm_bound;
    difference.above = std::max(difference.above, part);
    difference.below = std::max(difference.below, -part);
  }
  return difference;
}

std::optional<Json> play(const Setting& setting, const std::vector<std::int64_t>& marks,
                         const std::function<bool()>& proceed) {
  const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
  Policy policy(contender_spec(setting.contender, *environment, setting.horizon, setting.seed));
  Matrix states(environment->facts().dimension, marks.back());
  Vector rewards(marks.back());
  Offer offer;
  Json above = Json::array(), below = Json::array();
  for (std::int64_t t = 1; t <= marks.back(); ++t) {
    if (!proceed()) return std::nullopt;
    const auto round = static_cast<std::uint64_t>(t - 1);
    environment->offer(round, offer);
    const Index chosen = policy.decide(offer.states).index;
    states.col(t - 1) = offer.states.col(chosen);
    rewards[t - 1] = offer.expected[chosen] + environment->noise(round);
    policy.observe(offer.states.col(chosen), rewards[t - 1]);
    if (t != marks[above.size()]) continue;
    environment->offer(round + 1, offer);
    const Difference found = compare(policy, states.leftCols(t), rewards.head(t), offer.states);
    above.push_back(found.above);
    below.push_back(found.below);
  }
  return Json{{"above", above}, {"below", below}};
}

class ProgramReproduction final : public Reproduction {
 public:
  explicit ProgramReproduction(const Json& spec) {
    Fields fields(spec, "");
    marks_ = rounds_from_json(fields, "evaluations");
    if (marks_.empty()) throw InvalidArgument("evaluations must have at least one entry");
    plan_ = plan_from_json(fields);
    const Json* policy = fields.child("policy");
    if (!policy) throw InvalidArgument("policy is missing");
    policy_ = policy_from_json(*policy, "policy");
    fields.finish();
    const EnvironmentPtr environment = make_environment(plan_.environment, plan_.seed);
    if (environment->facts().fixed_arms) throw InvalidArgument("environment must not have fixed arms");
    if (!contender_spec(policy_.contender, *environment, plan_.horizon, 0).bound.is<bounds::Cmm>())
      throw InvalidArgument("policy.spec.bound.type must be cmm");
  }

  std::vector<Job> jobs() const override {
    std::vector<Job> all;
    for (std::int64_t run = 0; run < plan_.runs; ++run) {
      const Setting setting = plan_.setting(policy_, run);
      all.push_back(
          {identity_of(run), marks_.back(), setting.seconds,
           [setting, marks = marks_](const auto& proceed) { return play(setting, marks, proceed); }});
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    Table table;
    table.columns = {{"t", Align::right}, {"above", Align::right}, {"below", Align::right}};
    for (std::size_t mark = 0; mark < marks_.size(); ++mark) {
      double above = 0, below = 0;
      for (std::int64_t run = 0; run < plan_.runs; ++run) {
        const Json& found = finished.of(identity_of(run));
        above = std::max(above, found.at("above").at(mark).get<double>());
        below = std::max(below, found.at("below").at(mark).get<double>());
      }
      outcome.values.set(fmt::format("t = {} / above, most", marks_[mark]), above);
      outcome.values.set(fmt::format("t = {} / below, most", marks_[mark]), below);
      table.rows.push_back({{fmt::format("{}", marks_[mark]), number(above), number(below)}});
    }
    outcome.sections.push_back(
        {"Ours and the program's",
         {Paragraph{"The largest differences over candidates and runs, in parts of the norm bound."},
          table}});
    return outcome;
  }

 private:
  Json identity_of(std::int64_t run) const {
    Json json = identity("program", plan_.setting(policy_, run));
    json["marks"] = marks_;
    return json;
  }

  Plan plan_;
  std::vector<std::int64_t> marks_;
  PlannedPolicy policy_;
};

}  // namespace

std::unique_ptr<Reproduction> program_reproduction(const Json& spec) {
  return std::make_unique<ProgramReproduction>(spec);
}

}  // namespace ridgerunner
