#include "ridgerunner/regression/dictionary/dictionary.h"

namespace ridgerunner {
namespace {

class Constant final : public Dictionary {
 public:
  explicit Constant(double probability) : probability_(probability) {}
  double admission(const Newcomer&) const override { return probability_; }
  std::optional<double> admission_if_full(double, double, double) const override { return probability_; }
  std::unique_ptr<Dictionary> clone() const override { return std::make_unique<Constant>(*this); }

 private:
  double probability_;
};

}  // namespace

std::unique_ptr<Dictionary> full_dictionary() {
  return std::make_unique<Constant>(1);
}

std::unique_ptr<Dictionary> empty_dictionary() {
  return std::make_unique<Constant>(0);
}

}  // namespace ridgerunner
