#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "ridgerunner/regression/evidence.h"
#include "ridgerunner/regression/mixture.h"
#include "ridgerunner/regression/prediction.h"

namespace ridgerunner {

// A theorem, applied: from what the data say to a band. It sees the evidence and nothing else.
class Bound {
 public:
  virtual ~Bound() = default;

  // The r of mean ± r sd, for bounds of that form.
  virtual std::optional<double> radius(const Evidence& evidence) const = 0;

  // For bounds that are the best of many such, at many ridges.
  virtual std::optional<Mixture> mixture(const Evidence& /*evidence*/) const { return std::nullopt; }
};

using BoundPtr = std::shared_ptr<const Bound>;

// The bound mean ± radius(evidence) sd.
BoundPtr radius_bound(std::function<double(const Evidence&)> radius);

// mean ± radius sd: the form of most theorems. An infinite radius says nothing: the band is all numbers.
Interval radius_interval(double mean, double sd, double radius);
Band radius_band(const Prediction& prediction, double radius);

// What a theorem's radius is to be multiplied by. While rewards wait for a batch to end, means are those of
// its start, and so is the sd that the theorem is about; sds have shrunk since, by at most
//   sd_start(s)^2 <= batch_growth sd(s)^2,
// so sqrt(batch_growth) radius sd contains radius sd_start. (The radius itself may be computed from the
// current evidence: every term of it only grows within a batch.) 1 without batches.
double batch_factor(const Evidence& evidence);

}  // namespace ridgerunner
