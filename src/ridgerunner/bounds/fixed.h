#pragma once

#include "ridgerunner/bounds/bound.h"
#include "ridgerunner/codec/range.h"

namespace ridgerunner {

namespace bounds {
struct Fixed {
  static constexpr const char* kName = "fixed";
  double radius = 0.1;
  bool operator==(const Fixed&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("radius", &Fixed::radius, at_least(0), "fixed: mean +- radius sd");
  }
};
}  // namespace bounds

// mean ± radius sd with a radius chosen by hand: no guarantee, but what most experiments use (0.1 in
// zenati2022_ekucb; the eta of the KernelUCB note). radius >= 0.
BoundPtr fixed_bound(double radius);

}  // namespace ridgerunner
