// The posterior of a function on the line when all data lie in one part of it, as in figure 1 of
// calandriello2019: exact, ours (projected, with the residual in the variance) and subset of regressors
// (without). Values are named "t = T / variance over exact, least" and ", most", over arms and runs; the same
// with "subset of regressors over exact"; "t = T / missed", the share of arms whose value is outside mean ± 3
// sd, and the same with "missed by subset of regressors", "missed by exact"; and "t = T / anchors".

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"
#include "ridgerunner/reproduction/subset_of_regressors.h"

namespace ridgerunner {
namespace {

// Posteriors at all arms; sds are those of the Gaussian process, sqrt(ridge) times the library's.
struct Posteriors {
  Vector mean, sd, exact_mean, exact_sd, regressors_sd;
  Index anchors = 0;
};

Posteriors posteriors(const Policy& policy, const Regression& exact, const MatrixIn& data,
                      const MatrixIn& arms) {
  const double ridge = policy.spec().regression.ridge;
  const Prediction ours = predict(policy.regression(), arms), truth = predict(exact, arms);
  const Matrix anchors = anchors_of(policy.regression());
  const Vector regressors =
      subset_of_regressors_sd(*make_kernel(policy.spec().kernel), anchors, data, arms, ridge);
  const double scale = std::sqrt(ridge);
  return {ours.mean, scale * ours.sd, truth.mean, scale * truth.sd, scale * regressors, anchors.cols()};
}

Json to_json(const Posteriors& at) {
  return {{"mean", vector_to_json(at.mean)},
          {"sd", vector_to_json(at.sd)},
          {"exact_mean", vector_to_json(at.exact_mean)},
          {"exact_sd", vector_to_json(at.exact_sd)},
          {"regressors_sd", vector_to_json(at.regressors_sd)},
          {"anchors", at.anchors}};
}

Posteriors posteriors_from_json(const Json& json) {
  const auto read = [&](const char* name) { return vector_from_json(json.at(name), name); };
  return {read("mean"),          read("sd"),
          read("exact_mean"),    read("exact_sd"),
          read("regressors_sd"), json.at("anchors").get<Index>()};
}

// The data are drawn, not chosen: uniformly among the arms up to `edge`.
std::optional<Json> observe_part(const Setting& setting, double edge, const std::vector<std::int64_t>& marks,
                                 const std::function<bool()>& proceed) {
  const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
  Policy policy(contender_spec(setting.contender, *environment, setting.horizon, setting.seed));
  const std::unique_ptr<Regression> exact = exact_model(policy.spec());
  Offer arms;
  environment->offer(0, arms);
  const Index within = (arms.states.row(0).array() <= edge).count();  // the arms rise
  Json result = {{"arms", vector_to_json(arms.states.row(0).transpose())},
                 {"expected", vector_to_json(arms.expected)},
                 {"marks", Json::array()}};
  Matrix data(1, marks.back());
  Workspace workspace;
  std::size_t next = 0;
  for (std::int64_t t = 1; t <= marks.back(); ++t) {
    if (!proceed()) return std::nullopt;
    const auto round = static_cast<std::uint64_t>(t - 1);
    const Index arm = Stream(setting.seed, Purpose::context, round).index(within);
    const Vector reward = Vector::Constant(1, arms.expected[arm] + environment->noise(round));
    data.col(t - 1) = arms.states.col(arm);
    policy.observe(arms.states.col(arm), reward[0]);
    exact->observe(arms.states.col(arm), reward, workspace);
    if (t != marks[next]) continue;
    ++next;
    result["marks"].push_back(to_json(posteriors(policy, *exact, data.leftCols(t), arms.states)));
  }
  return result;
}

struct Extremes {
  double least = INFINITY, most = 0;
  void include(const Vector& sd, const Vector& exact) {
    const Vector ratio = sd.cwiseQuotient(exact).cwiseAbs2();
    least = std::min(least, ratio.minCoeff());
    most = std::max(most, ratio.maxCoeff());
  }
};

double missed(const Vector& expected, const Vector& mean, const Vector& sd) {
  return ((expected - mean).cwiseAbs().array() > 3 * sd.array()).cast<double>().mean();
}

class StarvationReproduction final : public Reproduction {
 public:
  explicit StarvationReproduction(const Json& spec) {
    Fields fields(spec, "");
    marks_ = rounds_from_json(fields, "evaluations");
    if (marks_.empty()) throw InvalidArgument("evaluations must have at least one entry");
    plan_ = plan_from_json(fields);
    plan_.horizon = marks_.back();
    if (plan_.environment.type != EnvironmentType::gp_draw)
      throw InvalidArgument("environment.type must be gp_draw");
    fields.number("edge", edge_);
    const Json* policy = fields.child("policy");
    if (!policy) throw InvalidArgument("policy is missing");
    policy_ = policy_from_json(*policy, "policy");
    fields.finish();
    identity_of(plan_.setting(policy_, 0));
  }

