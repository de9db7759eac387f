#include "ridgerunner/selection/best_of_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/regression/factored_model.h"
#include "ridgerunner/selection/mixture_bound.h"

namespace ridgerunner {
namespace {

const ShowsFactors& factors_of(const Regression& model) {
  const auto* factors = capability<ShowsFactors>(model);
  if (!factors) throw InvalidArgument("dmm and cmm need a regression that was made with this bound");
  return *factors;
}

std::unique_ptr<MixtureBound> bound_of(const FactoredModel& model, const Mixture& mixture,
                                       const MatrixIn& candidates, double guess) {
  return mixture.grid.empty() ? all_ridges_bound(model, candidates, guess)
                              : grid_bound(model, candidates, guess);
}

// Without data: that of the norm.
Band prior_band(const Kernel& kernel, const MatrixIn& states, const Mixture& mixture) {
  const Vector prior = diagonal(kernel, states);
  require_priors(prior);
  Band band{Vector(), mixture.norm_bound * prior.cwiseSqrt()};
  band.lower = -band.upper;
  return band;
}

// Mean and sd at the model's own ridge, from L^-1 k, which is computed unless it is known, and handed out.
void predict_best(const FactoredModel& model, const VectorIn& state, const Vector& known, BestUpper& best,
                  Workspace& workspace) {
  const Index rows = model.states.cols();
  double prior = 0, explained = 0;
  model.kernel.diagonal(state, Eigen::Map<Vector>(&prior, 1));
  if (rows > 0) {
    auto solved = workspace.solved.get(rows, 1);
    if (known.size() == rows) {
      solved.col(0) = known;
    } else {
      model.kernel.gram(model.states, state, solved);
      model.own.factor.solve(solved);
    }
    column_squares(solved, Eigen::Map<Vector>(&explained, 1));
    best.mean = solved.col(0).dot(model.own.forward);
  }
  best.sd = scaled_sd(prior, explained, model.own.ridge);
  best.clamped = check_variance(prior, explained) ? 0 : 1;
  best.solved = rows > 0;
}

}  // namespace

MixturePick best_of_mixture(const Regression& regression, const MatrixIn& states, const Mixture& mixture,
                            bool with_band, Workspace& workspace) {
  if (const auto* ridges = capability<AnyRidge>(regression))
    return ridges->best(states, mixture, with_band, workspace);
  const ShowsFactors& factors = factors_of(regression);
  factors.check_shape(states);
  const FactoredModel model = factors.at_ridges(mixture);
  MixturePick pick;
  Vector own;  // L^-1 k of the best one at the model's own ridge, if it is known
  workspace.further_solved.clear();
  if (factors.rows() == 0) {
    const Band all = prior_band(model.kernel, states, mixture);
    all.upper.maxCoeff(&pick.best.index);
    pick.at = Interval{all.lower[pick.best.index], all.upper[pick.best.index]};
  } else {
    const auto bound = bound_of(model, mixture, states, workspace.elimination_ridge);
    const double radius = std::sqrt(std::max(bound->elimination_ridge().slack, 0.0));
    pick.best = best_of_bounds_by_elimination(bound->view(), states, radius, *bound, workspace);
    workspace.elimination_ridge = bound->next_elimination_ridge();
    pick.at = bound->known(pick.best.index);
    if (with_band && !pick.at) {
      // Anew: where the search for the best one stands depends on the workspace's guess, and a band must not.
      const MatrixIn chosen = states.col(pick.best.index);
      pick.at = bound_of(model, mixture, chosen, 0)->interval(0);
    }
    const auto& solves = bound->solves(pick.best.index);
    for (std::size_t j = 0; j < solves.size(); ++j) {
      const Index further = model.ridges[j].further;
      if (further < 0) {
        own = solves[j];
        continue;
      }
      const auto place = static_cast<std::size_t>(further);
      if (place >= workspace.further_solved.size()) workspace.further_solved.resize(place + 1);
      workspace.further_solved[place] = solves[j];
    }
  }
  predict_best(model, states.col(pick.best.index), own, pick.best, workspace);
  return pick;
}

Band mixture_band(const Regression& regression, const MatrixIn& states, const Mixture& mixture,
                  Workspace& workspace) {
  if (const auto* ridges = capability<AnyRidge>(regression)) return ridges->band(states, mixture, workspace);
  const ShowsFactors& factors = factors_of(regression);
  factors.check_shape(states);
  const FactoredModel model = factors.at_ridges(mixture);
  if (factors.rows() == 0) return prior_band(model.kernel, states, mixture);
  Band band{Vector(states.cols()), Vector(states.cols())};
  const auto bound = bound_of(model, mixture, states, 0);
  for (Index i = 0; i < states.cols(); ++i) {
    const Interval at = bound->interval(i);
    band.lower[i] = at.lower;
    band.upper[i] = at.upper;
  }
  return band;
}

std::optional<double> least_slack(const Regression& regression, const Mixture& mixture) {
  if (const auto* ridges = capability<AnyRidge>(regression)) return ridges->least_slack(mixture);
  const auto* factors = capability<ShowsFactors>(regression);
  if (!factors) return std::nullopt;
  const FactoredModel model = factors->at_ridges(mixture);
  double least = model.own.slack;
  for (const RidgeFactor& at : model.ridges) least = std::min(least, at.slack);
  return least;
}

std::optional<double> norm_at_least(const Regression& regression, const Mixture& mixture) {
  const auto* factors = capability<ShowsFactors>(regression);
  if (!factors || !is_usable(mixture)) return std::nullopt;
  const FactoredModel model = factors->at_ridges(mixture);
  const double bound_squared = mixture.norm_bound * mixture.norm_bound;
  double squared = 0;  // T(a) = R_t^2 + a B^2 - a q(a), so q(a) - R_t^2/a = B^2 - T(a)/a
  const auto look = [&](const RidgeFactor& at) {
    squared = std::max(squared, bound_squared - at.slack / at.ridge);
  };
  look(model.own);
  for (const RidgeFactor& at : model.ridges) look(at);
  return std::sqrt(squared);
}

}  // namespace ridgerunner
