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

}  // namespace ridgerunner
