#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/exact.h"

// Mixtures on the exact model. Choosing is a race at one ridge, which bounds everybody's worth from above, so
// that few need to be judged.

namespace ridgerunner {

MixtureModel ExactRegression::mixture_model(const Mixture& mixture) const {
  const Vector root = counts_.view().cwiseSqrt();
  MixtureModel model{
      *kernel_, states_.view(),
      root,     {root.cwiseProduct(rewards_.view()), row_within_, mixture.radius_squared, mixture.norm_bound},
      ridge_,   {}};
  const auto add = [&](double ridge, const GrowingCholesky& factor, const VectorIn& noise,
                       const VectorIn& forward, double largest) {
    const auto is_it = [&](double wanted) { return std::abs(wanted - ridge) <= 1e-12 * ridge; };
    if (!mixture.grid.empty() && std::none_of(mixture.grid.begin(), mixture.grid.end(), is_it)) return;
    const double form = forward.squaredNorm() + row_within_ / ridge;  // q
    const double norm = mixture.norm_bound;
    model.rungs.push_back(
        {ridge, factor, noise, forward, largest, mixture.radius_squared + ridge * (norm * norm - form)});
  };
  add(ridge_, factor_, noise_.view(), forward_.view(), largest_diagonal_);
  for (const Rung& rung : further_)
    add(rung.ridge, rung.factor, rung.noise.view(), rung.forward.view(), rung.largest_diagonal);
  if (model.rungs.empty()) throw InvalidArgument("none of the model's ridges is on the mixture's grid");
  return model;
}

Band ExactRegression::band(const MatrixIn& states, const Mixture& mixture, Workspace&) const {
  check_shape(states);
  Band band{Vector(states.cols()), Vector(states.cols())};
  if (factor_.size() == 0) {
    band.upper = mixture.norm_bound * diagonal(*kernel_, states).cwiseSqrt();
    band.lower = -band.upper;
    return band;
  }
  const MixtureModel model = mixture_model(mixture);
  const auto judge = mixture_judge(model, mixture, states, 0);
  for (Index i = 0; i < states.cols(); ++i) {
    const Interval at = judge->interval(i);
    band.lower[i] = at.lower;
    band.upper[i] = at.upper;
  }
  return band;
}

MixturePick ExactRegression::best(const MatrixIn& states, const Mixture& mixture,
                                  Workspace& workspace) const {
  check_shape(states);
  MixturePick pick;
  if (factor_.size() == 0) {
    const Band all = band(states, mixture, workspace);
    all.upper.maxCoeff(&pick.best.index);
    pick.at = {all.lower[pick.best.index], all.upper[pick.best.index]};
  } else {
    const MixtureModel model = mixture_model(mixture);
    const auto judge = mixture_judge(model, mixture, states, workspace.mixture_screen);
    std::optional<BestUpper> found;
    while (!found) {  // again if the judge has found a better ridge for the race
      const std::size_t screen = judge->screen();
      const double radius = std::sqrt(std::max(model.rungs[screen].slack, 0.0));
      found =
          most_worth_by_elimination(model.view(screen, workspace.weights), states, radius, *judge, workspace);
    }
    workspace.mixture_screen = model.rungs[judge->screen()].ridge;
    pick.best = *found;
    pick.at = judge->interval(found->index);
  }
  Prediction& own = workspace.prediction;
  predict(states.col(pick.best.index), own, workspace);
  pick.best.mean = own.mean[0];
  pick.best.sd = own.sd[0];
  pick.best.clamped = own.clamped;
  return pick;
}

double ExactRegression::least_slack(const Mixture& mixture) const {
  Mixture everywhere = mixture;
  everywhere.grid.clear();
  double least = std::numeric_limits<double>::infinity();
  for (const MixtureRung& rung : mixture_model(everywhere).rungs) least = std::min(least, rung.slack);
  return least;
}

}  // namespace ridgerunner
