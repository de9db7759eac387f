// The largest upper bound of a projected model, without finishing all the sds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/joint_prediction.h"
#include "ridgerunner/regression/neighbours.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {
namespace {

constexpr Index kTogether = 8;        // candidates finished at once: L streams past only once for them
constexpr Index kTogetherIfFew = 1;   // ... where few are left, by a screen or by many anchors
constexpr Index kWorthRacing = 64;    // with fewer anchors the full computation is cheaper ...
constexpr Index kFewCandidates = 24;  // ... and with so few candidates ...
constexpr Index kManyAnchors = 256;   // ... unless each costs much
constexpr Index kScreenRounds = 64;   // between two screens, at least
constexpr Index kSettledRounds = 16;  // without a new anchor, before there is a screen
constexpr double kSlack = 1e-9;       // of k(s, s): more than rounding can take from a variance
constexpr double kMeanSlack = 1e-14;  // of m |weights|_1 max k: more than rounding can take from a mean
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// Screened by kernel values alone. The mean is k^T L_Z^-T V^-1 b. The variance is bounded from above by the
// screen, if there is one; or by the anchors most like a candidate, since they are data: first the nearest
// alone, then, for whom that is not enough, the few nearest together. The most promising are finished first,
// a few at a time; whoever's bound falls below the best of them is dropped. The answer is that of the full
// computation.
class ProjectedRegression::Race {
 public:
  // first: the number of the first state.
  Race(const ProjectedRegression& model, const MatrixIn& states, Index first, double radius,
       Workspace& workspace)
      : model_(model.model_),
        ready_(model.ready_),
        kernel_(*model.kernel_),
        ridge_(model.ridge_),
        rounding_(model.residual_rounding()),
        radius_(radius),
        workspace_(workspace),
        states_(states),
        cross_(workspace.cross.get(model_.basis.size(), states.cols())),
        columns_(workspace.columns),
        together_(ready_.screen || model_.basis.size() >= kManyAnchors ? kTogetherIfFew : kTogether) {
    if (cross_.rows() > 0) kernel_.gram(model_.anchors.view(), states, cross_);
    workspace.prediction.prior.resize(states.cols());
    kernel_.diagonal(states, workspace.prediction.prior);
    require_priors(workspace.prediction.prior, first);
    columns_.resize(static_cast<std::size_t>(states.cols()));
    std::iota(columns_.begin(), columns_.end(), Index{0});
  }

  BestUpper run() {
    screen();
    if (cross_.rows() < kManyAnchors)
      finish_until(std::min<std::size_t>(static_cast<std::size_t>(together_), columns_.size()));
    if (!ready_.screen || cross_.rows() >= kManyAnchors) refine();
    finish_until(columns_.size());
    return best_;
  }

  BestUpper run_in_full() {
    finish(columns_);
    return best_;
  }

 private:
  // Upper bounds of the upper bounds, and the candidates in falling order of them.
  void screen() {
    const Index n = states_.cols(), m = cross_.rows();
    Vector& mean = workspace_.prediction.mean;
    mean.resize(n);
    column_dots(cross_, ready_.dual, mean);
    const double largest = std::max(model_.largest_prior, workspace_.prediction.prior.maxCoeff());
    mean.array() += kMeanSlack * static_cast<double>(m) * ready_.dual.lpNorm<1>() * largest;
    optimistic_.setConstant(n, kInfinity);
    if (ready_.screen) {
      ready_.screen->bound(cross_, largest, workspace_.explained);
      for (Index i = 0; i < n; ++i) bound(i, workspace_.explained[i], kSlack + ready_.screen->slack());
      best_.multiply_adds += ready_.screen->multiply_adds(n);
    } else {
      for (Index i = 0; i < n; ++i) {
        const double nearest = std::max(cross_.col(i).maxCoeff(), 0.0);
        bound(i, nearest * nearest / (model_.largest_prior + ridge_), kSlack);
      }
    }
    sort_from(0);
  }

