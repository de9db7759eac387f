#include "ridgerunner/selection/elimination.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "ridgerunner/linalg/lane_sums.h"
#include "ridgerunner/regression/checks.h"
#include "ridgerunner/regression/neighbours.h"

namespace ridgerunner {
namespace {

constexpr Index kLeaders = 4;        // finished first: as cheap as one, since L streams past only once
constexpr Index kPrefixPart = 6;     // this part of the rows is solved for everybody
constexpr Index kStep = kTileRows;   // rows between two looks at who can still win
constexpr Index kLeastStates = 200;  // with fewer states the full solve is cheaper
constexpr double kSlack = 1e-12;     // of k(s, s): more than rounding can take from a variance

class Elimination {
 public:
  // bounds: null if mean + radius sd is the upper bound itself. first: the number of the first state.
  Elimination(const ExactView& model, const MatrixIn& states, Index first, double radius, double surpass,
              UpperBounds* bounds, Workspace& workspace)
      : model_(model),
        radius_(radius),
        bounds_(bounds),
        workspace_(workspace),
        mean_(workspace.prediction.mean),
        prior_(workspace.prediction.prior),
        explained_(workspace.explained),
        columns_(workspace.columns),
        cross_(workspace.cross.get(model.states.cols(), states.cols())),
        highest_(surpass) {
    const Index n = states.cols();
    model_.kernel.gram(model_.states, states, cross_);
    mean_.resize(n);
    column_dots(cross_, model_.weights, mean_);
    prior_.resize(n);
    model_.kernel.diagonal(states, prior_);
    require_priors(prior_, first);
    explained_.setZero(n);
    columns_.resize(n);
    for (Index i = 0; i < n; ++i) columns_[i] = i;
  }

  BestUpper run() {
    if (bounds_) {
      if (const auto decided = bounds_->decided(cross_, prior_)) {
        best_.index = *decided;
        return best_;
      }
    }
    const Index m = model_.states.cols();
    const Index prefix = m / kPrefixPart / kStep * kStep;
    if (m >= kLeastStates) {
      solve_prefix(prefix);
      for (const Index i : columns_) raise(i, explained_by_nearest(cross_.col(i)));
      finish_leaders(prefix);
      drop();
      for (const Index i : columns_) raise(i, explained_by_neighbours(cross_.col(i)));
      drop();
      gather(prefix);
      for (Index row = prefix; row < m && !columns_.empty(); row += kStep)
        step(row, std::min(m, row + kStep));
    } else {
      solve(cross_, 0, m);
    }
    consider_all(columns_, cross_);
    if (bounds_) best_.index = bounds_->best();
    return best_;
  }

  bool found() const { return found_; }
  double highest() const { return highest_; }
  Index ties() const { return ties_; }  // how many reach it; of those that were considered

 private:
  double upper(Index i, double explained) const {
    return upper_value(mean_[i], radius_, scaled_sd(prior_[i], explained, model_.ridge));
  }

  template <class Columns>
  void solve(Columns&& w, Index first, Index last) {
    model_.factor.solve_rows(w, first, last);
    best_.multiply_adds += w.cols() * (last * last - first * first) / 2;
  }

  // The first rows of L^-1 k for everybody, beside k, which the neighbours still need.
  void solve_prefix(Index prefix) {
    auto w = workspace_.prefix.get(prefix, cross_.cols());
    w = cross_.topRows(prefix);
    solve(w, 0, prefix);
    column_squares(w, explained_);
  }

  void finish_leaders(Index prefix) {
    auto& order = columns_;
    const Index leaders = std::min<Index>(kLeaders, std::ssize(order));
    std::partial_sort(order.begin(), order.begin() + leaders, order.end(), [&](Index a, Index b) {
      return std::pair(-upper(a, explained_[a]), a) < std::pair(-upper(b, explained_[b]), b);
    });
    auto w = workspace_.leaders.get(cross_.rows(), leaders);
    const auto solved = workspace_.prefix.get(prefix, cross_.cols());
    for (Index c = 0; c < leaders; ++c) {
      w.col(c) = cross_.col(order[c]);
      w.col(c).head(prefix) = solved.col(order[c]);
    }
    solve(w, prefix, cross_.rows());
    consider_all(std::span(order).first(static_cast<std::size_t>(leaders)), w);
    order.erase(order.begin(), order.begin() + leaders);
    std::sort(order.begin(), order.end());
  }

  void raise(Index i, double explained) { explained_[i] = std::max(explained_[i], explained); }

  // What the one point most like the candidate explains.
  template <class Column>
  double explained_by_nearest(const Column& k) const {
    const double value = k.maxCoeff();
    return value * value / model_.largest_diagonal;
  }