  std::vector<Job> jobs() const override {
    std::vector<Job> all;
    for (std::int64_t run = 0; run < plan_.runs; ++run) {
      const Setting setting = plan_.setting(policy_, run);
      all.push_back({identity_of(setting), setting.horizon, setting.seconds,
                     [setting, edge = edge_, marks = marks_](const auto& proceed) {
                       return observe_part(setting, edge, marks, proceed);
                     }});
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    Section section{"Posteriors", {}};
    for (std::size_t mark = 0; mark < marks_.size(); ++mark) {
      record(mark, finished, outcome.values);
      const Json& first = result(0, finished);
      section.blocks.push_back(
          PageFigure{drawn(first, mark), fmt::format("After {} evaluations in [0, {}]: mean ± 3 sd of the "
                                                     "first run.",
                                                     marks_[mark], edge_)});
    }
    outcome.sections.push_back(std::move(section));
    return outcome;
  }

 private:
  Json identity_of(const Setting& setting) const {
    Json json = identity("starvation", setting);
    json["marks"] = marks_;
    json["edge"] = edge_;
    return json;
  }

  const Json& result(std::int64_t run, const Finished& finished) const {
    return finished.of(identity_of(plan_.setting(policy_, run)));
  }

  void record(std::size_t mark, const Finished& finished, Values& values) const {
    Extremes ours, regressors;
    double missed_ours = 0, missed_regressors = 0, missed_exact = 0, anchors = 0;
    const auto runs = static_cast<double>(plan_.runs);
    for (std::int64_t run = 0; run < plan_.runs; ++run) {
      const Json& found = result(run, finished);
      const Vector expected = vector_from_json(found.at("expected"), "expected");
      const Posteriors at = posteriors_from_json(found.at("marks").at(mark));
      ours.include(at.sd, at.exact_sd);
      regressors.include(at.regressors_sd, at.exact_sd);
      missed_ours += missed(expected, at.mean, at.sd) / runs;
      missed_regressors += missed(expected, at.mean, at.regressors_sd) / runs;
      missed_exact += missed(expected, at.exact_mean, at.exact_sd) / runs;
      anchors += static_cast<double>(at.anchors) / runs;
    }
    const std::string prefix = fmt::format("t = {} / ", marks_[mark]);
    values.set(prefix + "variance over exact, least", ours.least);
    values.set(prefix + "variance over exact, most", ours.most);
    values.set(prefix + "subset of regressors over exact, least", regressors.least);
    values.set(prefix + "subset of regressors over exact, most", regressors.most);
    values.set(prefix + "missed", missed_ours);
    values.set(prefix + "missed by subset of regressors", missed_regressors);
    values.set(prefix + "missed by exact", missed_exact);
    values.set(prefix + "anchors", anchors);
  }

  Figure drawn(const Json& found, std::size_t mark) const {
    const Posteriors at = posteriors_from_json(found.at("marks").at(mark));
    const auto list = [](const Vector& vector) {
      return std::vector<double>(vector.data(), vector.data() + vector.size());
    };
    const std::vector<double> arms = list(vector_from_json(found.at("arms"), "arms"));
    const auto band = [&](const std::string& label, const Vector& mean, const Vector& sd) {
      return Series{label, arms, list(mean), list(mean - 3 * sd), list(mean + 3 * sd)};
    };
    Figure figure{fmt::format("t = {}", marks_[mark]), {"x"}, {"f(x)"}};
    figure.series.push_back(band("exact", at.exact_mean, at.exact_sd));
    figure.series.push_back(band(policy_.contender.label, at.mean, at.sd));
    figure.series.push_back(band("subset of regressors", at.mean, at.regressors_sd));
    figure.series.push_back(
        {"f", arms, list(vector_from_json(found.at("expected"), "expected")), {}, {}, true});
    return figure;
  }

  Plan plan_;
  std::vector<std::int64_t> marks_;
  double edge_ = 0.5;
  PlannedPolicy policy_;
};

}  // namespace

std::unique_ptr<Reproduction> starvation_reproduction(const Json& spec) {
  return std::make_unique<StarvationReproduction>(spec);
}

}  // namespace ridgerunner
