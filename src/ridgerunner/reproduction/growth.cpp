// Time and memory against the number of rounds, with fitted exponents beside those of the theory, as in table
// 1 of zenati2022. Memory is the size of the saved policy: what its model keeps. Where the theory has a power
// of the effective dimension, it is read as the number of anchors, whose own exponent is fitted too:
// O(T d^2) with d ~ T^0.2 is T^1.4. Values are named "POLICY / time exponent", "POLICY / time exponent,
// theory", the same with "memory", "POLICY / anchors exponent", and at the end "POLICY / seconds", "POLICY /
// megabytes", "POLICY / anchors".

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/reproduction/exponent.h"
#include "ridgerunner/reproduction/reproduction.h"
#include "ridgerunner/reproduction/setting.h"

namespace ridgerunner {
namespace {

// T^rounds d^anchors, as the paper prints it.
struct Power {
  std::string printed;
  double rounds = 0, anchors = 0;
};

struct Grower {
  PlannedPolicy policy;
  Power time, memory;
};

// Means over runs at each mark.
struct Growth {
  std::vector<double> seconds, bytes, anchors;
};

Power power_from_json(const Json* json, const std::string& path) {
  if (!json) throw InvalidArgument(fmt::format("{} is missing", path));
  Fields fields(*json, path);
  Power power;
  fields.text("printed", power.printed);
  fields.number("rounds", power.rounds);
  fields.number("anchors", power.anchors);
  fields.finish();
  return power;
}

Grower grower_from_json(const Json& json) {
  Json rest = json;
  const Json time = json.value("time", Json()), memory = json.value("memory", Json());
  rest.erase("time");
  rest.erase("memory");
  return {policy_from_json(rest, "policies"), power_from_json(&time, "policies.time"),
          power_from_json(&memory, "policies.memory")};
}

std::optional<Json> measure(const Setting& setting, const std::vector<std::int64_t>& marks,
                            const std::function<bool()>& proceed) {
  const EnvironmentPtr environment = make_environment(setting.environment, setting.seed);
  Policy policy(contender_spec(setting.contender, *environment, setting.horizon, setting.seed));
  Growth growth;
  Offer offer;
  double seconds = 0;
  std::size_t next = 0;
  for (std::int64_t t = 1; t <= setting.horizon; ++t) {
    if (!proceed()) return std::nullopt;
    const auto round = static_cast<std::uint64_t>(t - 1);
    environment->offer(round, offer);
    const double before = monotone_seconds();
    const Decision decision = policy.spec().arms ? policy.decide() : policy.decide(offer.states);
    policy.observe(offer.states.col(decision.index),
                   offer.expected[decision.index] + environment->noise(round));
    seconds += monotone_seconds() - before;
    if (t != marks[next]) continue;
    ++next;
    growth.seconds.push_back(seconds);
    growth.bytes.push_back(static_cast<double>(save_policy(policy).size()));
    growth.anchors.push_back(static_cast<double>(policy.regression().evidence().anchors));
  }
  return Json{{"seconds", growth.seconds}, {"bytes", growth.bytes}, {"anchors", growth.anchors}};
}

class GrowthReproduction final : public Reproduction {
 public:
  explicit GrowthReproduction(const Json& spec) {
    Fields fields(spec, "");
    marks_ = rounds_from_json(fields, "horizons");
    if (marks_.size() < 2) throw InvalidArgument("horizons must have at least two entries");
    plan_ = plan_from_json(fields);
    plan_.horizon = marks_.back();
    const Json* policies = fields.child("policies");
    if (!policies || !policies->is_array()) throw InvalidArgument("policies must be a list");
    for (const Json& entry : *policies) growers_.push_back(grower_from_json(entry));
    fields.finish();
    for (const Grower& grower : growers_) identity_of(plan_.setting(grower.policy, 0));
  }

  std::vector<Job> jobs() const override {
    std::vector<Job> all;
    for (const Grower& grower : growers_) {
      for (std::int64_t run = 0; run < plan_.runs; ++run) {
        const Setting setting = plan_.setting(grower.policy, run);
        all.push_back(
            {identity_of(setting), setting.horizon, setting.seconds,
             [setting, marks = marks_](const auto& proceed) { return measure(setting, marks, proceed); }});
      }
    }
    return all;
  }

