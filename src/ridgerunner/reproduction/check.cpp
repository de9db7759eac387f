#include "ridgerunner/reproduction/check.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

std::optional<double> optional_number(Fields& fields, const char* name) {
  double value = 0;
  fields.number(name, value);
  return fields.has(name) ? std::optional(value) : std::nullopt;
}

Check check_from_json(const Json& json, const std::string& path) {
  Fields fields(json, path);
  Check check;
  fields.text("quantity", check.quantity);
  fields.text("value", check.value);
  fields.text("over", check.over);
  if (const Json* paper = fields.child("paper")) {
    Fields inner(*paper, path + ".paper");
    inner.text("says", check.says);
    check.paper = optional_number(inner, "value");
    check.claim = {optional_number(inner, "least"), optional_number(inner, "most")};
    inner.finish();
  }
  check.expected = optional_number(fields, "expected");
  check.tolerance = optional_number(fields, "tolerance");
  fields.finish();
  if (check.quantity.empty() || check.value.empty())
    throw InvalidArgument(fmt::format("{} must have quantity and value", path));
  if (check.expected.has_value() != check.tolerance.has_value())
    throw InvalidArgument(fmt::format("{} must have expected and tolerance, or neither", path));
  if (!check.expected && check.claim.empty())
    throw InvalidArgument(fmt::format("{} must have an expected value or a claim to hold", path));
  return check;
}

std::string range_text(const Check& check) {
  if (check.paper) return number(*check.paper);
  if (check.claim.empty()) return "";
  if (!check.claim.most) return "≥ " + number(*check.claim.least);
  if (!check.claim.least) return "≤ " + number(*check.claim.most);
  return fmt::format("{} to {}", number(*check.claim.least), number(*check.claim.most));
}

}  // namespace

double Values::get(const std::string& name) const {
  for (const auto& [known, value] : entries_) {
    if (known == name) return value;
  }
  std::string names;
  for (const auto& [known, value] : entries_) names += (names.empty() ? "" : ", ") + known;
  throw InvalidArgument(fmt::format("there is no value \"{}\"; there are {}", name, names));
}

bool Range::holds(double value) const {
  return !std::isnan(value) && (!least || value >= *least) && (!most || value <= *most);
}

std::vector<Check> checks_from_json(const Json& json) {
  Fields fields(json, "");
  const Json* list = fields.child("checks");
  if (!list || !list->is_array()) throw InvalidArgument("checks must be a list");
  fields.finish();
  std::vector<Check> checks;
  for (const Json& entry : *list) {
    checks.push_back(check_from_json(entry, fmt::format("checks[{}]", checks.size())));
  }
  return checks;
}

Verdict judge(const Check& check, const Values& values) {
  Verdict verdict{check, values.get(check.value), {}, false};
  if (!check.over.empty()) verdict.ours /= values.get(check.over);
  if (!check.claim.empty()) verdict.agrees = check.claim.holds(verdict.ours);
  verdict.ok =
      check.expected ? std::abs(verdict.ours - *check.expected) <= *check.tolerance : *verdict.agrees;
  return verdict;
}

std::vector<Verdict> judge(const std::vector<Check>& checks, const Values& values) {
  std::vector<Verdict> verdicts;
  for (const Check& check : checks) verdicts.push_back(judge(check, values));
  return verdicts;
}

Table verdict_table(const std::vector<Verdict>& verdicts, bool judged) {
  Table table;
  table.columns = {{"quantity", Align::left},
                   {"paper", Align::right},
                   {"ours", Align::right},
                   {"paper's claim", Align::left}};
  if (judged) {
    table.columns.push_back({"expected", Align::right});
    table.columns.push_back({"check", Align::left});
  }
  for (const Verdict& verdict : verdicts) {
    const Check& check = verdict.check;
    const char* agrees = !verdict.agrees ? "" : *verdict.agrees ? "holds" : "differs";
    Row row{{check.quantity, range_text(check), number(verdict.ours), agrees}};
    if (judged) {
      row.cells.emplace_back(
          check.expected ? fmt::format("{} ± {}", number(*check.expected), number(*check.tolerance)) : "");
      row.cells.emplace_back(verdict.ok ? "ok" : "FAILS", !verdict.ok);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json verdict_to_json(const std::string& reproduction, const Verdict& verdict) {
  const Check& check = verdict.check;
  return {{"reproduction", reproduction},
          {"quantity", check.quantity},
          {"paper", or_null(check.paper)},
          {"claim", check.says},
          {"claim_least", or_null(check.claim.least)},
          {"claim_most", or_null(check.claim.most)},
          {"agrees", verdict.agrees ? Json(*verdict.agrees) : Json(nullptr)},
          {"ours", std::isfinite(verdict.ours) ? Json(verdict.ours) : Json(nullptr)},
          {"expected", or_null(check.expected)},
          {"tolerance", or_null(check.tolerance)},
          {"ok", verdict.ok}};
}

}  // namespace ridgerunner
