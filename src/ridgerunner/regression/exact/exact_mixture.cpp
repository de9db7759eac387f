#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgerunner/error.h"
#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/exact/exact.h"

// Mixtures on the exact model. Choosing is a race at one ridge, which bounds everybody's worth from above, so
// that few need to be judged.

namespace ridgerunner {
namespace {

constexpr double kLeastRidge = 1e-3;  // of the model's, where all ridges are tried

}  // namespace

MixtureModel ExactRegression::mixture_model(const Mixture& mixture) const {
  require_usable(mixture);
  const Vector root = counts_.view().cwiseSqrt();
  const auto observed = [this](const VectorIn& state) -> std::optional<MixtureModel::Observed> {
    const auto known = index_.find(state, anchors_.view());
    if (!known) return std::nullopt;
    return MixtureModel::Observed{by_anchor_.count[*known], by_anchor_.reward[*known], by_anchor_.within};
  };
  const MixtureData data{
      root.cwiseProduct(rewards_.view()),  row_within_,         mixture.radius_squared, mixture.norm_bound,
      largest_prior_ * root.squaredNorm(), kLeastRidge * ridge_};
  MixtureModel model{*kernel_, states_.view(), root, data, ridge_, {}, observed};
  const auto add = [&](double ridge, const GrowingCholesky& factor, const VectorIn& noise,
                       const VectorIn& forward, double largest, Index further) {
    const auto is_it = [&](double wanted) { return std::abs(wanted - ridge) <= 1e-12 * ridge; };
    if (!mixture.grid.empty() && std::none_of(mixture.grid.begin(), mixture.grid.end(), is_it)) return;
    const double form = forward.squaredNorm() + row_within_ / ridge;  // q
    const double norm = mixture.norm_bound;
    model.rungs.push_back({ridge, factor, noise, forward, largest,
                           mixture.radius_squared + ridge * (norm * norm - form), further});
  };
  add(ridge_, factor_, noise_.view(), forward_.view(), largest_diagonal_, -1);
  for (const Rung& rung : further_)
    add(rung.ridge, rung.factor, rung.noise.view(), rung.forward.view(), rung.largest_diagonal,
        &rung - further_.data());
  if (model.rungs.empty()) throw InvalidArgument("none of the model's ridges is on the mixture's grid");
  return model;
}

namespace {

std::unique_ptr<MixtureJudge> judge_of(const MixtureModel& model, const Mixture& mixture,
                                       const MatrixIn& candidates, double screen) {
  return mixture.grid.empty() ? all_ridges_judge(model, candidates, screen)
                              : grid_judge(model, candidates, screen);
}

}  // namespace

Band ExactRegression::band(const MatrixIn& states, const Mixture& mixture, Workspace&) const {
  check_shape(states);
  Band band{Vector(states.cols()), Vector(states.cols())};
  if (factor_.size() == 0) {
    const Vector prior = diagonal(*kernel_, states);
    require_priors(prior);
    band.upper = mixture.norm_bound * prior.cwiseSqrt();
    band.lower = -band.upper;
    return band;
  }
  const MixtureModel model = mixture_model(mixture);
  const auto judge = judge_of(model, mixture, states, 0);
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
  workspace.solved_by.reset();
  MixturePick pick;
  Vector own;
  workspace.further_solved.assign(further_.size(), Vector());
  if (factor_.size() == 0) {
    const Band all = band(states, mixture, workspace);
    all.upper.maxCoeff(&pick.best.index);
    pick.at = Interval{all.lower[pick.best.index], all.upper[pick.best.index]};
  } else {
    const MixtureModel model = mixture_model(mixture);
    const auto judge = judge_of(model, mixture, states, workspace.mixture_screen);
    pick.best = most_worth_by_elimination(judge->view(), states,
                                          std::sqrt(std::max(judge->screen().slack, 0.0)), *judge, workspace);
    workspace.mixture_screen = judge->suggested();
    pick.at = judge->known(pick.best.index);
    const auto& solves = judge->solves(pick.best.index);
    for (std::size_t j = 0; j < solves.size(); ++j) {
      const Index further = model.rungs[j].further;
      (further < 0 ? own : workspace.further_solved[static_cast<std::size_t>(further)]) = solves[j];
    }
  }
  finish(states.col(pick.best.index), own, pick.best, workspace);
  return pick;
}

// Mean and sd at the own ridge, from L^-1 k, which is left for observe(). known: L^-1 k, or empty.
void ExactRegression::finish(const VectorIn& state, const Vector& known, BestUpper& best,
                             Workspace& workspace) const {
  const Index rows = factor_.size();
  auto solved = workspace.solved.get(rows, 1);
  double prior = 0, explained = 0;
  kernel_->diagonal(state, Eigen::Map<Vector>(&prior, 1));
  if (known.size() == rows) {
    solved.col(0) = known;
  } else {
    kernel_->gram(states_.view(), state, solved);
    factor_.solve(solved);
  }
  if (rows > 0) column_squares(solved, Eigen::Map<Vector>(&explained, 1));
  best.mean = rows > 0 ? solved.col(0).dot(forward_.view()) : 0;
  best.sd = scaled_sd(prior, explained, ridge_);
  best.clamped = check_variance(prior, explained) ? 0 : 1;
  workspace.solved_by = identity_.token();
  workspace.solved_rounds = rounds_;
  workspace.solved_state = state;
}

double ExactRegression::least_slack(const Mixture& mixture) const {
  Mixture everywhere = mixture;
  everywhere.grid.clear();
  double least = std::numeric_limits<double>::infinity();
  for (const MixtureRung& rung : mixture_model(everywhere).rungs) least = std::min(least, rung.slack);
  return least;
}

}  // namespace ridgerunner