  Outcome conclude(const Finished& finished) const override {
    Outcome outcome;
    Table table = heading();
    Figure time{"Time", {"rounds", Scale::log}, {"seconds in all", Scale::log}};
    Figure memory{"Memory", {"rounds", Scale::log}, {"bytes of the saved policy", Scale::log}};
    Figure anchors{"Size of the model", {"rounds", Scale::log}, {"anchors", Scale::log}};
    const std::vector<double> rounds(marks_.begin(), marks_.end());
    for (const Grower& grower : growers_) {
      const Growth growth = mean_growth(grower, finished);
      const std::string& label = grower.policy.contender.label;
      time.series.push_back({label, rounds, growth.seconds});
      memory.series.push_back({label, rounds, growth.bytes});
      anchors.series.push_back({label, rounds, growth.anchors});
      table.rows.push_back(row(grower, growth, rounds, outcome.values));
    }
    outcome.sections.push_back({"Growth", {std::move(table)}});
    for (Figure* figure : {&time, &memory, &anchors})
      outcome.sections.back().blocks.push_back(PageFigure{std::move(*figure), "", 800, 400});
    return outcome;
  }

 private:
  Json identity_of(const Setting& setting) const {
    Json json = identity("growth", setting);
    json["marks"] = marks_;
    return json;
  }

  Growth mean_growth(const Grower& grower, const Finished& finished) const {
    Growth growth;
    for (const auto& [name, mean] :
         {std::pair{"seconds", &growth.seconds}, {"bytes", &growth.bytes}, {"anchors", &growth.anchors}}) {
      mean->resize(marks_.size());
      for (std::int64_t run = 0; run < plan_.runs; ++run) {
        const Json& found = finished.of(identity_of(plan_.setting(grower.policy, run)))[name];
        for (std::size_t i = 0; i < marks_.size(); ++i)
          (*mean)[i] += found.at(i).get<double>() / static_cast<double>(plan_.runs);
      }
    }
    return growth;
  }

  static Table heading() {
    Table table;
    table.columns = {{"policy", Align::left},    {"time, paper", Align::left},   {"theory", Align::right},
                     {"measured", Align::right}, {"memory, paper", Align::left}, {"theory", Align::right},
                     {"measured", Align::right}, {"anchors", Align::right}};
    table.caption =
        "Exponents of T, fitted over the upper part of the range. The paper's d is read as the number of "
        "anchors, with its own measured exponent (last column).";
    return table;
  }

  static Row row(const Grower& grower, const Growth& growth, const std::vector<double>& rounds,
                 Values& values) {
    const std::string label = grower.policy.contender.label;
    const double anchors = fitted_exponent(rounds, growth.anchors);
    Row cells{{label}};
    for (const auto& [name, power, curve] :
         {std::tuple{"time", &grower.time, &growth.seconds}, {"memory", &grower.memory, &growth.bytes}}) {
      const double measured = fitted_exponent(rounds, *curve);
      const double theory = power->rounds + (power->anchors > 0 ? power->anchors * anchors : 0);
      values.set(fmt::format("{} / {} exponent", label, name), measured);
      values.set(fmt::format("{} / {} exponent, theory", label, name), theory);
      for (const std::string& text :
           {power->printed, fmt::format("{:.2f}", theory), fmt::format("{:.2f}", measured)})
        cells.cells.emplace_back(text);
    }
    cells.cells.emplace_back(fmt::format("{:.2f}", anchors));
    values.set(label + " / anchors exponent", anchors);
    values.set(label + " / seconds", growth.seconds.back());
    values.set(label + " / megabytes", growth.bytes.back() / 1e6);
    values.set(label + " / anchors", growth.anchors.back());
    return cells;
  }

  Plan plan_;
  std::vector<std::int64_t> marks_;
  std::vector<Grower> growers_;
};

}  // namespace

std::unique_ptr<Reproduction> growth_reproduction(const Json& spec) {
  return std::make_unique<GrowthReproduction>(spec);
}

}  // namespace ridgerunner
