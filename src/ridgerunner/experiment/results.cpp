#include "ridgerunner/experiment/results.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr const char* kFormat = "ridgerunner-results";
constexpr std::uint64_t kFormatVersion = 3;  // 2 had no curves of the noise and is read as well
constexpr std::uint64_t kOldestVersion = 2;

template <class Value>
constexpr bool is_curve = std::is_same_v<Value, std::vector<double>>;

}  // namespace

Json trajectory_to_json(const Trajectory& run) {
  Json json = Json::object();
  Trajectory::fields([&](const char* name, auto member, const ValueRange& range, const char*) {
    if constexpr (is_curve<std::decay_t<decltype(run.*member)>>) {
      if (range.text == Trajectory::kOptional && (run.*member).empty()) return;
    }
    write_field(json, name, run.*member);
  });
  return json;
}

Trajectory trajectory_from_json(const Json& json, const std::string& path, std::size_t size) {
  Fields fields(json, path);
  Trajectory run;
  Trajectory::fields([&](const char* name, auto member, const ValueRange& range, const char*) {
    if constexpr (is_curve<std::decay_t<decltype(run.*member)>>) {
      const bool missing = range.text == Trajectory::kOptional && !fields.has(name);
      if (!missing) fields.numbers(name, run.*member);
      if (!missing && (run.*member).size() != size) {
        throw InvalidArgument(
            fmt::format("{} must have {} entries, got {}", fields.path(name), size, (run.*member).size()));
      }
    } else {
      read_field(fields, name, range, run.*member);
    }
  });
  fields.finish();
  return run;
}

std::string results_to_json(const Results& results) {
  Json json = {{"format", kFormat}, {"format_version", kFormatVersion}};
  write_field(json, "provenance", results.provenance);
  json["seed"] = results.spec.seed;
  json["horizon"] = results.spec.horizon;
  json["runs"] = results.spec.runs;
  json["environment"] = environment_to_json(results.spec.environment);
  json["rounds"] = results.rounds;
  json["policies"] = Json::array();
  for (std::size_t i = 0; i < results.policies.size(); ++i) {
    const PolicyResults& policy = results.policies[i];
    Json runs = Json::array();
    for (const Trajectory& run : policy.runs) runs.push_back(trajectory_to_json(run));
    json["policies"].push_back({{"label", policy.label},
                                {"given", results.spec.policies[i].spec.json()},
                                {"spec", spec_to_json(policy.spec)},
                                {"runs", runs}});
  }
  return json.dump() + "\n";
}

Results results_from_json(std::string_view text) {
  const Json json = parse_json(text);
  Fields fields(json, "");
  std::string format;
  fields.text("format", format);
  if (format != kFormat)
    throw InvalidArgument(fmt::format("format must be \"{}\", got \"{}\"", kFormat, format));
  std::uint64_t version = 0;
  fields.unsigned_integer("format_version", version);
  if (version < kOldestVersion || version > kFormatVersion) {
    throw InvalidArgument(
        fmt::format("format_version must be {} or {}, got {}", kOldestVersion, kFormatVersion, version));
  }
  for (const char* needed : {"provenance", "environment", "rounds", "policies"}) {
    if (!fields.has(needed)) throw InvalidArgument(fmt::format("{} is missing", needed));
  }
  Results results;
  read_field(fields, "provenance", {}, results.provenance);
  fields.unsigned_integer("seed", results.spec.seed);
  fields.integer("horizon", results.spec.horizon, 1);
  fields.integer("runs", results.spec.runs, 1);
  results.spec.environment = environment_from_json(*fields.child("environment"));
  const Vector rounds = vector_from_json(*fields.child("rounds"), "rounds");
  for (const double round : rounds) {
    const double least = results.rounds.empty() ? 1 : static_cast<double>(results.rounds.back() + 1);
    if (!(round >= least && round <= static_cast<double>(results.spec.horizon)) ||
        round != std::floor(round)) {
      throw InvalidArgument(
          fmt::format("rounds must be rising integers from 1 to {}, got {}", results.spec.horizon, round));
    }
    results.rounds.push_back(static_cast<std::int64_t>(round));
  }
  const Json* policies = fields.child("policies");
  if (!policies->is_array()) fields.refuse("policies", "must be a list");
  for (const Json& entry : *policies) {
    Fields policy(entry, "policies");
    PolicyResults read;
    policy.text("label", read.label);
    const Json *given = policy.child("given"), *spec = policy.child("spec"), *runs = policy.child("runs");
    if (!given || !spec || !runs || !runs->is_array())
      throw InvalidArgument("policies must have given, spec and runs");
    try {
      read.spec = spec_from_json(*spec);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("policies.spec: {}", error.what()));
    }
    for (const Json& run : *runs)
      read.runs.push_back(trajectory_from_json(run, "policies.runs", results.rounds.size()));
    policy.finish();
    results.spec.policies.push_back({read.label, *given});
    results.policies.push_back(std::move(read));
  }
  fields.finish();
  return results;
}

Summary summarise(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0};
}

std::vector<double> final_values(const std::vector<Trajectory>& runs,
                                 std::vector<double> Trajectory::*which) {
  std::vector<double> values;
  for (const Trajectory& run : runs) values.push_back((run.*which).back());
  return values;
}

Curve curve(const std::vector<Trajectory>& runs, std::vector<double> Trajectory::*which) {
  Curve result;
  const auto lacks = [&](const Trajectory& run) { return (run.*which).size() != (runs[0].*which).size(); };
  if (runs.empty() || std::any_of(runs.begin(), runs.end(), lacks)) return result;
  std::vector<double> values(runs.size());
  for (std::size_t i = 0; i < (runs[0].*which).size(); ++i) {
    for (std::size_t r = 0; r < runs.size(); ++r) values[r] = (runs[r].*which)[i];
    const Summary summary = summarise(values);
    result.mean.push_back(summary.mean);
    result.sd.push_back(summary.sd);
  }
  return result;
}

}  // namespace ridgerunner
