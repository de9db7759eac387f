#pragma once

#include <memory>
#include <optional>

#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

// Where the expected reward lies, at n states and at one.
struct Band {
  Vector lower;
  Vector upper;
};
struct Interval {
  double lower = 0;
  double upper = 0;
};

// A theorem, applied: from what the data say to a band. It sees predictions and the evidence and nothing
// else.
class Bound {
 public:
  virtual ~Bound() = default;

  virtual Interval interval(double mean, double sd, const Evidence& evidence) const = 0;
  virtual Band band(const Prediction& prediction, const Evidence& evidence) const = 0;

  // The r of mean ± r sd, for bounds of that form.
  virtual std::optional<double> radius(const Evidence& evidence) const = 0;
};

using BoundPtr = std::shared_ptr<const Bound>;

// mean ± radius(evidence) sd: the form of most theorems.
class RadiusBound : public Bound {
 public:
  Interval interval(double mean, double sd, const Evidence& evidence) const final;
  Band band(const Prediction& prediction, const Evidence& evidence) const final;
};

// What a theorem's radius is to be multiplied by. While rewards wait for a batch to end, means are those of
// its start, and so is the sd that the theorem is about; sds have shrunk since, by at most
//   sd_start(s)^2 <= batch_growth sd(s)^2,
// so sqrt(batch_growth) radius sd contains radius sd_start. (The radius itself may be computed from the
// current evidence: every term of it only grows within a batch.) 1 without batches.
double batch_factor(const Evidence& evidence);

}  // namespace ridgerunner
