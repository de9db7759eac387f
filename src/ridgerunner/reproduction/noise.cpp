// Bounds of an unknown noise over time, for observations drawn uniformly among the arms, as in figures 4 and
// 5 of durand2018. An estimator has the spec of a policy that learns the noise, a ridge that stays or moves
// with the upper bound, and a form of theorem 3:
//   initial   with σ_+ known, as it was at the start,
//   running   with σ_+ known, the bound of the round before in its place,
//   none      without σ_+,
//   best      the better of the last two: what policies do.
// Values are named "ESTIMATOR / upper", "ESTIMATOR / lower", means over runs at the end, the same with
// "upper at N", "lower at N" for the rounds N of "at", and "ESTIMATOR / missed", the share of runs in which
// the noise was outside at any time.

#include "ridgerunner/policy/noise.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"
#include "ridgerunner/reproduction/uniform_data.h"

namespace ridgerunner {
namespace {

enum class Form { initial, running, none, best };
enum class Ridge { fixed, adaptive };

const std::vector<std::pair<Form, const char*>> kForms = {
    {Form::initial, "initial"}, {Form::running, "running"}, {Form::none, "none"}, {Form::best, "best"}};
const std::vector<std::pair<Ridge, const char*>> kRidges = {{Ridge::fixed, "fixed"},
                                                            {Ridge::adaptive, "adaptive"}};

struct Estimator {
  PlannedPolicy policy;
  Form form = Form::best;
  Ridge ridge = Ridge::adaptive;
};

Estimator estimator_from_json(const Json& json) {
  Json rest = json;
  Estimator one;
  Json own = Json::object();
  for (const char* name : {"sigma_plus", "ridge"}) {
    if (!json.is_object() || !json.contains(name)) continue;
    own[name] = json[name];
    rest.erase(name);
  }
  Fields fields(own, "estimators");
  fields.choice("sigma_plus", one.form, kForms);
  fields.choice("ridge", one.ridge, kRidges);
  one.policy = policy_from_json(rest, "estimators");
  return one;
}

// One form of theorem 3 alone, after one more observation; otherwise as learn_noise().
NoiseBounds by_one_form(const NoiseBounds& before, const BoundSpec& bound, const Regression& regression,
                        Form form) {
  const Evidence evidence = regression.evidence();
  if (evidence.rounds < 2) return before;
  const bounds::EmpiricalBernstein inputs = streaming_inputs(bound);
  const auto* moves = capability<MovesRidge>(regression);
  if (!moves) throw InvalidArgument("estimators need a regression whose ridge can move");
  const NoiseEvidence seen{static_cast<double>(evidence.rounds), moves->squared_error(), evidence.ridge,
                           evidence.residual_sum, evidence.largest_prior};
  const double known = form == Form::initial ? inputs.noise_upper : before.upper;
  NoiseBounds noise = before;
  const double lower = form == Form::none ? durand2018_lower_agnostic(inputs, seen)
                                          : durand2018_lower_known(inputs, seen, known);
  noise.lower = std::clamp(lower, before.lower, before.upper);
  const double ratio = noise.lower / inputs.norm_bound;
  noise.log_determinant = moves->log_determinant(ratio * ratio);
  const double gain = durand2018_gain_term(inputs, evidence, ratio * ratio, noise.log_determinant);
  const double upper = form == Form::none ? durand2018_upper_agnostic(inputs, seen, gain)
                                          : durand2018_upper_known(inputs, seen, gain, known);
  noise.upper = std::clamp(upper, noise.lower, before.upper);
  return noise;
}

std::optional<Json> follow(const Setting& setting, Form form, Ridge ridge,
                           const std::function<bool()>& proceed) {
  const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
  const UniformData data(environment, setting.seed);
  const Spec spec = contender_spec(setting.contender, *environment, setting.horizon, setting.seed);
  const std::unique_ptr<Regression> regression = make_regression(spec);
  NoiseBounds noise = *initial_noise(spec.bound);
  const double truth = data.facts().noise_sd;
  bool missed = false;
  std::vector<double> lower, upper;
  const std::vector<std::int64_t> marks = checkpoints(setting.horizon);
  Workspace workspace;
  for (std::int64_t t = 1; t <= setting.horizon; ++t) {
    if (!proceed()) return std::nullopt;
    const UniformData::Observation seen = data.at(static_cast<std::uint64_t>(t - 1));
    regression->observe(seen.state, Vector::Constant(1, seen.reward), workspace);
    noise = form == Form::best ? learn_noise(noise, spec.bound, *regression)
                               : by_one_form(noise, spec.bound, *regression, form);
    if (ridge == Ridge::adaptive) set_ridge(*regression, next_ridge(noise, spec.bound));
    missed = missed || noise.lower > truth || noise.upper < truth;
    if (t != marks[lower.size()]) continue;
    lower.push_back(noise.lower);
    upper.push_back(noise.upper);
  }
  return Json{{"lower", lower}, {"upper", upper}, {"missed", missed}};
}

struct Course {
  std::vector<double> lower, upper;  // means over runs
  double missed = 0;
};

class NoiseReproduction final : public Reproduction {
 public:
  explicit NoiseReproduction(const Json& spec) {
    Fields fields(spec, "");
    plan_ = plan_from_json(fields);
    at_ = rounds_from_json(fields, "at");
    const Json* estimators = fields.child("estimators");
    if (!estimators || !estimators->is_array()) throw InvalidArgument("estimators must be a list");
    for (const Json& entry : *estimators) estimators_.push_back(estimator_from_json(entry));
    fields.finish();
    const EnvironmentPtr environment = make_environment(plan_.environment, plan_.seed);
    const UniformData data(environment, plan_.seed);
    for (const Estimator& one : estimators_) {
      const Contender& contender = one.policy.contender;
      if (!initial_noise(contender_spec(contender, *environment, plan_.horizon, plan_.seed).bound))
        throw InvalidArgument(
            fmt::format("{}: the bound must be one that learns the noise", contender.label));
    }
  }

