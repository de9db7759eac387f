#include "ridgerunner/bounds/fixed.h"

#include "ridgerunner/error.h"

namespace ridgerunner {

BoundPtr fixed_bound(double radius) {
  require_at_least("radius", radius, 0);
  return radius_bound([radius](const Evidence&) { return radius; });
}

}  // namespace ridgerunner
