#include "ridgerunner/regression/dictionary/residual_budget.h"

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

class Budget final : public Dictionary {
 public:
  explicit Budget(const ResidualBudget& parameters) : parameters_(parameters) {
    require_positive("tolerance", parameters.tolerance);
    require_positive("norm_bound", parameters.norm_bound);
    require_at_least("horizon", parameters.horizon, 1);
  }

  double admission(const Newcomer& newcomer) const override {
    double horizon = parameters_.horizon;
    while (static_cast<double>(newcomer.number) >= horizon) horizon *= 2;
    const double part = parameters_.tolerance / parameters_.norm_bound;
    return newcomer.residual > part * part / horizon ? 1 : 0;
  }

  std::unique_ptr<Dictionary> clone() const override { return std::make_unique<Budget>(*this); }

 private:
  ResidualBudget parameters_;
};

}  // namespace

std::unique_ptr<Dictionary> residual_budget(const ResidualBudget& parameters) {
  return std::make_unique<Budget>(parameters);
}

}  // namespace ridgerunner
