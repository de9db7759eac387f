// Variances of a projected model against those of the exact one on the same data, and the size of its
// dictionary, as theorem 1 of calandriello2019 bounds them: with α = (1 + ε)/(1 - ε) and
// qbar >= 6 α ln(4T/δ)/ε^2, with probability 1 - δ at all rounds and arms
//   1/α <= sd^2 / exact sd^2 <= α   and   m <= 3 (1 + κ^2/λ) α qbar d_eff.
// Values are named "qbar = Q / variance over exact, least" and ", most", over arms, marks and runs, "qbar = Q
// / anchors", "qbar = Q / anchors over bound" and "qbar = Q / states"; Q is "theory" or the number in the
// spec.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"

namespace ridgerunner {
namespace {

struct Comparison {
  double round = 0, least = 0, most = 0, anchors = 0, states = 0, dimension = 0, prior = 0;
};

constexpr std::pair<const char*, double Comparison::*> kFields[] = {
    {"round", &Comparison::round},     {"least", &Comparison::least},   {"most", &Comparison::most},
    {"anchors", &Comparison::anchors}, {"states", &Comparison::states}, {"dimension", &Comparison::dimension},
    {"prior", &Comparison::prior},
};

Comparison compared(const Regression& projected, const Regression& exact, const MatrixIn& data,
                    const MatrixIn& arms) {
  const Prediction ours = predict(projected, arms), truth = predict(exact, arms);
  const Vector ratio = ours.sd.cwiseQuotient(truth.sd).cwiseAbs2();
  return {static_cast<double>(data.cols()),
          ratio.minCoeff(),
          ratio.maxCoeff(),
          static_cast<double>(projected.evidence().anchors),
          static_cast<double>(exact.evidence().anchors),
          predict(exact, data).sd.squaredNorm(),
          truth.prior.maxCoeff()};
}

std::optional<Json> run_beside_exact(const Setting& setting, const std::vector<std::int64_t>& marks,
                                     const std::function<bool()>& proceed) {
  const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
  Policy policy(contender_spec(setting.contender, *environment, setting.horizon, setting.seed));
  const std::unique_ptr<Regression> exact = exact_model(policy.spec());
  Offer offer;
  environment->offer(0, offer);
  Matrix data(offer.states.rows(), setting.horizon);
  Workspace workspace;
  Json result = Json::array();
  std::size_t next = 0;
  for (std::int64_t t = 1; t <= setting.horizon; ++t) {
    if (!proceed()) return std::nullopt;
    const Index arm = policy.decide().index;
    const Vector reward =
        Vector::Constant(1, offer.expected[arm] + environment->noise(static_cast<std::uint64_t>(t - 1)));
    data.col(t - 1) = offer.states.col(arm);
    policy.observe(offer.states.col(arm), reward[0]);
    exact->observe(offer.states.col(arm), reward, workspace);
    if (t != marks[next]) continue;
    ++next;
    const Comparison at = compared(policy.regression(), *exact, data.leftCols(t), offer.states);
    Json entry;
    for (const auto& [name, field] : kFields) entry[name] = at.*field;
    result.push_back(std::move(entry));
  }
  return result;
}

// The worst over runs at one mark, or over marks.
Comparison worse(const Comparison& a, const Comparison& b) {
  return {b.round,
          std::min(a.least, b.least),
          std::max(a.most, b.most),
          std::max(a.anchors, b.anchors),
          std::max(a.states, b.states),
          std::max(a.dimension, b.dimension),
          std::max(a.prior, b.prior)};
}

struct Case {
  std::string name;  // "qbar = 10"
  double oversampling = 0;
  PlannedPolicy policy;
};

class AccuracyReproduction final : public Reproduction {
 public:
  explicit AccuracyReproduction(const Json& spec) {
    Fields fields(spec, "");
    plan_ = plan_from_json(fields);
    fields.number("accuracy", accuracy_);
    fields.number("delta", delta_);
    require_between("accuracy", accuracy_, 0, 1);
    require_between("delta", delta_, 0, 1);
    const Json *policy = fields.child("policy"), *oversampling = fields.child("oversampling");
    if (!policy || !oversampling || !oversampling->is_array())
      throw InvalidArgument("policy and oversampling, a list, must be there");
    const PlannedPolicy planned = policy_from_json(*policy, "policy");
    for (const Json& entry : *oversampling) cases_.push_back(make_case(planned, entry));
    fields.finish();
    if (!make_environment(plan_.environment, 0)->facts().fixed_arms)
      throw InvalidArgument("environment must have fixed arms");
    constexpr std::int64_t kMarks = 20;
    for (std::int64_t i = 1; i <= std::min(kMarks, plan_.horizon); ++i)
      marks_.push_back(plan_.horizon * i / std::min(kMarks, plan_.horizon));
    for (const Case& one : cases_) identity("accuracy", plan_.setting(one.policy, 0));
  }

