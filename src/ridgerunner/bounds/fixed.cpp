#include "ridgerunner/bounds/fixed.h"

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

class Fixed final : public Bound {
 public:
  explicit Fixed(double radius) : radius_(radius) { require_at_least("radius", radius, 0); }
  std::optional<double> radius(const Evidence&) const override { return radius_; }

 private:
  double radius_;
};

}  // namespace

BoundPtr fixed_bound(double radius) {
  return std::make_shared<Fixed>(radius);
}

}  // namespace ridgerunner