  // What is not a number says nothing: such a candidate is finished, and found out.
  void bound(Index i, double explained, double slack) {
    const double prior = workspace_.prediction.prior[i];
    const double sd = scaled_sd(prior, explained - slack * prior, ridge_);
    const double value = upper_value(workspace_.prediction.mean[i], radius_, sd);
    if (value < optimistic_[i]) optimistic_[i] = value;
  }

  void sort_from(std::size_t first) {
    std::sort(columns_.begin() + static_cast<Index>(first), columns_.end(), [&](Index a, Index b) {
      return std::pair(-optimistic_[a], a) < std::pair(-optimistic_[b], b);
    });
  }

  // Drops whom the bounds so far rule out, and bounds the others by several anchors.
  void refine() {
    const auto ruled_out = std::find_if(columns_.begin() + static_cast<Index>(next_), columns_.end(),
                                        [&](Index i) { return optimistic_[i] < highest_; });
    columns_.erase(ruled_out, columns_.end());
    const Vector noise = Vector::Constant(cross_.rows(), ridge_);
    for (std::size_t c = next_; c < columns_.size(); ++c) {
      const Index i = columns_[c];
      bound(i,
            explained_by_neighbours(kernel_, model_.anchors.view(), noise, cross_.col(i), workspace_.small),
            kSlack);
      best_.multiply_adds += kNeighbours * kNeighbours * kNeighbours / 6;
    }
    sort_from(next_);
  }

  void finish_until(std::size_t end) {
    while (next_ < end && optimistic_[columns_[next_]] >= highest_) {  // or so are all after it
      const std::size_t last = std::min(end, next_ + static_cast<std::size_t>(together_));
      finish(std::span(columns_).subspan(next_, last - next_));
      next_ = last;
    }
  }

  void finish(std::span<const Index> columns) {
    const Index m = cross_.rows(), n = std::ssize(columns);
    auto both = workspace_.leaders.get(m, 2 * n);
    auto features = both.leftCols(n), z = both.rightCols(n);
    for (Index c = 0; c < n; ++c) features.col(c) = cross_.col(columns[static_cast<std::size_t>(c)]);
    model_.basis.solve(features);
    z = features;
    Vector explained = Vector::Zero(n), mean = Vector::Zero(n), spread = Vector::Zero(n);
    if (m > 0) {
      column_squares(z, explained);
      column_dots(z, model_.weights, mean);
      model_.precision.solve(z);
      column_squares(z, spread);
    }
    best_.multiply_adds += n * m * m;
    for (Index c = 0; c < n; ++c) {
      const Index i = columns[static_cast<std::size_t>(c)];
      Index clamped = 0;
      const double residual =
          projected_residual(workspace_.prediction.prior[i], explained[c], rounding_, clamped);
      const double sd = projected_sd(residual, spread[c], ridge_);
      const double value = upper_value(mean[c], radius_, sd);
      best_.ties = value > highest_ || !found_ ? 1 : best_.ties + (value == highest_ ? 1 : 0);
      const bool better = value > highest_ || (value == highest_ && i < best_.index);
      if (found_ && !better) continue;
      found_ = true;
      if (better) highest_ = value;
      best_.index = i;
      best_.mean = mean[c];
      best_.sd = sd;
      best_.clamped = clamped;
      best_.solved = true;
      auto solved = workspace_.solved.get(m, 2);
      solved.col(0) = features.col(c);
      solved.col(1) = z.col(c);
    }
  }