  std::vector<Job> jobs() const override {
    std::vector<Job> all;
    for (const Estimator& one : estimators_) {
      for (std::int64_t run = 0; run < plan_.runs; ++run) {
        const Setting setting = plan_.setting(one.policy, run);
        all.push_back({identity_of(one, run), setting.horizon, setting.seconds,
                       [setting, form = one.form, ridge = one.ridge](const auto& proceed) {
                         return follow(setting, form, ridge, proceed);
                       }});
      }
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    const std::vector<std::int64_t> marks = checkpoints(plan_.horizon);
    const std::vector<double> rounds(marks.begin(), marks.end());
    const Axis time{"observations", Scale::log};
    const double noise_sd = plan_.environment.noise_sd;
    Figure upper{"Upper bounds", time, {"noise", Scale::log}, {}, {{{}, noise_sd, "σ"}}};
    Figure lower{"Lower bounds", time, {"noise", Scale::log}, {}, {{{}, noise_sd, "σ"}}};
    for (const Estimator& one : estimators_) {
      const Course course = mean_course(one, finished);
      record(one, course, marks, outcome.values);
      upper.series.push_back({one.policy.contender.label, rounds, course.upper});
      lower.series.push_back({one.policy.contender.label, rounds, course.lower});
    }
    outcome.sections.push_back({"Bounds of the noise",
                                {PageFigure{std::move(upper), "Means over runs.", 800, 440},
                                 PageFigure{std::move(lower), "Means over runs.", 800, 440}}});
    return outcome;
  }

 private:
  Json identity_of(const Estimator& one, std::int64_t run) const {
    Json json = identity("noise", plan_.setting(one.policy, run));
    json["sigma_plus"] = name_in(kForms, one.form);
    json["ridge"] = name_in(kRidges, one.ridge);
    return json;
  }

  Course mean_course(const Estimator& one, const Finished& finished) const {
    Course course;
    const auto runs = static_cast<double>(plan_.runs);
    for (std::int64_t run = 0; run < plan_.runs; ++run) {
      const Json& found = finished.of(identity_of(one, run));
      const auto lower = found.at("lower").get<std::vector<double>>();
      const auto upper = found.at("upper").get<std::vector<double>>();
      course.lower.resize(lower.size());
      course.upper.resize(upper.size());
      for (std::size_t i = 0; i < lower.size(); ++i) {
        course.lower[i] += lower[i] / runs;
        course.upper[i] += upper[i] / runs;
      }
      course.missed += found.at("missed").get<bool>() ? 1 / runs : 0;
    }
    return course;
  }

  void record(const Estimator& one, const Course& course, const std::vector<std::int64_t>& marks,
              Values& values) const {
    const std::string prefix = one.policy.contender.label + " / ";
    values.set(prefix + "upper", course.upper.back());
    values.set(prefix + "lower", course.lower.back());
    for (const std::int64_t round : at_) {
      // A quick run does not get there: its last round has to do.
      const auto there = std::lower_bound(marks.begin(), marks.end(), round);
      const auto index = std::min(marks.size() - 1, static_cast<std::size_t>(there - marks.begin()));
      values.set(fmt::format("{}upper at {}", prefix, round), course.upper[index]);
      values.set(fmt::format("{}lower at {}", prefix, round), course.lower[index]);
    }
    values.set(prefix + "missed", course.missed);
  }

  Plan plan_;
  std::vector<std::int64_t> at_;
  std::vector<Estimator> estimators_;
};

}  // namespace

std::unique_ptr<Reproduction> noise_reproduction(const Json& spec) {
  return std::make_unique<NoiseReproduction>(spec);
}

}  // namespace ridgerunner
