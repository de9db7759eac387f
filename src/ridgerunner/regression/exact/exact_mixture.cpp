// The exact model at several ridges, as mixtures of bounds see it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner {
namespace {

constexpr double kLeastRidge = 1e-3;  // of the model's, where all ridges are tried
constexpr double kSameRidge = 1e-12;

bool same(double a, double b) {
  return std::abs(a - b) <= kSameRidge * b;
}

}  // namespace

FactoredModel ExactRegression::at_ridges(const Mixture& mixture) const {
  require_usable(mixture);
  const auto at_ridge = [&](double ridge, const GrowingCholesky& factor, const VectorIn& noise,
                            const VectorIn& forward, double largest, Index further) {
    const double form = forward.squaredNorm() + row_within_ / ridge;  // q
    const double norm = mixture.norm_bound;
    return RidgeFactor{ridge,   factor,  noise,
                       forward, largest, mixture.radius_squared + ridge * (norm * norm - form),
                       further};
  };
  std::vector<RidgeFactor> all{
      at_ridge(ridge_, factor_, noise_.view(), forward_.view(), largest_diagonal_, -1)};
  for (const FurtherRidge& at : further_)
    all.push_back(at_ridge(at.ridge, at.factor, at.noise.view(), at.forward.view(), at.largest_diagonal,
                           &at - further_.data()));
  std::vector<RidgeFactor> wanted;
  for (const RidgeFactor& at : all) {
    const auto is_it = [&](double ridge) { return same(ridge, at.ridge); };
    if (mixture.grid.empty() || std::any_of(mixture.grid.begin(), mixture.grid.end(), is_it))
      wanted.push_back(at);
  }
  const bool complete = std::all_of(mixture.grid.begin(), mixture.grid.end(), [&](double ridge) {
    return std::any_of(all.begin(), all.end(), [&](const RidgeFactor& at) { return same(ridge, at.ridge); });
  });
  if (!complete || (mixture.grid.empty() && further_.empty()))
    throw InvalidArgument("dmm and cmm need a regression that was made with this bound");
  const Vector root = counts_.view().cwiseSqrt();
  const auto observed = [this](const VectorIn& state) -> std::optional<FactoredModel::Observed> {
    const auto known = index_.find(state, anchors_.view());
    if (!known) return std::nullopt;
    return FactoredModel::Observed{by_anchor_.count[*known], by_anchor_.reward[*known], by_anchor_.within};
  };
  // Rewards of rows are kept with further ridges only; one ridge alone does not need them.
  const Vector rewards = further_.empty() ? Vector() : Vector(root.cwiseProduct(rewards_.view()));
  const MixtureData data{rewards,
                         row_within_,
                         mixture.radius_squared,
                         mixture.norm_bound,
                         largest_prior_ * root.squaredNorm(),
                         kLeastRidge * ridge_};
  return {*kernel_, states_.view(), root, data, all.front(), std::move(wanted), observed};
}

}  // namespace ridgerunner