  const Memory& model_;
  const Ready& ready_;
  const Kernel& kernel_;
  double ridge_, rounding_, radius_;
  Workspace& workspace_;
  MatrixIn states_;
  Eigen::Block<Matrix> cross_;
  std::vector<Index>& columns_;
  Index together_;
  Vector optimistic_;
  std::size_t next_ = 0;  // the first column that is not finished
  BestUpper best_;
  bool found_ = false;
  double highest_ = -kInfinity;
};

// Anchors given at the start need not be data, and arms have their numbers carried along.
bool ProjectedRegression::races() const {
  return model_.basis.size() >= kWorthRacing && !options_.anchors && arms_ == 0;
}

void ProjectedRegression::prepare() {
  const Index m = model_.basis.size();
  ready_.log_determinant = model_.precision.log_determinant();
  if (!races()) {
    ready_.dual.resize(0);
    ready_.screen.reset();
    return;
  }
  ready_.dual = model_.weights;
  model_.basis.solve_transposed(ready_.dual);
  if (m != ready_.anchors) {
    ready_.anchors = m;
    ready_.settled = model_.choices;
    if (keeps_history()) ready_.screen.reset();  // a new anchor changes the features of earlier data
  }
  if (!screen_is_due()) return;
  ready_.screen =
      std::make_shared<const ProjectedScreen>(model_.basis, model_.precision, ridge_, ready_.screen.get());
  ready_.screened = model_.choices;
}

bool ProjectedRegression::screen_is_due() const {
  const Index since = model_.choices - ready_.screened;
  if (ready_.screen) return since >= std::max(kScreenRounds, model_.basis.size());
  return keeps_history() ? model_.choices - ready_.settled >= kSettledRounds : since >= kSettledRounds;
}

BestUpper ProjectedRegression::best_upper(const MatrixIn& states, double radius, Workspace& workspace) const {
  constexpr Index kMost = 1024;  // candidates in a race: bounds the memory
  check_shape(states);
  const bool dear = ready_.screen || model_.basis.size() >= kManyAnchors;
  const bool race = races() && states.cols() > (dear ? kTogetherIfFew : kFewCandidates);
  BestUpper best;
  std::int64_t spent = 0;
  for (Index first = 0; first < states.cols(); first += kMost) {
    Race one(*this, states.middleCols(first, std::min(kMost, states.cols() - first)), first, radius,
             workspace);
    BestUpper winner = race ? one.run() : one.run_in_full();
    spent += winner.multiply_adds;
    winner.index += first;
    const double upper = upper_value(winner.mean, radius, winner.sd);
    const double highest = upper_value(best.mean, radius, best.sd);
    if (first == 0 || upper > highest) {
      best = winner;
    } else if (upper == highest) {
      best.ties += winner.ties;
    }
  }
  best.multiply_adds = spent;
  best.solved = best.solved && states.cols() <= kMost;  // or another race may have left its winner's solves
  return best;
}

JointPrediction ProjectedRegression::predict_jointly(const MatrixIn& states, Workspace&) const {
  constexpr Index kTogetherSolved = 256;
  check_shape(states);
  const Index n = states.cols(), m = model_.basis.size();
  JointPrediction out{{}, states, Matrix(m, n), Matrix(m, n), ridge_, kernel_};
  Prediction& at = out.at;
  const bool arms = are_arms(states);
  if (arms) {
    at = arm_prediction();
    model_.points.features.gather(0, out.explained);
  } else {
    at = {Vector(n), Vector(n), diagonal(*kernel_, states), 0};
    require_priors(at.prior);
  }
  Vector spread(n);
  for (Index i = 0; i < n; i += kTogetherSolved) {
    const Index p = std::min(kTogetherSolved, n - i);
    auto z = out.explained.middleCols(i, p), solved = out.spread.middleCols(i, p);
    if (!arms)
      project(states.middleCols(i, p), at.prior.segment(i, p), z, at.mean.segment(i, p), at.sd.segment(i, p),
              at.clamped);
    solved = z;
    model_.precision.solve(solved);
    column_squares(solved, spread.segment(i, p));
  }
  for (Index i = 0; !arms && i < n; ++i) at.sd[i] = projected_sd(at.sd[i], spread[i], ridge_);
  return out;
}

}  // namespace ridgerunner
