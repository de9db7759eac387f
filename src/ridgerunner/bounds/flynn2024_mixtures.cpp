#include "ridgerunner/bounds/flynn2024_mixtures.h"

#include <cmath>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

double square(double x) {
  return x * x;
}

// R^2 (ln det(I + K/α) + 2 ln(1/delta))
double noise_part(const MixtureInputs& inputs, const Evidence& evidence) {
  return square(inputs.noise_bound) * (evidence.log_determinant - 2 * std::log(inputs.delta));
}

// e: what the features missed of f* at the data, at most
double missed(const MixtureInputs& inputs, const Evidence& evidence) {
  return inputs.norm_bound * std::sqrt(evidence.residual_sum);
}

// S: the radius at α, but for what was missed
double seen_radius(const MixtureInputs& inputs, const Evidence& evidence) {
  return std::sqrt(noise_part(inputs, evidence) + evidence.ridge * square(inputs.norm_bound));
}

class BestOfMany final : public Bound {
 public:
  // An empty grid: all ridges.
  BestOfMany(const MixtureInputs& inputs, std::vector<double> grid)
      : inputs_(inputs), grid_(std::move(grid)) {
    check_record(inputs);
    for (const double multiple : grid_) require_positive("grid", multiple);
  }
  std::optional<double> radius(const Evidence&) const override { return std::nullopt; }
  std::optional<Mixture> mixture(const Evidence& evidence) const override {
    Mixture mixture{flynn2024_squared_radius(inputs_, evidence), inputs_.norm_bound, {}};
    for (const double multiple : grid_) mixture.grid.push_back(multiple * evidence.ridge);
    return mixture;
  }

 private:
  MixtureInputs inputs_;
  std::vector<double> grid_;
};

}  // namespace

double flynn2024_squared_radius(const MixtureInputs& inputs, const Evidence& evidence) {
  const double e = missed(inputs, evidence);
  const double seen = evidence.ridge * evidence.quadratic_form + noise_part(inputs, evidence);
  return e > 0 ? seen + e * (2 * seen_radius(inputs, evidence) + e) : seen;
}

double flynn2024_amm_radius(const MixtureInputs& inputs, const Evidence& evidence) {
  return seen_radius(inputs, evidence) + missed(inputs, evidence);
}

BoundPtr amm_bound(const MixtureInputs& inputs) {
  check_record(inputs);
  return radius_bound([inputs](const Evidence& evidence) { return flynn2024_amm_radius(inputs, evidence); });
}

BoundPtr dmm_bound(const MixtureInputs& inputs, std::vector<double> grid) {
  if (grid.empty()) throw InvalidArgument("grid must not be empty");
  return std::make_shared<BestOfMany>(inputs, std::move(grid));
}

BoundPtr cmm_bound(const MixtureInputs& inputs) {
  return std::make_shared<BestOfMany>(inputs, std::vector<double>{});
}

}  // namespace ridgerunner
