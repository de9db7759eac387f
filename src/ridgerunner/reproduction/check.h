#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/report/table.h"

namespace ridgerunner {

// Named numbers that a reproduction found, in the order they were found.
class Values {
 public:
  void set(const std::string& name, double value) { entries_.emplace_back(name, value); }
  double get(
      const std::string& name) const;  // throws InvalidArgument, naming what there is, if it is not there
  const std::vector<std::pair<std::string, double>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, double>> entries_;
};

// An interval; an absent end is infinite.
struct Range {
  std::optional<double> least, most;
  bool holds(double value) const;  // never for NaN
  bool empty() const { return !least && !most; }
};

// One line of expected.json: a value of ours, or the ratio of two, beside what the paper says of it and
// beside what this program is known to give.
struct Check {
  std::string quantity;
  std::string value, over;          // names of values; `over` may be empty
  std::string says;                 // the paper's claim, as a sentence
  std::optional<double> paper;      // its own number, where the text gives one
  Range claim;                      // where the number must be for the claim to hold
  std::optional<double> expected;   // ours, known to be within
  std::optional<double> tolerance;  // this of it
};

struct Verdict {
  Check check;
  double ours = 0;
  std::optional<bool> agrees;  // with the paper's claim, where it can be judged by the number
  bool ok = false;             // as expected; where nothing is expected, as the paper claims
};

// Throws InvalidArgument, naming the field, for what does not make a list of checks.
std::vector<Check> checks_from_json(const Json& json);

Verdict judge(const Check& check, const Values& values);
std::vector<Verdict> judge(const std::vector<Check>& checks, const Values& values);

// `judged`: with what is expected and whether it came; else only beside the paper's.
Table verdict_table(const std::vector<Verdict>& verdicts, bool judged = true);
Json verdict_to_json(const std::string& reproduction, const Verdict& verdict);

}  // namespace ridgerunner
