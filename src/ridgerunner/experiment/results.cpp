#include "ridgerunner/experiment/results.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr const char* kFormat = "ridgerunner-results";
constexpr std::uint64_t kFormatVersion = 3;  // 2 had no curves of the noise and is read as well
constexpr std::uint64_t kOldestVersion = 2;

struct OptionalCurve {
  const char* name;
  std::vector<double> Trajectory::*curve;
};
constexpr OptionalCurve kOptionalCurves[] = {{"ceiling_regret", &Trajectory::ceiling_regret},
                                             {"noise_lower", &Trajectory::noise_lower},
                                             {"noise_upper", &Trajectory::noise_upper},
                                             {"ridge", &Trajectory::ridge}};

void read_curve(Fields& fields, const char* name, std::vector<double>& curve, std::size_t size) {
  fields.numbers(name, curve);
  if (curve.size() != size) {
    throw InvalidArgument(
        fmt::format("{} must have {} entries, got {}", fields.path(name), size, curve.size()));
  }
}

void read_optional(Fields& fields, const char* name, std::optional<double>& value) {
  double read = 0;
  fields.number(name, read);
  if (fields.has(name)) value = read;
}

}  // namespace

Json trajectory_to_json(const Trajectory& run) {
  Json json = {
      {"regret", run.regret}, {"reward", run.reward}, {"seconds", run.seconds}, {"anchors", run.anchors}};
  for (const auto& [name, which] : kOptionalCurves) {
    if (!(run.*which).empty()) json[name] = run.*which;
  }
  json["log_determinant"] = run.log_determinant;
  if (run.effective_dimension) json["effective_dimension"] = *run.effective_dimension;
  if (run.projection_error) json["projection_error"] = *run.projection_error;
  json["clamped"] = run.clamped;
  if (run.empty_since) json["empty_since"] = *run.empty_since;
  return json;
}

Trajectory trajectory_from_json(const Json& json, const std::string& path, std::size_t size) {
  Fields fields(json, path);
  Trajectory run;
  read_curve(fields, "regret", run.regret, size);
  read_curve(fields, "reward", run.reward, size);
  read_curve(fields, "seconds", run.seconds, size);
  for (const auto& [name, which] : kOptionalCurves) {
    if (fields.has(name)) read_curve(fields, name, run.*which, size);
  }
  read_curve(fields, "anchors", run.anchors, size);
  fields.number("log_determinant", run.log_determinant);
  read_optional(fields, "effective_dimension", run.effective_dimension);
  read_optional(fields, "projection_error", run.projection_error);
  fields.unsigned_integer("clamped", run.clamped);
  if (std::int64_t since = 0; fields.has("empty_since")) {
    fields.integer("empty_since", since, 1);
    run.empty_since = since;
  }
  fields.finish();
  return run;
}

std::string results_to_json(const Results& results) {
  Json json = {{"format", kFormat}, {"format_version", kFormatVersion}};
  const Provenance& provenance = results.provenance;
  json["provenance"] = {{"version", provenance.version},
                        {"machine", provenance.machine},
                        {"compiler", provenance.compiler},
                        {"time", provenance.time}};
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
                                {"given", results.spec.policies[i].spec},
                                {"spec", policy.spec},
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
  Fields provenance(*fields.child("provenance"), "provenance");
  provenance.text("version", results.provenance.version);
  provenance.text("machine", results.provenance.machine);
  provenance.text("compiler", results.provenance.compiler);
  provenance.text("time", results.provenance.time);
  provenance.finish();
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
    read.spec = *spec;
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