  bool hopeless(Index i) const { return upper(i, explained_[i] - kSlack * prior_[i]) < highest_; }

  void drop() {
    std::erase_if(columns_, [&](Index i) { return hopeless(i); });
  }

  double explained_by_neighbours(const VectorIn& k) {
    best_.multiply_adds += kNeighbours * kNeighbours * kNeighbours / 6;
    return ridgerunner::explained_by_neighbours(model_.kernel, model_.states, model_.noise, k,
                                                workspace_.small);
  }

  // Survivors move to the first columns, with their solved prefix.
  void gather(Index prefix) {
    const auto solved = workspace_.prefix.get(prefix, cross_.cols());
    for (Index c = 0; c < std::ssize(columns_); ++c) {
      const Index i = columns_[c];
      if (i != c) cross_.col(c) = cross_.col(i);
      cross_.col(c).head(prefix) = solved.col(i);
    }
  }

  void step(Index first, Index last) {
    auto w = cross_.leftCols(std::ssize(columns_));
    solve(w, first, last);
    if (last == cross_.rows()) return;
    Index kept = 0;
    for (Index c = 0; c < w.cols(); ++c) {
      const Index i = columns_[c];
      raise(i, w.col(c).head(last).squaredNorm());
      if (hopeless(i)) continue;
      if (kept != c) cross_.col(kept) = cross_.col(c);
      columns_[kept++] = i;
    }
    columns_.resize(kept);
  }

  // Column c of `solved` is L^-1 k of candidate who[c].
  template <class Columns>
  void consider_all(std::span<const Index> who, const Columns& solved) {
    const auto count = std::ssize(who);
    if (!bounds_) {
      for (Index c = 0; c < count; ++c) consider(who[c], solved.col(c));
      return;
    }
    std::vector<UpperBounds::Candidate> candidates;
    for (Index c = 0; c < count; ++c) {
      double explained = 0;
      column_squares(solved.col(c), Eigen::Map<Vector>(&explained, 1));
      candidates.push_back({upper(who[c], explained), who[c], c});
    }
    highest_ = std::max(highest_, bounds_->update(std::move(candidates), solved));
  }

  template <class Column>
  void consider(Index i, const Column& solved) {
    double explained = 0;
    column_squares(solved, Eigen::Map<Vector>(&explained, 1));
    const double value = upper(i, explained);
    if (value == highest_) ++ties_;
    if (value > highest_) ties_ = 1;
    if (value < highest_ || (value == highest_ && (!found_ || i > best_.index))) return;
    found_ = true;
    highest_ = value;
    workspace_.solved.get(solved.size(), 1).col(0) = solved;
    best_.index = i;
    best_.mean = mean_[i];
    best_.sd = scaled_sd(prior_[i], explained, model_.ridge);
    best_.clamped = check_variance(prior_[i], explained) ? 0 : 1;
  }

  const ExactView& model_;
  double radius_;
  UpperBounds* bounds_;
  Workspace& workspace_;
  Vector& mean_;
  Vector& prior_;
  Vector& explained_;            // by candidate: a lower bound of the part of k(s, s) that the data explain
  std::vector<Index>& columns_;  // the candidates that are left
  Eigen::Block<Matrix> cross_;
  BestUpper best_;
  double highest_;      // upper of the best so far, or what it has to surpass
  bool found_ = false;  // somebody has
  Index ties_ = 0;
};

}  // namespace

BestUpper best_upper_by_elimination(const ExactView& model, const MatrixIn& states, double radius,
                                    Workspace& workspace) {
  constexpr Index kChunk = 1024;  // candidates at a time: bounds the memory
  workspace.further_solved.clear();
  BestUpper best;
  double highest = -std::numeric_limits<double>::infinity();
  for (Index first = 0; first < states.cols(); first += kChunk) {
    const Index count = std::min(kChunk, states.cols() - first);
    Elimination elimination(model, states.middleCols(first, count), first, radius, highest, nullptr,
                            workspace);
    BestUpper winner = elimination.run();
    const std::int64_t spent = best.multiply_adds + winner.multiply_adds;
    const bool higher = elimination.highest() > highest;
    const Index ties = higher ? elimination.ties() : best.ties + elimination.ties();
    if (elimination.found()) {
      highest = elimination.highest();
      winner.index += first;
      winner.solved = true;
      best = winner;
    }
    best.ties = ties;
    best.multiply_adds = spent;
  }
  return best;
}

BestUpper best_of_bounds_by_elimination(const ExactView& model, const MatrixIn& states, double radius,
                                        UpperBounds& bounds, Workspace& workspace) {
  Elimination elimination(model, states, 0, radius, -std::numeric_limits<double>::infinity(), &bounds,
                          workspace);
  return elimination.run();
}

}  // namespace ridgerunner
