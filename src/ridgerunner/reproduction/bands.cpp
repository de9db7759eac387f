// Means and bands of several policies after the same observations, drawn uniformly among the arms, as in
// figures 2, 3 and 6 of durand2018 and figure 1 of flynn2024. Values are named "t = T / POLICY / width", the
// mean over arms and runs of upper - lower; "t = T / POLICY / error", the same of |f - mean|; "t = T / POLICY
// / missed", the share of arms whose value is outside the band; and, where a policy is "within" another,
// "t = T / POLICY / width over OTHER, most", the largest ratio of the two at an arm.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"
#include "ridgerunner/reproduction/uniform_data.h"

namespace ridgerunner {
namespace {

struct Banded {
  PlannedPolicy policy;
  std::string within;  // the label of a policy whose band should be nowhere narrower; or empty
};

std::optional<Json> observe_uniformly(const Setting& setting, const std::vector<std::int64_t>& marks,
                                      const std::function<bool()>& proceed) {
  const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
  const UniformData data(environment, setting.seed);
  Policy policy(contender_spec(setting.contender, *environment, setting.horizon, setting.seed));
  Json result = {{"arms", vector_to_json(data.arms().row(0).transpose())},
                 {"expected", vector_to_json(data.expected())},
                 {"marks", Json::array()}};
  std::size_t next = 0;
  for (std::int64_t t = 1; t <= marks.back(); ++t) {
    if (!proceed()) return std::nullopt;
    const UniformData::Observation seen = data.at(static_cast<std::uint64_t>(t - 1));
    policy.observe(seen.state, seen.reward);
    if (t != marks[next]) continue;
    ++next;
    const Forecast at = policy.predict(data.arms());
    result["marks"].push_back({{"mean", vector_to_json(at.mean)},
                               {"lower", vector_to_json(at.lower)},
                               {"upper", vector_to_json(at.upper)}});
  }
  return result;
}

struct Envelope {
  Vector mean, lower, upper;
};

Envelope envelope_from_json(const Json& json) {
  const auto read = [&](const char* name) { return vector_from_json(json.at(name), name); };
  return {read("mean"), read("lower"), read("upper")};
}

std::vector<double> list(const Vector& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

class BandsReproduction final : public Reproduction {
 public:
  explicit BandsReproduction(const Json& spec) {
    Fields fields(spec, "");
    marks_ = rounds_from_json(fields, "evaluations");
    if (marks_.empty()) throw InvalidArgument("evaluations must have at least one entry");
    plan_ = plan_from_json(fields);
    const Json* policies = fields.child("policies");
    if (!policies || !policies->is_array()) throw InvalidArgument("policies must be a list");
    for (const Json& entry : *policies) policies_.push_back(banded_from_json(entry));
    fields.finish();
    UniformData(make_environment(plan_.environment, plan_.seed), plan_.seed);
    for (const Banded& one : policies_) {
      identity_of(one, 0);
      if (!one.within.empty()) labelled(one.within);
    }
  }

  std::vector<Job> jobs() const override {
    std::vector<Job> all;
    for (const Banded& one : policies_) {
      for (std::int64_t run = 0; run < plan_.runs; ++run) {
        const Setting setting = plan_.setting(one.policy, run);
        all.push_back({identity_of(one, run), marks_.back(), setting.seconds,
                       [setting, marks = marks_](const auto& proceed) {
                         return observe_uniformly(setting, marks, proceed);
                       }});
      }
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    Section section{"Bands", {}};
    for (std::size_t mark = 0; mark < marks_.size(); ++mark) {
      for (const Banded& one : policies_) record(one, mark, finished, outcome.values);
      section.blocks.push_back(
          PageFigure{drawn(mark, finished),
                     fmt::format("Mean and band after {} observations, in the first run.", marks_[mark])});
      section.blocks.push_back(PageFigure{widths(mark, finished),
                                          "Widths of these bands, where they hide one another.", 800, 320});
    }
    outcome.sections.push_back(std::move(section));
    return outcome;
  }

 private:
  static Banded banded_from_json(const Json& json) {
    Json rest = json;
    Banded one;
    if (json.is_object() && json.contains("within") && json["within"].is_string()) {
      one.within = json["within"].get<std::string>();
      rest.erase("within");
    }
    one.policy = policy_from_json(rest, "policies");
    return one;
  }

  const Banded& labelled(const std::string& label) const {
    for (const Banded& one : policies_) {
      if (one.policy.contender.label == label) return one;
    }
    throw InvalidArgument(fmt::format("policies.within must be another policy's label, got \"{}\"", label));
  }

  Json identity_of(const Banded& one, std::int64_t run) const {
    Json json = identity("bands", plan_.setting(one.policy, run));
    json["marks"] = marks_;
    return json;
  }

  Envelope envelope(const Banded& one, std::int64_t run, std::size_t mark, const Finished& finished) const {
    return envelope_from_json(finished.of(identity_of(one, run)).at("marks").at(mark));
  }

  void record(const Banded& one, std::size_t mark, const Finished& finished, Values& values) const {
    double width = 0, error = 0, missed = 0, most = 0;
    const auto runs = static_cast<double>(plan_.runs);
    for (std::int64_t run = 0; run < plan_.runs; ++run) {
      const Vector expected = vector_from_json(finished.of(identity_of(one, run)).at("expected"), "expected");
      const Envelope at = envelope(one, run, mark, finished);
      width += (at.upper - at.lower).mean() / runs;
      error += (expected - at.mean).cwiseAbs().mean() / runs;
      missed +=
          (expected.array() < at.lower.array() || expected.array() > at.upper.array()).cast<double>().mean() /
          runs;
      if (one.within.empty()) continue;
      const Envelope other = envelope(labelled(one.within), run, mark, finished);
      most = std::max(most, (at.upper - at.lower).cwiseQuotient(other.upper - other.lower).maxCoeff());
    }
    const std::string prefix = fmt::format("t = {} / {} / ", marks_[mark], one.policy.contender.label);
    values.set(prefix + "width", width);
    values.set(prefix + "error", error);
    values.set(prefix + "missed", missed);
    if (!one.within.empty()) values.set(fmt::format("{}width over {}, most", prefix, one.within), most);
  }

  Figure drawn(std::size_t mark, const Finished& finished) const {
    Figure figure{fmt::format("t = {}", marks_[mark]), {"x"}, {"f(x)"}};
    const Json& first = finished.of(identity_of(policies_.front(), 0));
    const std::vector<double> arms = list(vector_from_json(first.at("arms"), "arms"));
    for (const Banded& one : policies_) {
      const Envelope at = envelope(one, 0, mark, finished);
      figure.series.push_back(
          {one.policy.contender.label, arms, list(at.mean), list(at.lower), list(at.upper)});
    }
    figure.series.push_back(
        {"f", arms, list(vector_from_json(first.at("expected"), "expected")), {}, {}, true});
    return figure;
  }

  Figure widths(std::size_t mark, const Finished& finished) const {
    Figure figure{fmt::format("Width at t = {}", marks_[mark]), {"x"}, {"upper - lower", Scale::log}};
    const Json& first = finished.of(identity_of(policies_.front(), 0));
    const std::vector<double> arms = list(vector_from_json(first.at("arms"), "arms"));
    for (const Banded& one : policies_) {
      const Envelope at = envelope(one, 0, mark, finished);
      figure.series.push_back({one.policy.contender.label, arms, list(at.upper - at.lower)});
    }
    return figure;
  }

  Plan plan_;
  std::vector<std::int64_t> marks_;
  std::vector<Banded> policies_;
};

}  // namespace

std::unique_ptr<Reproduction> bands_reproduction(const Json& spec) {
  return std::make_unique<BandsReproduction>(spec);
}

}  // namespace ridgerunner
