#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ridgerunner {

enum class Scale { linear, log };

// An end that is not given follows the data: rounded out to a near tick for y, tight for x.
struct Axis {
  std::string label;
  Scale scale = Scale::linear;
  std::optional<double> min = {}, max = {};
};

// A closed interval; NaN while nothing has been included.
struct Domain {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();

  bool empty() const;
  void include(double value);
};

struct Ticks {
  std::vector<double> major, minor;
  std::vector<std::string> labels;  // of the major ones: "1,000", "−0.5", "10⁶"
  int power = 0;                    // the labels are to be read times 10^power
};

// Whether an axis of this scale has a place for the value: finite, at most 1e300 in size (differences could
// overflow), and on a log axis at least 1e-300.
bool usable(double value, Scale scale);

// What the axis shows of the data: its own limits where given. Free ends start at zero where the data almost
// do; `roomy` rounds them out to a tick that is near. An interval without length is widened around its value.
Domain shown_domain(const Axis& axis, Domain data, int count, bool roomy);

// About `count` ticks. Linear: multiples of 1, 2 or 5 times a power of ten. Log: decades, or every few of
// them; 1, 2, 5 if fewer than two decades are in sight; as on a linear axis if even those are too few.
Ticks ticks_of(Scale scale, const Domain& domain, int count);

// 6 as "10⁶".
std::string power_of_ten(int exponent);

// From values to pixels. An unusable value is NaN; one far outside is brought to within ten lengths of the
// axis, which clipping hides.
struct Mapping {
  Scale scale = Scale::linear;
  Domain domain;
  double from = 0, to = 1;

  double operator()(double value) const;
};

}  // namespace ridgerunner