  std::vector<Job> jobs() const override {
    std::vector<Job> all;
    for (const Case& one : cases_) {
      for (std::int64_t run = 0; run < plan_.runs; ++run) {
        const Setting setting = plan_.setting(one.policy, run);
        all.push_back({identity("accuracy", setting), setting.horizon, setting.seconds,
                       [setting, marks = marks_](const auto& proceed) {
                         return run_beside_exact(setting, marks, proceed);
                       }});
      }
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    Table table;
    for (const char* column :
         {"", "least sd²/exact", "most sd²/exact", "anchors", "distinct states", "bound"})
      table.columns.push_back({column, *column ? Align::right : Align::left});
    Figure variances{"Variance over the exact one", {"round"}, {"worst ratio", Scale::log}};
    Figure sizes{"Size of the dictionary", {"round"}, {"anchors"}};
    for (const Case& one : cases_) {
      Series most{one.name}, least{one.name + ", least"}, anchors{one.name};
      Comparison worst;
      double filled = 0;
      for (std::size_t mark = 0; mark < marks_.size(); ++mark) {
        const Comparison at = worst_at(one, mark, finished);
        worst = mark == 0 ? at : worse(worst, at);
        filled = std::max(filled, largest_part(one, mark, finished));
        for (Series* series : {&most, &least, &anchors}) series->x.push_back(at.round);
        most.y.push_back(at.most);
        least.y.push_back(at.least);
        anchors.y.push_back(at.anchors);
      }
      least.dashed = true;
      variances.series.insert(variances.series.end(), {most, least});
      sizes.series.push_back(anchors);
      record(one, worst, filled, outcome.values);
      table.rows.push_back({{one.name, number(worst.least), number(worst.most), number(worst.anchors),
                             number(worst.states), number(worst.anchors / filled)}});
    }
    variances.markers = {{{}, alpha(), "α"}, {{}, 1 / alpha(), "1/α"}};
    outcome.sections.push_back(
        {"Accuracy",
         {std::move(table), PageFigure{std::move(variances), "Over all arms and runs."},
          PageFigure{std::move(sizes), "The largest of all runs."}}});
    return outcome;
  }

 private:
  double alpha() const { return (1 + accuracy_) / (1 - accuracy_); }

  Case make_case(const PlannedPolicy& planned, const Json& entry) const {
    Case one;
    if (entry == "theory") {
      one.oversampling = std::ceil(6 * alpha() * std::log(4 * static_cast<double>(plan_.horizon) / delta_) /
                                   (accuracy_ * accuracy_));
    } else if (entry.is_number() && entry.get<double>() > 0) {
      one.oversampling = entry.get<double>();
    } else {
      throw InvalidArgument(
          fmt::format("oversampling must be \"theory\" or numbers > 0, got {}", entry.dump()));
    }
    one.name = entry.is_number() ? fmt::format("qbar = {:g}", one.oversampling) : "qbar = theory";
    one.policy = planned;
    Json spec = one.policy.contender.spec.json();
    spec["regression"]["oversampling"] = one.oversampling;
    spec["regression"]["accuracy"] = accuracy_;
    one.policy.contender.spec = spec;
    return one;
  }

  Comparison at(const Case& one, std::int64_t run, std::size_t mark, const Finished& finished) const {
    const Json& found = finished.of(identity("accuracy", plan_.setting(one.policy, run))).at(mark);
    Comparison read;
    for (const auto& [name, field] : kFields) read.*field = found.at(name).get<double>();
    return read;
  }

  Comparison worst_at(const Case& one, std::size_t mark, const Finished& finished) const {
    Comparison worst = at(one, 0, mark, finished);
    for (std::int64_t run = 1; run < plan_.runs; ++run) worst = worse(worst, at(one, run, mark, finished));
    return worst;
  }

  // The largest share of the theorem's bound that a dictionary takes.
  double largest_part(const Case& one, std::size_t mark, const Finished& finished) const {
    const double ridge = spec_ridge(one);
    double most = 0;
    for (std::int64_t run = 0; run < plan_.runs; ++run) {
      const Comparison found = at(one, run, mark, finished);
      const double bound = 3 * (1 + found.prior / ridge) * alpha() * one.oversampling * found.dimension;
      most = std::max(most, found.anchors / bound);
    }
    return most;
  }

  double spec_ridge(const Case& one) const {
    const Setting setting = plan_.setting(one.policy, 0);
    const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
    return contender_spec(setting.contender, *environment, setting.horizon, setting.seed).regression.ridge;
  }

  static void record(const Case& one, const Comparison& worst, double filled, Values& values) {
    values.set(one.name + " / variance over exact, least", worst.least);
    values.set(one.name + " / variance over exact, most", worst.most);
    values.set(one.name + " / anchors", worst.anchors);
    values.set(one.name + " / anchors over bound", filled);
    values.set(one.name + " / states", worst.states);
  }

  Plan plan_;
  double accuracy_ = 0.5, delta_ = 0.1;
  std::vector<Case> cases_;
  std::vector<std::int64_t> marks_;
};

}  // namespace

std::unique_ptr<Reproduction> accuracy_reproduction(const Json& spec) {
  return std::make_unique<AccuracyReproduction>(spec);
}

}  // namespace ridgerunner
